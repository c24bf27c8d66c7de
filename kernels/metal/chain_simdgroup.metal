// SPDX-License-Identifier: MIT
// The rate of the matrix instructions of simdgroups without memory: every simdgroup has kChains sums of 8 x 8, to each of
// which a product of ones is added k times. The sums begin and end in `out`, 64 numbers a matrix.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint kLanes = 32;
constant constexpr uint kSimdgroups = 4;  // of a group
constant constexpr uint kChains = 8;
constant constexpr uint kNumbers = 64;  // of a matrix

template <typename In>
inline void Chain(device float* out, uint k, In one, uint simdgroup, uint lane) {
  device float* own = out + ulong(simdgroup) * kChains * kNumbers;
  for (uint i = lane; i < kChains * kNumbers; i += kLanes) own[i] = float(i % 8);
  simdgroup_barrier(mem_flags::mem_device);  // every lane's numbers
  simdgroup_matrix<float, 8, 8> sum[kChains];
#pragma unroll
  for (uint c = 0; c < kChains; ++c) simdgroup_load(sum[c], own + c * kNumbers, 8);
  const simdgroup_matrix<In, 8, 8> ones = make_filled_simdgroup_matrix<In, 8>(one);
  for (uint step = 0; step < k; ++step) {
#pragma unroll
    for (uint c = 0; c < kChains; ++c) simdgroup_multiply_accumulate(sum[c], ones, ones, sum[c]);
  }
#pragma unroll
  for (uint c = 0; c < kChains; ++c) simdgroup_store(sum[c], own + c * kNumbers, 8);
}

#define CHAIN(name, type, one)                                                                                \
  kernel void name(device float* out [[buffer(0)]], constant uint& k [[buffer(1)]],                           \
                   constant uint& word [[buffer(2)]], uint group [[threadgroup_position_in_grid]],            \
                   uint simdgroup [[simdgroup_index_in_threadgroup]],                                         \
                   uint lane [[thread_index_in_simdgroup]]) {                                                 \
    Chain<type>(out, k, one, group * kSimdgroups + simdgroup, lane);                                          \
  }
CHAIN(chain_simdgroup_fp32, float, as_type<float>(word))
CHAIN(chain_simdgroup_fp16, half, as_type<half2>(word).x)
#if __METAL_VERSION__ >= 310
CHAIN(chain_simdgroup_bf16, bfloat, as_type<bfloat2>(word).x)
#endif
