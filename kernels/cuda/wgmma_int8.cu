// SPDX-License-Identifier: MIT
// Products and chains of int8 by Hopper's warpgroups.
#include "kernels/cuda/gemm_wgmma.cuh"

namespace {
WARPGROUP_TYPE(Int8, 8, int, MultiplyAsyncInt8)
}  // namespace

WARPGROUP_GEMM(wgmma_int8_256, Large, Int8)
WARPGROUP_GEMM(wgmma_int8_128, Small, Int8)
WARPGROUP_CHAIN(chain_wgmma_int8, Int8)
