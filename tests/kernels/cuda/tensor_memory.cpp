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

namespace emulation {
namespace {

constexpr unsigned kLanes = 128, kColumns = 512, kLeastColumns = 32;
constexpr unsigned kLanesOfWarp = 32, kWarpsOfLanes = 4;
constexpr std::uint64_t kPieceBytes = 16;
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

// A product, or an arrival at the barrier of that place in the block.
struct Background {
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
  std::vector<Range> allocated;
  bool done_allocating = false;
  std::deque<Background> background;
  std::vector<Reader> readers;  // threads

  [[nodiscard]] bool IsAllocated(const Range& range) const {
    return std::any_of(allocated.begin(), allocated.end(), [&](const Range& own) { return own.Has(range); });
  }
  [[nodiscard]] bool IsBusy(const Range& range) const {
    return std::any_of(background.begin(), background.end(), [&](const Background& task) {
      return task.product && task.product->sums.Overlaps(range);
    });
  }
  [[nodiscard]] bool IsRead(const Range& range) const {
    return std::any_of(readers.begin(), readers.end(), [&](const Reader& reader) {
      return std::any_of(reader.loads.begin(), reader.loads.end(),
                         [&](const Loaded& load) { return load.from.Overlaps(range); });
    });
  }
};
std::vector<TensorMemory> memories;  // of each block
std::size_t threads_of_each = 1;

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
  unsigned address = 0, count = 0;
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
  if (own.done_allocating) return Fail("tensor memory is allocated after the permit was given back");
  own.done_allocating = true;
  if (!std::has_single_bit(asked.count) || asked.count < kLeastColumns || asked.count > kColumns) {
    return Fail("tensor memory of a number of columns that none has");
  }
  const Range range{kColumns - asked.count, asked.count};
  const auto place = PlaceInBlock(asked.where, sizeof range.first);
  if (!place) return;
  own.cells.assign(std::size_t{kLanes} * kColumns, kNothing);
  own.allocated.push_back(range);
  WriteShared(CurrentBlock(), *place, &range.first, sizeof range.first);
}

void FreeTogether(void* const (&all)[kWarp]) {
  const Ask& asked = *static_cast<const Ask*>(all[0]);
  if (!AskTheSame(all, true)) return Fail("the threads of a warp free different columns");
  TensorMemory& own = Own();
  const Range range{asked.address, asked.count};
  if (std::erase(own.allocated, range) == 0) return Fail("tensor memory is freed that was not allocated");
  if (own.IsBusy(range) || own.IsRead(range)) Fail("tensor memory is freed while it is used");
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
  if (own.IsBusy(range)) return Fail("sums were loaded before their products were known to have ended");
  for (std::size_t i = 0; i < kWarp; ++i) {
    Loaded load{static_cast<std::uint32_t*>(static_cast<const Ask*>(all[i])->where), {}, range};
    const auto from = own.cells.begin() + static_cast<std::ptrdiff_t>((lane + i) * kColumns + range.first);
    std::copy_n(from, kColumnsLoaded, load.values.begin());
    std::fill_n(load.registers, kColumnsLoaded, kNothing);
    own.readers[first_thread + i].loads.push_back(load);
  }
}

// PTX ISA, "Instruction descriptor", of the kinds without block scaling: sparsity, saturation, negation,
// transposition and shifts are 0 here.
struct Instruction {
  unsigned sum, a, b, columns, rows;
};
std::optional<Instruction> DecodeInstruction(unsigned bits) {
  constexpr unsigned kFields = 3U << 4U | 7U << 7U | 7U << 10U | 63U << 17U | 31U << 24U;
  if ((bits & ~kFields) != 0) return std::nullopt;
  return Instruction{bits >> 4U & 3U, bits >> 7U & 7U, bits >> 10U & 7U, (bits >> 17U & 63U) * 8,
                     (bits >> 24U & 31U) * 16};
}

// Types that kernels here multiply, by their numbers in the descriptor; A and B are of the same.
Adder AdderOf(TensorKind kind, const Instruction& of) {
  struct Row {
    TensorKind kind;
    unsigned type, sum;
    Adder add;
  };
  constexpr std::array kRows = {
      Row{TensorKind::kF16, 0, 1, AddFp16},  Row{TensorKind::kF16, 1, 1, AddBf16},
      Row{TensorKind::kTf32, 2, 1, AddTf32}, Row{TensorKind::kF8, 0, 1, AddFp8},
      Row{TensorKind::kI8, 1, 2, AddInt8},
  };
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& known) {
    return known.kind == kind && known.type == of.a && known.type == of.b && known.sum == of.sum;
  });
  return row == kRows.end() ? nullptr : row->add;
}

