// SPDX-License-Identifier: MIT
// Products and chains of bf16 by matrix units.
#include "kernels/cuda/gemm_mma.cuh"

namespace {
MATRIX_TYPE(Bf16, 16, float, MultiplyBf16)
}  // namespace

MATRIX_GEMM(gemm_bf16_128, Large, Bf16)
MATRIX_GEMM(gemm_bf16_64, Small, Bf16)
MATRIX_CHAIN(chain_bf16, Bf16)
