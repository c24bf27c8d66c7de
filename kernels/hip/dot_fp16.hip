// SPDX-License-Identifier: MIT
// Products of fp16 by dot products of registers.
#include "kernels/hip/gemm_dot.hip.h"

MATRIX_GEMM(gemm_fp16_128, 128, Fp16)
MATRIX_GEMM(gemm_fp16_64, 64, Fp16)
