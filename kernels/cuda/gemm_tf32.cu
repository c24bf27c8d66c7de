// SPDX-License-Identifier: MIT
// Products and chains of tf32 by matrix units.
#include "kernels/cuda/gemm_mma.cuh"

namespace {
MATRIX_TYPE(Tf32, 32, float, MultiplyTf32)
}  // namespace

MATRIX_GEMM(gemm_tf32_128, Large, Tf32)
MATRIX_GEMM(gemm_tf32_64, Small, Tf32)
MATRIX_CHAIN(chain_tf32, Tf32)
