// SPDX-License-Identifier: MIT
// Products and chains of int8 by Turing's matrix units.
#include "kernels/cuda/gemm_turing.cuh"

namespace {
MATRIX_TYPE(Int8, 8, int, MultiplyInt8Turing)
}  // namespace

TURING_GEMM(turing_int8_128, Large, Int8)
TURING_GEMM(turing_int8_64, Small, Int8)
MATRIX_CHAIN(chain_turing_int8, Int8)
