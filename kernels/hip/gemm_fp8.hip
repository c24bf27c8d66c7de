// SPDX-License-Identifier: MIT
// Products and chains of fp8 as the Open Compute Project has it (gfx950, gfx12) by matrix instructions.
#include "kernels/hip/gemm_matrix.hip.h"

MATRIX_GEMM(gemm_fp8_128, 128, Fp8)
MATRIX_GEMM(gemm_fp8_64, 64, Fp8)
MATRIX_CHAIN(chain_fp8, Fp8)
