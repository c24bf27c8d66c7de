// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/tensor_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "tests/kernels/cuda/emulation.h"
#include "tests/kernels/cuda/tensor_descriptors.h"

namespace emulation {
namespace {

constexpr unsigned kLanes = 128, kColumns = 512, kLeastColumns = 32;
constexpr unsigned kLanesOfWarp = 32, kWarpsOfLanes = 4;
constexpr std::uint32_t kNothing = 0xffffffff;  // kPoison of every byte

using Bytes = std::vector<std::uint8_t>;

struct Range {
  unsigned first = 0, count = 0;  // columns
  [[nodiscard]] bool Overlaps(const Range& other) const {
    return first < other.first + other.count && other.first < first + count;
  }
  [[nodiscard]] bool Has(const Range& other) const {
    return other.first >= first && other.first + other.count <= first + count;
  }
  bool operator==(const Range&) const = default;
};

struct TensorProduct {
  Range sums;
  std::uint64_t a, b;  // descriptors
  Bytes of_a, of_b;    // what was read
  Adder add;
  bool adds;
};

// By so many blocks, from that which asked on: a product, or an arrival at the barrier of that place in each.
struct Background {
  unsigned blocks = 1;
  std::optional<TensorProduct> product;
  std::size_t barrier = 0;
};

// Of a thread: until a wait, and until a fence says that it has them.
struct Loaded {
  std::uint32_t* registers;  // null after the wait
  std::array<std::uint32_t, kColumnsLoaded> values;
  Range from;
};
struct Reader {
  std::vector<Loaded> loads;
  bool waited = false;  // for others, with no fence since
};

struct TensorMemory {
  std::vector<std::uint32_t> cells;  // lane by lane; none until columns are allocated
  std::optional<Range> allocated;
  unsigned blocks = 0;  // that it was allocated for; 0 until then
  bool used = false;    // since the cluster met
  std::deque<Background> background;
  std::vector<Reader> readers;  // threads

