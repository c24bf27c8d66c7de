// SPDX-License-Identifier: MIT
// What the kernels need of the hardware, one function an instruction. Compiled by nvcc or clang it is PTX; without
// either a host emulation of the same functions has been included before (tests/kernels/cuda/emulation.h).
#pragma once

#if defined(__CUDACC__)

#define DEVICE __device__ __forceinline__
#define KERNEL extern "C" __global__ void

// Dynamic shared memory of the block.
DEVICE unsigned char* SharedMemory() {
  extern __shared__ __align__(1024) unsigned char memory[];
  return memory;
}

DEVICE unsigned SharedAddress(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

DEVICE void StoreShared(void* to, unsigned word) { *static_cast<unsigned*>(to) = word; }

DEVICE float FloatOfHalf(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

// 16 bytes from global to shared memory, in the background.
DEVICE void CopyAsync(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SharedAddress(to)), "l"(from) : "memory");
}
DEVICE void CommitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until at most kPending of this thread's committed groups are unfinished.
template <int kPending>
DEVICE void WaitCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// Four matrices of 8 rows of 16 bytes: lane l names row l % 8 of matrix l / 8 and gets of every matrix 4 bytes, of
// row l / 4 at 4 * (l % 4).
DEVICE void LoadMatrices(unsigned (&out)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(SharedAddress(row))
               : "memory");
}

// D = A * B + D of one warp: A is 16 rows, B 8 columns, both 32 bytes deep. Fragments as PTX ISA, "Matrix
// multiply-accumulate operation using mma instruction", has them.
#define MMA_FP32(name, shape, types)                                                                         \
  DEVICE void name(float(&d)[4], const unsigned(&a)[4], const unsigned(&b)[2]) {                             \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." types ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, " \
                 "{%8, %9}, {%0, %1, %2, %3};"                                                               \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                        \
  }
// Turing's, of 16 bytes of k: 16 x 8, of int8 8 x 8.
#if __CUDA_ARCH__ >= 750
DEVICE void MultiplyFp16Deep8(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}
DEVICE void MultiplyFp16HalfDeep8(unsigned (&d)[2], const unsigned (&a)[2], unsigned b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}
DEVICE void MultiplyInt8Deep16(int (&d)[2], unsigned a, unsigned b) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a), "r"(b));
}
#endif
#if __CUDA_ARCH__ >= 800
MMA_FP32(MultiplyFp16, "m16n8k16", "f16.f16")
MMA_FP32(MultiplyBf16, "m16n8k16", "bf16.bf16")
MMA_FP32(MultiplyTf32, "m16n8k8", "tf32.tf32")
DEVICE void MultiplyInt8(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// Two numbers a register.
DEVICE void MultiplyFp16Half(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif
// Block-scaled: the threads that PTX ISA, "Block Scaling", names for selectors of 0 bring the scales of their rows of A
// (lanes 4 r and 4 r + 1 of rows r and r + 8) and columns of B (lane 4 c): of fp8 the low byte, as ue8m0, for all of
// k; of fp4 four bytes, as ue4m3, for a quarter each.
#define MMA_SCALED(name, shape, kind, types, scales)                                                            \
  DEVICE void name(float(&d)[4], const unsigned(&a)[4], const unsigned(&b)[2], unsigned scale_a, unsigned scale_b) { \
    asm volatile("mma.sync.aligned." shape ".row.col." kind ".f32." types ".f32." scales                        \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {0, 0}, {%11}, {0, 0};" \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(scale_a), "r"(scale_b)); \
  }
#if __CUDA_ARCH__ >= 1200
MMA_SCALED(MultiplyFp8Scaled, "m16n8k32", "kind::mxf8f6f4.block_scale.scale_vec::1X", "e4m3.e4m3", "ue8m0")
MMA_SCALED(MultiplyFp4Scaled, "m16n8k64", "kind::mxf4nvf4.block_scale.scale_vec::4X", "e2m1.e2m1", "ue4m3")
#endif
#undef MMA_SCALED
#if __CUDA_ARCH__ >= 890
MMA_FP32(MultiplyFp8, "m16n8k32", "e4m3.e4m3")
#endif
#undef MMA_FP32

#endif  // __CUDACC__
