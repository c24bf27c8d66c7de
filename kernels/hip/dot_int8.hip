// SPDX-License-Identifier: MIT
// Products of int8 by dot products of registers.
#include "kernels/hip/gemm_dot.hip.h"

MATRIX_GEMM(gemm_int8_128, 128, Int8)
MATRIX_GEMM(gemm_int8_64, 64, Int8)
