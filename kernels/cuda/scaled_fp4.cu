// SPDX-License-Identifier: MIT
// Products and chains of fp4 (e2m1) by the block-scaled instructions of Blackwell's GeForce chips (sm_120, sm_121),
// every scale being 1. Unscaled ones take as long as those of fp8.
#include "kernels/cuda/gemm_mma.cuh"

namespace {
constexpr unsigned kOnes = 0x38383838;  // scales
DEVICE void Multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  MultiplyFp4Scaled(d, a, b, kOnes, kOnes);
}
MATRIX_TYPE(Fp4, 4, float, ::Multiply)
}  // namespace

MATRIX_GEMM(scaled_fp4_128, Large, Fp4)
MATRIX_GEMM(scaled_fp4_64, Small, Fp4)
MATRIX_CHAIN(chain_scaled_fp4, Fp4)