// PTX ISA, "Shared memory descriptor": as Hopper's, with a version of 1 and three bits of swizzle.
MatrixPlace DecodeMatrix(std::uint64_t bits) {
  // None, and the swizzles of 128, 64 and 32 bytes; that of 128 in pieces of 32 no kernel here has.
  constexpr std::array<std::uint64_t, 8> kRowBytes = {16, 0, 128, 0, 64, 0, 32, 0};
  const std::uint64_t unused = BitsOf(bits, 14, 2) | BitsOf(bits, 30, 2) | BitsOf(bits, 52, 9);
  if (unused != 0 || BitsOf(bits, 46, 3) != 1) Fail("a matrix descriptor has bits that mean nothing");
  if (BitsOf(bits, 49, 3) != 0) Fail("a matrix descriptor has a base offset, which no kernel here needs");
  std::uint64_t row_bytes = kRowBytes[BitsOf(bits, 61, 3)];
  if (row_bytes == 0) Fail("a swizzle that no kernel here has"), row_bytes = kPieceBytes;
  return {BitsOf(bits, 0, 14) * kPieceBytes, BitsOf(bits, 16, 14) * kPieceBytes,
          BitsOf(bits, 32, 14) * kPieceBytes, row_bytes};
}
Bytes ReadA(std::uint64_t descriptor) { return ReadRows(DecodeMatrix(descriptor), 0, kLanes); }
Bytes ReadB(std::uint64_t descriptor, unsigned columns) {
  return ReadRows(DecodeMatrix(descriptor), 0, columns);
}

// In the block that it belongs to.
void Finish(TensorMemory& memory, const TensorProduct& product) {
  if (ReadA(product.a) != product.of_a || ReadB(product.b, product.sums.count) != product.of_b) {
    Fail("an operand in shared memory changed before its product was known to have ended");
  }
  const unsigned columns = product.sums.count;
  std::vector<std::uint32_t> sums(std::size_t{kLanes} * columns, 0);
  const auto row_of = [&](unsigned lane) {
    return memory.cells.begin() + static_cast<std::ptrdiff_t>(lane * kColumns + product.sums.first);
  };
  for (unsigned lane = 0; product.adds && lane < kLanes; ++lane) {
    std::copy_n(row_of(lane), columns, sums.begin() + lane * columns);
  }
  product.add(product.of_a.data(), product.of_b.data(), kLanes, columns, sums.data());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    std::copy_n(sums.begin() + lane * columns, columns, row_of(lane));
  }
}

}  // namespace

void AllocateColumnsTo(void* address, unsigned count) {
  Ask asked{address, 0, count};
  Meet(&asked, AllocateTogether);
}
void FreeColumnsFrom(unsigned address, unsigned count) {
  Ask asked{nullptr, address, count};
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

void MultiplyInTensorMemory(TensorKind kind, unsigned d, std::uint64_t a, std::uint64_t b,
                            unsigned instruction, bool adds) {
  if (Failed() || !HasFenced()) return;
  const auto decoded = DecodeInstruction(instruction);
  if (!decoded) return Fail("an instruction descriptor has bits that no kernel here needs");
  const Adder add = AdderOf(kind, *decoded);
  if (add == nullptr) return Fail("an instruction descriptor has types that its kind has not");
  if (decoded->rows != kLanes || decoded->columns % 16 != 0 || decoded->columns == 0 ||
      decoded->columns > 256) {
    return Fail("a product of a size that no instruction has");
  }
  TensorMemory& own = Own();
  const Range sums{d & 0xffffU, decoded->columns};
  if (d >> 16U != 0 || !own.IsAllocated(sums)) return Fail("a product into columns that were not allocated");
  if (own.IsRead(sums)) return Fail("a product into columns that a thread may still be loading");
  own.background.push_back({TensorProduct{sums, a, b, ReadA(a), ReadB(b, sums.count), add, adds}});
}

void ArriveAfterProductsAt(const void* barrier) {
  const auto place = PlaceInBlock(barrier, sizeof(std::uint64_t));
  if (place) Own().background.push_back({std::nullopt, *place});
}

void FenceBeforeOthersGoOn() {
  std::erase_if(OwnReader().loads, [](const Loaded& load) { return load.registers == nullptr; });
}
void FenceAfterWaiting() { OwnReader().waited = false; }
void HasWaited() { OwnReader().waited = true; }

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
      if (task->product && !Failed()) Finish(memories[rank], *task->product);
    }
    const std::size_t barrier = chosen->barrier;
    tasks.erase(std::remove_if(tasks.begin(), chosen, std::not_fn(is_arrival)), chosen + 1);
    ArriveInBackground(rank, barrier);
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
    if (!memory.allocated.empty()) Fail("a block has ended with tensor memory that it did not free");
  }
}

}  // namespace emulation
