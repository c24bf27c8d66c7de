// SPDX-License-Identifier: MIT
// Products and chains of fp8 by matrix units.
#include "kernels/cuda/gemm_mma.cuh"

namespace {
MATRIX_TYPE(Fp8, 8, float, MultiplyFp8)
}  // namespace

MATRIX_GEMM(gemm_fp8_128, Large, Fp8)
MATRIX_GEMM(gemm_fp8_64, Small, Fp8)
MATRIX_CHAIN(chain_fp8, Fp8)
