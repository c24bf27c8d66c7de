// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/warpgroup.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "tests/kernels/cuda/emulation.h"

namespace emulation {
namespace {

constexpr unsigned kWarps = 4;           // a warpgroup
constexpr std::size_t kNumberBytes = 4;  // of a register
constexpr unsigned kPieceBytes = 16;

using Bytes = std::vector<std::uint8_t>;

// The accumulators of a thread, by the address of the first.
struct Registers {
  Bytes known;  // what they held when they were last ordered
  Bytes value;  // what the products made of them, while any is unfinished
  unsigned pending = 0;
  bool ordered = false;
};

struct Issued {
  WarpgroupProduct product;  // of the first thread
  Bytes a, b;
  Registers* registers[kWarp];
  void* addresses[kWarp];
};

// What a warp did, to be compared among those of a warpgroup.
using Deed = std::tuple<char, std::uint64_t, std::uint64_t, std::uint64_t>;

struct Warp {
  std::vector<Issued> open;
  std::deque<std::vector<Issued>> groups;  // committed, oldest first
  std::vector<Deed> deeds;
};

std::vector<Warp> warps;
std::vector<std::map<void*, Registers>> registers_of;  // of each thread

Warp& OwnWarp() { return warps[CurrentThread() / kWarp]; }
std::map<void*, Registers>& OfLane(unsigned lane) {
  return registers_of[CurrentThread() / kWarp * kWarp + lane];
}

// Bytes of k that a row of a swizzle atom has, by the mode: none, 128, 64, 32 bytes.
constexpr std::uint64_t kAtomRowBytes[] = {16, 128, 64, 32};

// PTX ISA, "Matrix Descriptor": fields of 16-byte units, the base offset, the swizzle.
MatrixPlace Decode(std::uint64_t bits) {
  if ((BitsOf(bits, 14, 2) | BitsOf(bits, 30, 2) | BitsOf(bits, 46, 3) | BitsOf(bits, 52, 10)) != 0) {
    Fail("a matrix descriptor has bits that mean nothing");
  }
  if (BitsOf(bits, 49, 3) != 0) Fail("a matrix descriptor has a base offset, which no kernel here needs");
  return {BitsOf(bits, 0, 14) * kPieceBytes, BitsOf(bits, 16, 14) * kPieceBytes,
          BitsOf(bits, 32, 14) * kPieceBytes, kAtomRowBytes[BitsOf(bits, 62, 2)]};
}

// Of that warp's rows.
Bytes ReadA(const WarpgroupProduct& product, std::size_t warp) {
  return ReadRows(CurrentBlock(), Decode(product.a), static_cast<unsigned>(warp % kWarps) * kProductRows,
                  kProductRows);
}
Bytes ReadB(const WarpgroupProduct& product) {
  return ReadRows(CurrentBlock(), Decode(product.b), 0, product.columns);
}

std::size_t RegisterBytes(const WarpgroupProduct& product) { return product.columns / 2 * kNumberBytes; }

// One thread's registers go to a product.
Registers* Take(const WarpgroupProduct& product, std::map<void*, Registers>& own) {
  const std::size_t bytes = RegisterBytes(product);
  Registers& registers = own[product.registers];
  if (!registers.ordered) Fail("wgmma.mma_async without a wgmma.fence since its registers were last used");
  if (registers.known.size() != bytes) {
    Fail("wgmma.mma_async into registers of another number than were fenced");
    return &registers;
  }
  if (std::memcmp(registers.known.data(), product.registers, bytes) != 0) {
    Fail("wgmma.mma_async into registers that were changed after wgmma.fence");
  }
  if (registers.pending++ == 0) registers.value = registers.known;
  std::memset(product.registers, kPoison, bytes);
  registers.known.assign(bytes, kPoison);
  return &registers;
}

void IssueTogether(void* const (&all)[kWarp]) {
  const WarpgroupProduct& first = *static_cast<const WarpgroupProduct*>(all[0]);
  Issued issued{first, ReadA(first, CurrentThread() / kWarp), ReadB(first), {}, {}};
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const WarpgroupProduct& own = *static_cast<const WarpgroupProduct*>(all[lane]);
    if (own.a != first.a || own.b != first.b || own.columns != first.columns || own.add != first.add) {
      return Fail("the threads of a warp issue different products");
    }
    issued.registers[lane] = Take(own, OfLane(lane));
    issued.addresses[lane] = own.registers;
  }
  OwnWarp().deeds.emplace_back('m', first.a, first.b, first.columns);
  OwnWarp().open.push_back(std::move(issued));
}

struct Fenced {
  void* registers;
  std::size_t bytes;
};
void FenceTogether(void* const (&all)[kWarp]) {
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    const auto& [address, bytes] = *static_cast<const Fenced*>(all[lane]);
    Registers& registers = OfLane(lane)[address];
    const auto* now = static_cast<const std::uint8_t*>(address);
    if (registers.pending > 0 && !std::equal(registers.known.begin(), registers.known.end(), now)) {
      Fail("registers of an unfinished product were used");
    }
    registers.known.assign(now, now + bytes);
    registers.ordered = true;
  }
  OwnWarp().deeds.emplace_back('f', 0, 0, 0);
}

