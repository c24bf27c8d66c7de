// SPDX-License-Identifier: MIT
// Products and chains of fp32 by matrix instructions.
#include "kernels/hip/gemm_matrix.hip.h"

MATRIX_GEMM(gemm_fp32_matrix_128, 128, Fp32)
MATRIX_GEMM(gemm_fp32_matrix_64, 64, Fp32)
MATRIX_CHAIN(chain_fp32_matrix, Fp32)
