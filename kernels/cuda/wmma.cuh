// SPDX-License-Identifier: MIT
// Volta's matrix units (sm_70), one function an instruction: PTX ISA, "Warp-level Matrix Multiply-Accumulate
// Instructions" of wmma. Fragments are opaque. Without nvcc the host emulation has them (tests/kernels/cuda/wmma.h).
#pragma once

#include "kernels/cuda/device.cuh"

#if defined(__CUDACC__)

// 16 x 16 of fp16 in shared memory; of A rows, of B columns lie `stride` numbers apart. Both are multiples of 32 bytes.
#define WMMA_LOAD(name, operand, order)                                                                              \
  DEVICE void name(unsigned(&out)[8], const void* from, unsigned stride) {                                           \
    asm volatile("wmma.load." operand ".sync.aligned." order ".m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}," \
                 "[%8], %9;"                                                                                         \
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3]), "=r"(out[4]), "=r"(out[5]), "=r"(out[6]),  \
                   "=r"(out[7])                                                                                      \
                 : "r"(SharedAddress(from)), "r"(stride)                                                             \
                 : "memory");                                                                                        \
  }
WMMA_LOAD(LoadFragmentA, "a", "row")
WMMA_LOAD(LoadFragmentB, "b", "col")
#undef WMMA_LOAD

// D += A * B.
DEVICE void MultiplyFragments(float (&d)[8], const unsigned (&a)[8], const unsigned (&b)[8]) {
  asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7},"
               "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23},"
               "{%0, %1, %2, %3, %4, %5, %6, %7};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
                 "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}
// To global memory, rows `stride` numbers apart.
DEVICE void StoreFragment(float* to, unsigned stride, const float (&d)[8]) {
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"
               :
               : "l"(to), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7]), "r"(stride)
               : "memory");
}

#endif  // __CUDACC__
