// SPDX-License-Identifier: MIT
// Products and chains of fp16 by matrix instructions.
#include "kernels/hip/gemm_matrix.hip.h"

MATRIX_GEMM(gemm_fp16_128, 128, Fp16)
MATRIX_GEMM(gemm_fp16_64, 64, Fp16)
MATRIX_CHAIN(chain_fp16, Fp16)
