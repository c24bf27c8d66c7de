// SPDX-License-Identifier: MIT
// Products and chains of int8 by matrix units.
#include "kernels/cuda/gemm_mma.cuh"

namespace {
MATRIX_TYPE(Int8, 8, int, MultiplyInt8)
}  // namespace

MATRIX_GEMM(gemm_int8_128, Large, Int8)
MATRIX_GEMM(gemm_int8_64, Small, Int8)
MATRIX_CHAIN(chain_int8, Int8)
