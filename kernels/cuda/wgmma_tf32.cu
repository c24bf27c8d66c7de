// SPDX-License-Identifier: MIT
// Products and chains of tf32 by Hopper's warpgroups.
#include "kernels/cuda/gemm_wgmma.cuh"

namespace {
WARPGROUP_TYPE(Tf32, 32, float, MultiplyAsyncTf32)
}  // namespace

WARPGROUP_GEMM(wgmma_tf32_256, Large, Tf32)
WARPGROUP_GEMM(wgmma_tf32_128, Small, Tf32)
WARPGROUP_CHAIN(chain_wgmma_tf32, Tf32)
