// SPDX-License-Identifier: MIT
// Copies of boxes of a matrix (TMA), the barriers that count their bytes, clusters, and registers that pass from
// warpgroup to warpgroup, which Hopper and later chips have, one function an instruction: PTX ISA, "mbarrier",
// "cp.async.bulk.tensor", "barrier.cluster", "setmaxnreg". Without nvcc the host emulation has them
// (tests/kernels/cuda/cluster.h).
#pragma once

#include "kernels/cuda/device.cuh"

#if defined(__CUDACC__)

// CUtensorMap, which the driver writes.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};
using Barrier = unsigned long long;
#define PAIR_OF_BLOCKS __cluster_dims__(2, 1, 1)

#if __CUDA_ARCH__ >= 900

DEVICE unsigned BlockOfCluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// Until every thread of the cluster is here; what they did before, all of them see.
DEVICE void SynchronizeCluster() {
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

// A barrier's phases end when `arrivals` have come and as many bytes as were expected.
DEVICE void InitBarrier(Barrier* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SharedAddress(barrier)), "r"(arrivals) : "memory");
}
// Those that this thread has begun are there for the cluster and for copies, once the cluster has been synchronized.
DEVICE void FenceBarriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
// Arrives, and expects bytes in this phase.
DEVICE void ArriveExpecting(Barrier* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SharedAddress(barrier)), "r"(bytes) : "memory");
}
DEVICE void Arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SharedAddress(barrier)) : "memory");
}
// At the same barrier of a block of the cluster.
DEVICE void ArriveAt(Barrier* barrier, unsigned block) {
  asm volatile("{.reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;\n\t"
               "mbarrier.arrive.shared::cluster.b64 _, [remote];}" ::"r"(SharedAddress(barrier)), "r"(block)
               : "memory");
}
// The same with bytes that are expected there.
DEVICE void ArriveExpectingAt(Barrier* barrier, unsigned block, unsigned bytes) {
  asm volatile("{.reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;\n\t"
               "mbarrier.arrive.expect_tx.shared::cluster.b64 _, [remote], %2;}" ::"r"(SharedAddress(barrier)), "r"(block),
               "r"(bytes)
               : "memory");
}
// Until the phase of that parity (0 or 1) has ended. Of a new barrier the one before the first, of parity 1, has.
DEVICE void WaitPhase(Barrier* barrier, unsigned parity) {
  asm volatile("{.reg .pred ended;\n\tagain:\n\tmbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n\t"
               "@ended bra done;\n\tbra again;\n\tdone:\n\t}" ::"r"(SharedAddress(barrier)), "r"(parity) : "memory");
}

// What this thread wrote to shared memory before is there for those that read it by another proxy: copies, and the
// instructions that multiply what descriptors say.
DEVICE void FenceAsyncProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// One thread has a box copied in the background, from that byte of that row on; its bytes count at the barrier.
DEVICE void CopyBox(void* to, const TensorMap& map, Barrier* barrier, unsigned byte, unsigned row) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
                   "r"(SharedAddress(to)), "l"(&map), "r"(SharedAddress(barrier)), "r"(byte), "r"(row)
               : "memory");
}
// To the same place of every block of the cluster that has its bit in `blocks`, counting at the same barrier of each.
DEVICE void CopyBoxToBlocks(void* to, const TensorMap& map, Barrier* barrier, unsigned byte, unsigned row,
                            unsigned short blocks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(SharedAddress(to)), "l"(&map), "r"(SharedAddress(barrier)), "r"(byte),
               "r"(row), "h"(blocks)
               : "memory");
}

// By all of a warpgroup: from here on each of its threads has so many registers. More are taken from those that other
// warpgroups of the block have given back, and waited for.
template <unsigned kCount>
DEVICE void GiveRegistersBack() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}
template <unsigned kCount>
DEVICE void TakeRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

#endif  // __CUDA_ARCH__
#endif  // __CUDACC__
