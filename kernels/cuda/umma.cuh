// SPDX-License-Identifier: MIT
// The matrix instructions of the data centre's Blackwell (sm_100, sm_103) and of Thor (sm_110), and tensor memory, which
// holds their sums: 128 lanes of 512 columns of 32 bits, an address of it is lane << 16 | column. One function an
// instruction: PTX ISA, "TensorCore 5th Generation Family Instructions". Without nvcc the host emulation has them
// (tests/kernels/cuda/tensor_memory.h).
#pragma once

#include "kernels/cuda/tma.cuh"

#if defined(__CUDACC__) && __CUDA_ARCH__ >= 1000

// The number of this thread's warp, in a register that the compiler knows to be the same in all of it.
DEVICE unsigned Warp() { return __shfl_sync(~0U, threadIdx.x / 32, 0); }
// True for one thread of a whole warp, of which the compiler then knows that it is alone: else it has a loop around each
// instruction that takes uniform registers.
DEVICE bool IsElected() {
  unsigned elected;
  asm volatile("{.reg .pred it;\n\telect.sync _|it, 0xffffffff;\n\tselp.u32 %0, 1, 0, it;}" : "=r"(elected));
  return elected != 0;
}

// What follows takes kBlocks, 1 or 2, which work together: a product of two, for which the first of a cluster's asks, reads
// both blocks' shared memory, at the same place, and has its upper rows in the one's tensor memory and its lower rows in
// the other's.

// By a warp of each block: so many columns of all lanes, a power of two from 32 on; `address` is in shared memory. Waits
// for other blocks of the multiprocessor to free theirs. None can be allocated by this block afterwards.
template <unsigned kBlocks, unsigned kCount>
DEVICE void AllocateColumns(unsigned* address) {
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 [%0], %1;\n\t"
               "tcgen05.relinquish_alloc_permit.cta_group::%2.sync.aligned;" ::"r"(SharedAddress(address)),
               "n"(kCount), "n"(kBlocks)
               : "memory");
}
// By a warp of each block, once nobody uses them: a block that ends without it keeps them from others.
template <unsigned kBlocks, unsigned kCount>
DEVICE void FreeColumns(unsigned address) {
  asm volatile("tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;" ::"r"(address), "n"(kCount), "n"(kBlocks)
               : "memory");
}

// Before a thread lets others go on, after what it did with tensor memory; and after it waited, before what it does.
DEVICE void FenceBeforeOthers() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
DEVICE void FenceAfterOthers() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

// One arrival at each block's barrier in the background, once all products that this thread has issued have ended.
template <unsigned kBlocks>
DEVICE void ArriveAfterProducts(Barrier* barrier) {
  if constexpr (kBlocks == 1) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(SharedAddress(barrier))
                 : "memory");
  } else {
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::
                     "r"(SharedAddress(barrier)), "h"(static_cast<unsigned short>(3))
                 : "memory");
  }
}

// One thread has a box copied in the background to its own block; its bytes count at the barrier of the pair's first.
DEVICE void CopyBoxOfPair(void* to, const TensorMap& map, Barrier* barrier, unsigned byte, unsigned row) {
  asm volatile("{.reg .b32 first; mapa.shared::cluster.u32 first, %2, 0;\n\t"
               "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], "
               "[%1, {%3, %4}], [first];}" ::"r"(SharedAddress(to)), "l"(&map), "r"(SharedAddress(barrier)), "r"(byte),
               "r"(row)
               : "memory");
}

// By a warp, in the background: 32 columns of the 32 lanes of its number modulo 4, a lane a thread. They are there after
// the wait, which the registers go through, so that no use of them comes before it.
#define OPERANDS_8(kind, i)                                                                                   \
  kind(x[i]), kind(x[i + 1]), kind(x[i + 2]), kind(x[i + 3]), kind(x[i + 4]), kind(x[i + 5]), kind(x[i + 6]), \
      kind(x[i + 7])
#define OPERANDS_32(kind) OPERANDS_8(kind, 0), OPERANDS_8(kind, 8), OPERANDS_8(kind, 16), OPERANDS_8(kind, 24)
#define LOAD_COLUMNS(number, kind)                                                                                  \
  DEVICE void LoadColumns(number(&x)[32], unsigned address) {                                                       \
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "  \
                 "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, " \
                 "[%32];"                                                                                           \
                 : OPERANDS_32("=" kind)                                                                            \
                 : "r"(address)                                                                                     \
                 : "memory");                                                                                       \
  }                                                                                                                 \
  DEVICE void WaitColumns(number(&x)[32]) {                                                                         \
    asm volatile("tcgen05.wait::ld.sync.aligned;" : OPERANDS_32("+" kind) : : "memory");                            \
  }
LOAD_COLUMNS(float, "f")
LOAD_COLUMNS(int, "r")
#undef LOAD_COLUMNS
#undef OPERANDS_32
#undef OPERANDS_8

// One thread has D = A * B, or D += A * B if `adds`, computed in the background, after those that it had asked for
// before: D in tensor memory, A and B 32 bytes deep in shared memory as their descriptors say, `instruction` the types
// and sizes.
#define UMMA(name, type)                                                                                        \
  template <unsigned kBlocks>                                                                                   \
  DEVICE void name(unsigned d, unsigned long long a, unsigned long long b, unsigned instruction, bool adds) {   \
    asm volatile("{.reg .pred adds; setp.ne.u32 adds, %4, 0;\n\t"                                               \
                 "tcgen05.mma.cta_group::%5.kind::" type " [%0], %1, %2, %3, adds;}" ::"r"(d), "l"(a), "l"(b),  \
                 "r"(instruction), "r"(static_cast<unsigned>(adds)), "n"(kBlocks)                               \
                 : "memory");                                                                                   \
  }
UMMA(MultiplyTensorF16, "f16")
UMMA(MultiplyTensorTf32, "tf32")
UMMA(MultiplyTensorF8, "f8f6f4")
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM110_ALL)
UMMA(MultiplyTensorI8, "i8")
#endif
#undef UMMA

#endif  // __CUDACC__
