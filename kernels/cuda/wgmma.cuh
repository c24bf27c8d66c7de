// SPDX-License-Identifier: MIT
// The warpgroup instructions of Hopper (sm_90a), one function each: PTX ISA, "Asynchronous Warpgroup Level Matrix
// Instructions". Without nvcc the host emulation has them (tests/kernels/cuda/warpgroup.h).
#pragma once

#include "kernels/cuda/device.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// The number of this thread's warpgroup, in a register that the compiler knows to be the same in all of a warp.
DEVICE unsigned Warpgroup() { return __shfl_sync(~0U, threadIdx.x / 128, 0); }

// Keeps what the compiler does with these registers on this side.
template <unsigned kCount>
DEVICE void Pin(float (&d)[kCount]) {
#pragma unroll
  for (unsigned i = 0; i < kCount; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <unsigned kCount>
DEVICE void Pin(int (&d)[kCount]) {
#pragma unroll
  for (unsigned i = 0; i < kCount; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

// Before the first product into these registers, and after any other use of them.
template <class Number, unsigned kCount>
DEVICE void FenceRegisters(Number (&d)[kCount]) {
  Pin(d);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
DEVICE void CommitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until at most kPending of the committed groups are unfinished.
template <int kPending>
DEVICE void WaitProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
// Until all are finished; the registers may be read.
template <class Number, unsigned kCount>
DEVICE void FinishProducts(Number (&d)[kCount]) {
  WaitProducts<0>();
  Pin(d);
}

// D += A * B of one warpgroup, in the background: A is 64 rows, B 128 or 256 columns, both 32 bytes deep, K-major in
// shared memory as their descriptors say. A thread has of D as many numbers as half of the columns.
#define NAMES_64                                                                                                  \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23," \
  "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45," \
  "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_128                                                                                                   \
  NAMES_64                                                                                                          \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85," \
  "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106," \
  "%107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124,"     \
  "%125, %126, %127"
#define OPERANDS_8(kind, i)                                                                                \
  kind(d[i]), kind(d[i + 1]), kind(d[i + 2]), kind(d[i + 3]), kind(d[i + 4]), kind(d[i + 5]), kind(d[i + 6]), \
      kind(d[i + 7])
#define OPERANDS_32(kind, i) \
  OPERANDS_8(kind, i), OPERANDS_8(kind, i + 8), OPERANDS_8(kind, i + 16), OPERANDS_8(kind, i + 24)
#define OPERANDS_64(kind) OPERANDS_32(kind, 0), OPERANDS_32(kind, 32)
#define OPERANDS_128(kind) OPERANDS_64(kind), OPERANDS_32(kind, 64), OPERANDS_32(kind, 96)

// `signs`: factors of 1 for A and B, and that neither is transposed, where the type has them.
#define WGMMA(name, number, kind, columns, count, depth, types, a_name, b_name, signs)                         \
  DEVICE void name(number(&d)[count], unsigned long long a, unsigned long long b) {                            \
    asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n" columns "k" depth "." \
                 types " {" NAMES_##count "}, " a_name ", " b_name ", p" signs ";}"                            \
                 : OPERANDS_##count(kind)                                                                      \
                 : "l"(a), "l"(b)                                                                              \
                 : "memory");                                                                                  \
  }
#define WGMMA_BOTH(name, number, kind, depth, types, signs)                              \
  WGMMA(name, number, kind, "128", 64, depth, types, "%64", "%65", signs)                \
  WGMMA(name, number, kind, "256", 128, depth, types, "%128", "%129", signs)
WGMMA_BOTH(MultiplyAsyncFp16, float, "+f", "16", "f32.f16.f16", ", 1, 1, 0, 0")
WGMMA_BOTH(MultiplyAsyncBf16, float, "+f", "16", "f32.bf16.bf16", ", 1, 1, 0, 0")
WGMMA_BOTH(MultiplyAsyncTf32, float, "+f", "8", "f32.tf32.tf32", ", 1, 1")
WGMMA_BOTH(MultiplyAsyncFp8, float, "+f", "32", "f32.e4m3.e4m3", ", 1, 1")
WGMMA_BOTH(MultiplyAsyncInt8, int, "+r", "32", "s32.s8.s8", "")
#undef WGMMA_BOTH
#undef WGMMA
#undef OPERANDS_128
#undef OPERANDS_64
#undef OPERANDS_32
#undef OPERANDS_8
#undef NAMES_128
#undef NAMES_64

#endif  // __CUDA_ARCH_FEAT_SM90_ALL
