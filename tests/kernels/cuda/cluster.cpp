// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/cluster.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "tests/kernels/cuda/emulation.h"

namespace emulation {
namespace {

constexpr std::size_t kWarpgroupThreads = 128;
constexpr unsigned kRegistersOfBlock = 65536, kRegisterStep = 8, kLeastRegisters = 24, kMostRegisters = 256;
constexpr std::int64_t kMostBytes = (1 << 20) - 1;  // that a barrier counts
constexpr std::uint64_t kPiece = 16;

struct State {
  unsigned arrivals = 0;  // of a phase
  unsigned missing = 0;   // of them, in this one
  std::int64_t bytes = 0;
  unsigned parity = 0;
  std::size_t maker = 0;
  bool fenced = false;
};

// 16 bytes a piece, and where they go.
struct BoxCopy {
  std::size_t block;
  std::vector<std::pair<std::size_t, std::array<std::uint8_t, kPiece>>> pieces;
  std::size_t bytes;
  std::size_t barrier, barrier_block;  // its place in that block
};

struct Registers {
  std::size_t free = 0;                // of a block
  std::vector<unsigned> of_warpgroup;  // a thread's
};

std::vector<std::map<std::size_t, State>> barriers;  // of each block, by their place in its shared memory
std::deque<BoxCopy> copies;
std::vector<Registers> registers;  // of each block

// Null, and a failure, where it is not there for this thread, or for others if `remote`.
State* Find(std::size_t rank, std::size_t place, bool remote) {
  if (rank >= barriers.size()) return Fail("a block that the cluster has not"), nullptr;
  if (remote && HasEnded(rank)) return Fail("a barrier of a block that has ended"), nullptr;
  const auto found = barriers[rank].find(place);
  if (found == barriers[rank].end()) return Fail("an mbarrier that was not initialised"), nullptr;
  if (remote && !found->second.fenced) {
    return Fail("an mbarrier used from outside without a fence.mbarrier_init"), nullptr;
  }
  return &found->second;
}

void EndIfComplete(State& state) {
  if (state.missing > 0 || state.bytes != 0) return;
  state.missing = state.arrivals;
  state.parity ^= 1U;
  WakeWaiting();
}

void CountBytes(State& state, std::int64_t bytes) {
  state.bytes += bytes;
  if (state.bytes > kMostBytes || state.bytes < -kMostBytes) Fail("more bytes than an mbarrier counts");
}

void ArriveOnce(State& state, unsigned bytes) {
  CountBytes(state, bytes);
  if (state.missing == 0) return Fail("more arrivals than an mbarrier waits for");
  --state.missing;
  EndIfComplete(state);
}

// 128 bytes of one row of the matrix, zero outside of it.
std::array<std::uint8_t, kBoxBytes> RowOf(const TensorMap& map, std::uint64_t byte, std::uint64_t row) {
  std::array<std::uint8_t, kBoxBytes> bytes{};
  if (row >= map.rows || byte >= map.row_bytes) return bytes;
  std::memcpy(bytes.data(), map.from + row * map.row_bytes + byte,
              std::min<std::uint64_t>(kBoxBytes, map.row_bytes - byte));
  return bytes;
}

}  // namespace

void InitBarrierAt(const void* barrier, unsigned arrivals) {
  const auto place = PlaceInBlock(barrier, sizeof(std::uint64_t));
  if (!place) return;
  if (*place % sizeof(std::uint64_t) != 0) return Fail("an mbarrier that is misaligned");
  barriers[CurrentBlock()][*place] = {arrivals, arrivals, 0, 0, CurrentThread(), false};
}

void FenceOwnBarriers() {
  for (auto& [place, state] : barriers[CurrentBlock()]) {
    if (state.maker == CurrentThread()) state.fenced = true;
  }
}

void ArriveAtBarrier(const void* barrier, unsigned rank, unsigned bytes) {
  const auto place = PlaceInBlock(barrier, sizeof(std::uint64_t));
  if (!place) return;
  if (State* state = Find(rank, *place, rank != CurrentBlock())) ArriveOnce(*state, bytes);
}

void ArriveInBackground(std::size_t rank, std::size_t place) {
  if (State* state = Find(rank, place, true)) ArriveOnce(*state, 0);
}

void WaitForPhase(const void* barrier, unsigned parity) {
  const auto place = PlaceInBlock(barrier, sizeof(std::uint64_t));
  if (!place) return;
  if (parity > 1) return Fail("a parity that no phase of an mbarrier has");
  for (;;) {
    const State* state = Find(CurrentBlock(), *place, false);
    if (state == nullptr || state->parity != parity) return HasWaited();
    WaitUntilWoken();
  }
}

void StartCopy(void* to, const TensorMap& map, const void* barrier, unsigned byte, unsigned row,
               unsigned blocks, bool counts_at_first) {
  const std::size_t bytes = std::size_t{map.box_rows} * kBoxBytes;
  const auto place = PlaceInBlock(to, bytes), counts_at = PlaceInBlock(barrier, sizeof(std::uint64_t));
  if (!place || !counts_at) return;
  if (*place % kBoxBytes != 0) return Fail("a box goes to a place that is no multiple of 128 bytes");
  BoxCopy copied{0, {}, bytes, *counts_at, 0};
  for (std::uint64_t i = 0; i < map.box_rows; ++i) {
    const auto from = RowOf(map, byte, row + i);
    for (std::uint64_t piece = 0; piece < kBoxBytes / kPiece; ++piece) {
      // The address bits from 4 on are XORed with those from 7 on.
      const std::uint64_t plain = kSharedBase + *place + i * kBoxBytes + piece * kPiece;
      const std::uint64_t address = plain ^ (plain >> 7U & 7U) << 4U;
      copied.pieces.emplace_back(address - kSharedBase, std::array<std::uint8_t, kPiece>{});
      std::memcpy(copied.pieces.back().second.data(), from.data() + piece * kPiece, kPiece);
    }
  }
  for (std::size_t at = 0; blocks >> at != 0; ++at) {
    if ((blocks >> at & 1U) == 0) continue;
    copied.block = at;
    copied.barrier_block = counts_at_first ? 0 : at;
    if (Find(copied.barrier_block, *counts_at, true) == nullptr) return;
    SpoilShared(at, *place, bytes);
    copies.push_back(copied);
  }
}

bool DeliverCopy(Order order) {
  if (copies.empty()) return false;
  const auto next = order == Order::kForward ? copies.begin() : copies.end() - 1;
  const BoxCopy copied = std::move(*next);
  copies.erase(next);
  if (HasEnded(copied.block)) return Fail("a copy to a block that has ended"), false;
  State* state = Find(copied.barrier_block, copied.barrier, true);
  if (state == nullptr) return false;
  for (const auto& [place, bytes] : copied.pieces)
    WriteShared(copied.block, place, bytes.data(), bytes.size());
  CountBytes(*state, -static_cast<std::int64_t>(copied.bytes));
  EndIfComplete(*state);
  return true;
}

namespace {

// All of the warpgroup ask for the same.
unsigned* OwnRegisters(unsigned count) {
  if (count % kRegisterStep != 0 || count < kLeastRegisters || count > kMostRegisters) {
    return Fail("setmaxnreg of a number that it does not take"), nullptr;
  }
  auto& of_warpgroup = registers[CurrentBlock()].of_warpgroup;
  if (of_warpgroup.empty()) return Fail("setmaxnreg in less than a warpgroup"), nullptr;
  MeetOf(kWarpgroupThreads, &count, [](void* const* all) {
    const auto asked = [&](std::size_t i) { return *static_cast<const unsigned*>(all[i]); };
    for (std::size_t i = 1; i < kWarpgroupThreads; ++i) {
      if (asked(i) != asked(0)) Fail("the threads of a warpgroup ask for different numbers of registers");
    }
  });
  return &of_warpgroup[CurrentThread() / kWarpgroupThreads % of_warpgroup.size()];
}

}  // namespace

void GiveBackTo(unsigned count) {
  unsigned* own = OwnRegisters(count);
  if (own == nullptr || *own == count) return;
  if (*own < count) return Fail("setmaxnreg.dec to more registers than there are");
  registers[CurrentBlock()].free += (*own - count) * kWarpgroupThreads;
  *own = count;
  WakeWaiting();
}

void TakeUpTo(unsigned count) {
  unsigned* own = OwnRegisters(count);
  if (own == nullptr) return;
  if (*own > count) return Fail("setmaxnreg.inc to fewer registers than there are");
  std::size_t& free = registers[CurrentBlock()].free;
  while (*own != count && free < (count - *own) * kWarpgroupThreads) WaitUntilWoken();
  free -= (count - *own) * kWarpgroupThreads;
  *own = count;
}

void ClearCluster(std::size_t blocks, std::size_t threads_of_block) {
  barriers.assign(blocks, {});
  copies.clear();
  const auto each =
      static_cast<unsigned>(kRegistersOfBlock / threads_of_block / kRegisterStep * kRegisterStep);
  registers.assign(blocks, {0, std::vector<unsigned>(threads_of_block / kWarpgroupThreads, each)});
}

void CheckCluster() {
  if (!copies.empty()) Fail("a copy is on its way to a block that has ended");
}

}  // namespace emulation
