// SPDX-License-Identifier: MIT
// Products and chains of fp8 without a negative zero (gfx942) by matrix instructions.
#include "kernels/hip/gemm_matrix.hip.h"

MATRIX_GEMM(gemm_fp8_fnuz_128, 128, Fp8Fnuz)
MATRIX_GEMM(gemm_fp8_fnuz_64, 64, Fp8Fnuz)
MATRIX_CHAIN(chain_fp8_fnuz, Fp8Fnuz)
