// SPDX-License-Identifier: MIT
// Products and chains of one type by matrix units. BITS of an element, SUM of C, MULTIPLY the instruction; MULTIPLY_HALF
// the one whose sums are fp16. SCALED instructions scale blocks, here by 1: SCALES of those without scales take as long
// as those of fp8 (fp4), or add up in fp32 at half of the rate (fp8) on Blackwell's GeForce chips (sm_120, sm_121).
#include "kernels/cuda/gemm_mma.cuh"

namespace {
#ifdef SCALED
constexpr unsigned kScales = SCALES;
DEVICE void MultiplyScaled(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  SCALED(d, a, b, kScales, kScales);
}
#endif
MATRIX_TYPE(Type, BITS, SUM, MULTIPLY)
#ifdef MULTIPLY_HALF
MATRIX_TYPE_IN_FP16(TypeInFp16, MULTIPLY_HALF)
#endif
}  // namespace

MATRIX_GEMM(MODULE##_128, Large, Type)
MATRIX_GEMM(MODULE##_64, Small, Type)
MATRIX_CHAIN(chain_##CHAIN, Type)
#ifdef MULTIPLY_HALF
MATRIX_GEMM(MODULE##_fp16_128, Large, TypeInFp16)
#endif
