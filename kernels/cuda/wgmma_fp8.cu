// SPDX-License-Identifier: MIT
// Products and chains of fp8 by Hopper's warpgroups.
#include "kernels/cuda/gemm_wgmma.cuh"

namespace {
WARPGROUP_TYPE(Fp8, 8, float, MultiplyAsyncFp8)
}  // namespace

WARPGROUP_GEMM(wgmma_fp8_256, Large, Fp8)
WARPGROUP_GEMM(wgmma_fp8_128, Small, Fp8)
WARPGROUP_CHAIN(chain_wgmma_fp8, Fp8)
