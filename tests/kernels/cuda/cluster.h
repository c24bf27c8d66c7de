// SPDX-License-Identifier: MIT
// Hopper's clusters, barriers that count bytes, copies of boxes (TMA) and registers that pass between
// warpgroups on the host, written from PTX ISA 8.0, "mbarrier", "cp.async.bulk.tensor", "barrier.cluster" and
// "setmaxnreg", not from the kernels. Included by emulation.h.
//
// A copy arrives as late as it can: when no thread can run without it, in one order of the threads the oldest
// first, in the other the newest; until then what it writes is NaN. The launch ends at what that text leaves
// undefined: a barrier used before it is there for who uses it, more arrivals or bytes than a phase has, a
// copy or an arrival at a block that has ended, a place that is misaligned for its swizzle, and registers
// that no warpgroup has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace emulation {

enum class Order { kForward, kBackward };

// A matrix as cuTensorMapEncodeTiled describes it: bytes, boxes of kBoxBytes x box_rows, the 128-byte
// swizzle.
struct TensorMap {
  const std::uint8_t* from;
  std::uint64_t rows, row_bytes;
  std::uint32_t box_rows;
};
constexpr unsigned kBoxBytes = 128;

void InitBarrierAt(const void* barrier, unsigned arrivals);
void FenceOwnBarriers();
void ArriveAtBarrier(const void* barrier, unsigned block, unsigned bytes);  // of the cluster
void ArriveInBackground(std::size_t block, std::size_t place);              // of the barrier in it
void WaitForPhase(const void* barrier, unsigned parity);

// To those blocks; bytes count at the barrier of each, or of the first alone.
void StartCopy(void* to, const TensorMap& map, const void* barrier, unsigned byte, unsigned row,
               unsigned blocks, bool counts_at_first = false);
// Has one copy arrive, if there is any on its way.
bool DeliverCopy(Order order);

// To `count` from more, or from fewer.
void GiveBackTo(unsigned count);
void TakeUpTo(unsigned count);

// Before and after a cluster.
void ClearCluster(std::size_t blocks, std::size_t threads_of_block);
void CheckCluster();

}  // namespace emulation
