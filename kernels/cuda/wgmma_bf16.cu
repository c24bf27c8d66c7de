// SPDX-License-Identifier: MIT
// Products and chains of bf16 by Hopper's warpgroups.
#include "kernels/cuda/gemm_wgmma.cuh"

namespace {
WARPGROUP_TYPE(Bf16, 16, float, MultiplyAsyncBf16)
}  // namespace

WARPGROUP_GEMM(wgmma_bf16_256, Large, Bf16)
WARPGROUP_GEMM(wgmma_bf16_128, Small, Bf16)
WARPGROUP_CHAIN(chain_wgmma_bf16, Bf16)
