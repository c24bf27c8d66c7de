// SPDX-License-Identifier: MIT
// Products and chains of fp8 by the block-scaled instructions of Blackwell's GeForce chips (sm_120, sm_121), every
// scale being 1. Unscaled ones add up in fp32 at half of the rate there.
#include "kernels/cuda/gemm_mma.cuh"

namespace {
constexpr unsigned kOnes = 0x7f7f7f7f;  // scales
DEVICE void Multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  MultiplyFp8Scaled(d, a, b, kOnes, kOnes);
}
MATRIX_TYPE(Fp8, 8, float, ::Multiply)
}  // namespace

MATRIX_GEMM(scaled_fp8_128, Large, Fp8)
MATRIX_GEMM(scaled_fp8_64, Small, Fp8)
MATRIX_CHAIN(chain_scaled_fp8, Fp8)
