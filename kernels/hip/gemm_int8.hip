// SPDX-License-Identifier: MIT
// Products and chains of int8 by matrix instructions.
#include "kernels/hip/gemm_matrix.hip.h"

MATRIX_GEMM(gemm_int8_128, 128, Int8)
MATRIX_GEMM(gemm_int8_64, 64, Int8)
MATRIX_CHAIN(chain_int8, Int8)
