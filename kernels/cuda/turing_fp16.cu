// SPDX-License-Identifier: MIT
// Products and chains of fp16 by Turing's matrix units.
#include "kernels/cuda/gemm_turing.cuh"

namespace {
MATRIX_TYPE(Fp16, 16, float, MultiplyFp16Turing)
MATRIX_TYPE_IN_FP16(Fp16Half, MultiplyFp16HalfTuring)
}  // namespace

TURING_GEMM(turing_fp16_128, Large, Fp16)
TURING_GEMM(turing_fp16_64, Small, Fp16)
MATRIX_CHAIN(chain_turing_fp16, Fp16)
TURING_GEMM(turing_fp16_fp16_128, Large, Fp16Half)