  [[nodiscard]] bool IsAllocated(const Range& range) const { return allocated && allocated->Has(range); }
  [[nodiscard]] bool IsRead(const Range& range) const {
    return std::any_of(readers.begin(), readers.end(), [&](const Reader& reader) {
      return std::any_of(reader.loads.begin(), reader.loads.end(),
                         [&](const Loaded& load) { return load.from.Overlaps(range); });
    });
  }
};
std::vector<TensorMemory> memories;  // of each block
std::size_t threads_of_each = 1;

// Whether a product of that block, or of both, is on its way there.
bool IsBusy(std::size_t rank, const Range& range) {
  for (std::size_t by = 0; by < memories.size(); ++by) {
    for (const Background& task : memories[by].background) {
      const bool there = by <= rank && rank < by + task.blocks;
      if (there && task.product && task.product->sums.Overlaps(range)) return true;
    }
  }
  return false;
}

TensorMemory& Own() { return memories[CurrentBlock()]; }
std::size_t OwnThread() { return CurrentThread() % threads_of_each; }
Reader& OwnReader() { return Own().readers[OwnThread()]; }

bool HasFenced() {
  if (OwnReader().waited) Fail("tensor memory was used without a fence after the thread had waited");
  return !OwnReader().waited;
}

// What the threads of a warp bring, which has to be the same.
struct Ask {
  void* where = nullptr;
  unsigned address = 0, count = 0, blocks = 1;
};
bool AskTheSame(void* const (&all)[kWarp], bool of_the_same_place) {
  const Ask& first = *static_cast<const Ask*>(all[0]);
  return std::all_of(std::begin(all), std::end(all), [&](const void* one) {
    const Ask& own = *static_cast<const Ask*>(one);
    return own.address == first.address && own.count == first.count &&
           (!of_the_same_place || own.where == first.where);
  });
}

// The last that are free, so that no kernel takes their number for 0.
void AllocateTogether(void* const (&all)[kWarp]) {
  const Ask& asked = *static_cast<const Ask*>(all[0]);
  TensorMemory& own = Own();
  if (!AskTheSame(all, true)) return Fail("the threads of a warp allocate different columns");
  if (own.blocks != 0) return Fail("tensor memory is allocated after the permit was given back");
  own.blocks = asked.blocks;
  if (!std::has_single_bit(asked.count) || asked.count < kLeastColumns || asked.count > kColumns) {
    return Fail("tensor memory of a number of columns that none has");
  }
  const Range range{kColumns - asked.count, asked.count};
  const auto place = PlaceInBlock(asked.where, sizeof range.first);
  if (!place) return;
  own.cells.assign(std::size_t{kLanes} * kColumns, kNothing);
  own.allocated = range;
  WriteShared(CurrentBlock(), *place, &range.first, sizeof range.first);
}

void FreeTogether(void* const (&all)[kWarp]) {
  const Ask& asked = *static_cast<const Ask*>(all[0]);
  if (!AskTheSame(all, true)) return Fail("the threads of a warp free different columns");
  TensorMemory& own = Own();
  const Range range{asked.address, asked.count};
  if (own.allocated != range) return Fail("tensor memory is freed that was not allocated");
  own.allocated.reset();
  if (asked.blocks != own.blocks)
    Fail("tensor memory of a pair is freed by one block, or the other way round");
  for (std::size_t rank = 0; rank < memories.size(); ++rank) {
    if (rank != CurrentBlock() && own.blocks == 1) continue;
    if (IsBusy(rank, range) || memories[rank].IsRead(range)) Fail("tensor memory is freed while it is used");
    if (own.blocks > 1 && memories[rank].used) Fail("tensor memory of a pair is freed before both have met");
  }
}

void LoadTogether(void* const (&all)[kWarp]) {
  const Ask& asked = *static_cast<const Ask*>(all[0]);
  if (!AskTheSame(all, false)) return Fail("the threads of a warp load different columns");
  const std::size_t first_thread = OwnThread() / kWarp * kWarp;
  const std::size_t lane = first_thread / kWarp % kWarpsOfLanes * kLanesOfWarp;
  if (asked.address >> 16U != lane) return Fail("a warp loads lanes that are not its own");
  TensorMemory& own = Own();
  const Range range{asked.address & 0xffffU, kColumnsLoaded};
  if (!own.IsAllocated(range)) return Fail("tensor memory is loaded from that was not allocated");
  if (IsBusy(CurrentBlock(), range))
    return Fail("sums were loaded before their products were known to have ended");
  own.used = true;
  for (std::size_t i = 0; i < kWarp; ++i) {
    Loaded load{static_cast<std::uint32_t*>(static_cast<const Ask*>(all[i])->where), {}, range};
    const auto from = own.cells.begin() + static_cast<std::ptrdiff_t>((lane + i) * kColumns + range.first);
    std::copy_n(from, kColumnsLoaded, load.values.begin());
    std::fill_n(load.registers, kColumnsLoaded, kNothing);
    own.readers[first_thread + i].loads.push_back(load);
  }
}

// So many rows of each of the blocks, one after the other.
Bytes ReadParts(std::size_t first_block, unsigned blocks, std::uint64_t descriptor, unsigned rows) {
  Bytes all;
  for (unsigned i = 0; i < blocks; ++i) {
    const Bytes part = ReadRows(first_block + i, DecodeMatrix(descriptor), 0, rows);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// Each block has a part of A and of B, and the rows of its own part of A.
void Finish(std::size_t first_block, unsigned blocks, const TensorProduct& product) {
  const unsigned columns = product.sums.count;
  if (ReadParts(first_block, blocks, product.a, kLanes) != product.of_a ||
      ReadParts(first_block, blocks, product.b, columns / blocks) != product.of_b) {
    Fail("an operand in shared memory changed before its product was known to have ended");
  }
  const std::size_t rows = std::size_t{kLanes} * blocks;
  std::vector<std::uint32_t> sums(rows * columns, 0);
  const auto row_of = [&](std::size_t row) {
    return memories[first_block + row / kLanes].cells.begin() +
           static_cast<std::ptrdiff_t>(row % kLanes * kColumns + product.sums.first);
  };
  const auto sums_of = [&](std::size_t row) {
    return sums.begin() + static_cast<std::ptrdiff_t>(row * columns);
  };
  for (std::size_t row = 0; product.adds && row < rows; ++row)
    std::copy_n(row_of(row), columns, sums_of(row));
  product.add(product.of_a.data(), product.of_b.data(), static_cast<unsigned>(rows), columns, sums.data());
  for (std::size_t row = 0; row < rows; ++row) std::copy_n(sums_of(row), columns, row_of(row));
}

}  // namespace

void AllocateColumnsTo(void* address, unsigned count, unsigned blocks) {
  Ask asked{address, 0, count, blocks};
  Meet(&asked, AllocateTogether);
}
void FreeColumnsFrom(unsigned address, unsigned count, unsigned blocks) {
  Ask asked{nullptr, address, count, blocks};
  Meet(&asked, FreeTogether);
}
void LoadColumnsTo(void* registers, unsigned address) {
  if (!HasFenced()) return;
  Ask asked{registers, address, kColumnsLoaded};
  Meet(&asked, LoadTogether);
}
void WaitForColumns() {
  for (Loaded& load : OwnReader().loads) {
    if (load.registers != nullptr) std::copy(load.values.begin(), load.values.end(), load.registers);
    load.registers = nullptr;
  }
}

void MultiplyInTensorMemory(TensorKind kind, const TensorOperands& operands, unsigned instruction,
                            unsigned blocks) {
  if (Failed() || !HasFenced()) return;
  const auto decoded = DecodeInstruction(instruction);
  if (!decoded) return Fail("an instruction descriptor has bits that no kernel here needs");
  const Adder add = AdderOf(kind, *decoded);
  if (add == nullptr) return Fail("an instruction descriptor has types that its kind has not");
  if (decoded->rows != kLanes * blocks || decoded->columns % 16 != 0 || decoded->columns == 0 ||
      decoded->columns > 256) {
    return Fail("a product of a size that no instruction has");
  }
  const std::size_t first = CurrentBlock();
  if (first % blocks != 0 || first + blocks > memories.size())
    return Fail("a product of a pair by its second block");
  const Range sums{operands.d & 0xffffU, decoded->columns};
  for (std::size_t rank = first; rank < first + blocks; ++rank) {
    TensorMemory& memory = memories[rank];
    memory.used = true;
    if (operands.d >> 16U != 0 || !memory.IsAllocated(sums) || memory.blocks != blocks) {
      return Fail("a product into columns that were not allocated for it");
    }
    if (memory.IsRead(sums)) return Fail("a product into columns that a thread may still be loading");
  }
  Bytes of_a = ReadParts(first, blocks, operands.a, kLanes);
  Bytes of_b = ReadParts(first, blocks, operands.b, sums.count / blocks);
  Own().background.push_back({blocks, TensorProduct{sums, operands.a, operands.b, std::move(of_a),
                                                    std::move(of_b), add, operands.adds}});
}

void ArriveAfterProductsAt(const void* barrier, unsigned blocks) {
  const auto place = PlaceInBlock(barrier, sizeof(std::uint64_t));
  if (place) Own().background.push_back({blocks, std::nullopt, *place});
}

void FenceBeforeOthersGoOn() {
  std::erase_if(OwnReader().loads, [](const Loaded& load) { return load.registers == nullptr; });
}
void FenceAfterWaiting() { OwnReader().waited = false; }
void HasWaited() { OwnReader().waited = true; }
void ClusterHasMet() {
  for (TensorMemory& memory : memories) memory.used = false;
}

// Arrivals whose products have ended come in any order.
bool FinishProducts(Order order) {
  const auto is_arrival = [](const Background& task) { return !task.product; };
  for (std::size_t rank = 0; rank < memories.size(); ++rank) {
    auto& tasks = memories[rank].background;
    const auto first = std::find_if(tasks.begin(), tasks.end(), is_arrival);
    if (first == tasks.end()) continue;
    const auto chosen =
        order == Order::kForward ? first : std::find_if(tasks.rbegin(), tasks.rend(), is_arrival).base() - 1;
    for (auto task = tasks.begin(); task != chosen; ++task) {
      if (task->product && !Failed()) Finish(rank, task->blocks, *task->product);
    }
    const std::size_t barrier = chosen->barrier, end = rank + chosen->blocks;
    tasks.erase(std::remove_if(tasks.begin(), chosen, std::not_fn(is_arrival)), chosen + 1);
    for (std::size_t at = rank; at < end; ++at) ArriveInBackground(at, barrier);
    return true;
  }
  return false;
}

void ClearTensorMemory(std::size_t blocks, std::size_t threads_of_block) {
  memories.assign(blocks, {});
  threads_of_each = threads_of_block;
  for (TensorMemory& memory : memories) memory.readers.resize(threads_of_block);
}

void CheckTensorMemory() {
  for (const TensorMemory& memory : memories) {
    if (!memory.background.empty()) Fail("a product is on its way in a block that has ended");
    if (memory.allocated) Fail("a block has ended with tensor memory that it did not free");
  }
}

}  // namespace emulation
