// SPDX-License-Identifier: MIT
// Products and chains of fp16 by matrix units.
#include "kernels/cuda/gemm_mma.cuh"

namespace {
MATRIX_TYPE(Fp16, 16, float, MultiplyFp16)
MATRIX_TYPE_IN_FP16(Fp16Half, MultiplyFp16Half)
}  // namespace

MATRIX_GEMM(gemm_fp16_128, Large, Fp16)
MATRIX_GEMM(gemm_fp16_64, Small, Fp16)
MATRIX_CHAIN(chain_fp16, Fp16)
MATRIX_GEMM(gemm_fp16_fp16_128, Large, Fp16Half)