void CommitTogether(void* const (&)[kWarp]) {
  Warp& warp = OwnWarp();
  warp.groups.push_back(std::move(warp.open));
  warp.open.clear();
  warp.deeds.emplace_back('c', 0, 0, 0);
}

// PTX ISA, "Register Fragments", accumulator D of m64nN: of every 8 columns a thread has two beside each
// other, in row lane / 4 of its warp's 16 and 8 rows below.
std::size_t PlaceOf(unsigned lane, unsigned i, unsigned columns) {
  return std::size_t{lane / 4 + i / 2 % 2 * 8} * columns + i / 4 * 8 + lane % 4 * 2 + i % 2;
}

void Finish(const Issued& issued, std::size_t warp) {
  const WarpgroupProduct& product = issued.product;
  if (ReadA(product, warp) != issued.a || ReadB(product) != issued.b) {
    Fail("an operand in shared memory changed before its product was known to have ended");
  }
  Bytes sums(std::size_t{kProductRows} * product.columns * kNumberBytes);
  const auto exchange = [&](bool out) {
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      for (unsigned i = 0; i < product.columns / 2; ++i) {
        std::uint8_t* own = issued.registers[lane]->value.data() + i * kNumberBytes;
        std::uint8_t* sum = sums.data() + PlaceOf(lane, i, product.columns) * kNumberBytes;
        std::memcpy(out ? own : sum, out ? sum : own, kNumberBytes);
      }
    }
  };
  exchange(false);
  product.add(issued.a.data(), issued.b.data(), kProductRows, product.columns, sums.data());
  exchange(true);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    Registers& registers = *issued.registers[lane];
    if (--registers.pending > 0) continue;
    std::copy(registers.value.begin(), registers.value.end(),
              static_cast<std::uint8_t*>(issued.addresses[lane]));
    registers.known = registers.value;
    registers.ordered = false;
  }
}

// A group is the whole warpgroup's: where it has ended, it has in all of its warps.
void WaitTogether(void* const* all) {
  const unsigned pending = *static_cast<const unsigned*>(all[0]);
  const std::size_t first = CurrentThread() / kWarp / kWarps * kWarps;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    auto& [open, groups, deeds] = warps[first + warp];
    deeds.emplace_back('w', *static_cast<const unsigned*>(all[warp * kWarp]), 0, 0);
    for (; groups.size() > pending; groups.pop_front()) {
      for (const Issued& issued : groups.front()) {
        if (Failed()) return;
        Finish(issued, warp);
      }
    }
  }
}

}  // namespace

void IssueProduct(WarpgroupProduct product) { Meet(&product, IssueTogether); }
void FenceRegistersOf(void* registers, std::size_t bytes) {
  Fenced fenced{registers, bytes};
  Meet(&fenced, FenceTogether);
}
void CommitIssuedProducts() { Meet(nullptr, CommitTogether); }
void WaitForProducts(unsigned pending) {
  if (warps.size() % kWarps != 0) return Fail("wgmma in less than a warpgroup");
  MeetOf(kWarps * kWarp, &pending, WaitTogether);
}

void ClearWarpgroups(std::size_t threads) {
  warps.assign((threads + kWarp - 1) / kWarp, {});
  registers_of.assign(threads, {});
}

void CheckWarpgroups() {
  for (std::size_t i = 0; i < warps.size(); ++i) {
    const std::size_t first = i / kWarps * kWarps;
    if (!warps[i].deeds.empty() && first + kWarps > warps.size()) Fail("wgmma in less than a warpgroup");
    if (warps[i].deeds != warps[first].deeds) Fail("the warps of a warpgroup issue different products");
  }
}

}  // namespace emulation
