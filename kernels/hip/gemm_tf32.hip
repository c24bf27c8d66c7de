// SPDX-License-Identifier: MIT
// Products and chains of tf32 (AMD's xf32) by matrix instructions.
#include "kernels/hip/gemm_matrix.hip.h"

MATRIX_GEMM(gemm_tf32_128, 128, Tf32)
MATRIX_GEMM(gemm_tf32_64, 64, Tf32)
MATRIX_CHAIN(chain_tf32, Tf32)
