// SPDX-License-Identifier: MIT
// Products and chains of fp16 by Hopper's warpgroups.
#include "kernels/cuda/gemm_wgmma.cuh"

namespace {
WARPGROUP_TYPE(Fp16, 16, float, MultiplyAsyncFp16)
}  // namespace

WARPGROUP_GEMM(wgmma_fp16_256, Large, Fp16)
WARPGROUP_GEMM(wgmma_fp16_128, Small, Fp16)
WARPGROUP_CHAIN(chain_wgmma_fp16, Fp16)
