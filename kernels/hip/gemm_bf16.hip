// SPDX-License-Identifier: MIT
// Products and chains of bf16 by matrix instructions.
#include "kernels/hip/gemm_matrix.hip.h"

MATRIX_GEMM(gemm_bf16_128, 128, Bf16)
MATRIX_GEMM(gemm_bf16_64, 64, Bf16)
MATRIX_CHAIN(chain_bf16, Bf16)
