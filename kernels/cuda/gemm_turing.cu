// SPDX-License-Identifier: MIT
// C = A * B with the matrix units of Turing (sm_75), which take 16 bytes of k: gemm_mma.cuh with its instructions made
// of several, and without cp.async: a thread keeps its part of the next tiles in registers while it multiplies, two
// stages in shared memory. Newer chips run gemm_mma.cuh.

#include "kernels/cuda/carried.cuh"
#include "kernels/cuda/gemm_mma.cuh"

namespace {

template <class S, class T>
DEVICE void GemmOfTuring(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  const Place<S, T> place(a, b, m, n, k);
  unsigned char* shared = SharedMemory();
  const unsigned steps = place.Steps();
  Carried<S::kM, S::kThreads> next_a;
  Carried<S::kN, S::kThreads> next_b;
  const auto fetch = [&](unsigned step) {
    next_a.Fetch(place.from_a + static_cast<size_t>(step) * kRowBytes, place.stride);
    next_b.Fetch(place.from_b + static_cast<size_t>(step) * kRowBytes, place.stride);
  };
  const auto stage = [&](unsigned step) { return shared + step % 2 * S::kStageBytes; };
  const auto store = [&](unsigned step) {
    next_a.Store(stage(step), Offset);
    next_b.Store(stage(step) + S::kM * kRowBytes, Offset);
  };
  typename T::Fragment sum[S::kWarpM / 16][S::kWarpN / 8] = {};
  fetch(0);
  store(0);
  __syncthreads();
  for (unsigned step = 0; step < steps; ++step) {
    const bool more = step + 1 < steps;
    if (more) fetch(step + 1);
#pragma unroll
    for (unsigned half = 0; half < kPieces / 2; ++half) {
      Operands<S> operands;
      operands.Load(stage(step), half, place.warp_row, place.warp_column);
      Multiply<S, T>(operands, sum);
    }
    if (more) store(step + 1);  // where everyone has done with the step before this one
    __syncthreads();
  }
  StoreTile(c, n, place, sum);
}

// 16 x 8 x 32 bytes of Turing's instructions; fragments as gemm_mma.cuh has them: of A's registers the first two are
// the first 16 bytes of the upper and the lower eight rows.
DEVICE void MultiplyFp16Turing(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  MultiplyFp16Deep8(d, {a[0], a[1]}, b[0]);
  MultiplyFp16Deep8(d, {a[2], a[3]}, b[1]);
}
DEVICE void MultiplyFp16HalfTuring(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
  MultiplyFp16HalfDeep8(d, {a[0], a[1]}, b[0]);
  MultiplyFp16HalfDeep8(d, {a[2], a[3]}, b[1]);
}
DEVICE void MultiplyInt8Turing(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  int upper[2] = {d[0], d[1]}, lower[2] = {d[2], d[3]};
  MultiplyInt8Deep16(upper, a[0], b[0]);
  MultiplyInt8Deep16(lower, a[1], b[0]);
  MultiplyInt8Deep16(upper, a[2], b[1]);
  MultiplyInt8Deep16(lower, a[3], b[1]);
  d[0] = upper[0], d[1] = upper[1], d[2] = lower[0], d[3] = lower[1];
}

#define TURING_GEMM(name, S, T)                                                                               \
  KERNEL __launch_bounds__(S::kThreads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                             T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    GemmOfTuring<S, T>(a, b, c, m, n, k);                                                                     \
  }

}  // namespace

namespace {
MATRIX_TYPE(Type, BITS, SUM, MULTIPLY)
#ifdef MULTIPLY_HALF
MATRIX_TYPE_IN_FP16(TypeInFp16, MULTIPLY_HALF)
#endif
}  // namespace

TURING_GEMM(MODULE##_128, Large, Type)
TURING_GEMM(MODULE##_64, Small, Type)
MATRIX_CHAIN(chain_##MODULE, Type)
#ifdef MULTIPLY_HALF
TURING_GEMM(MODULE##_fp16_128, Large, TypeInFp16)
#endif
