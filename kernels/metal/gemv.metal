// SPDX-License-Identifier: MIT
// y[m] = W[m x k] * x[k]: a simdgroup of 32 lanes computes kRows rows, so that every number of x that it reads serves them
// all; its lanes read 16 bytes of W beside each other. k is a multiple of 32.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint kLanes = 32;
constant constexpr uint kSimdgroups = 4;  // of a group

inline float Sum(float4 v) { return (v.x + v.y) + (v.z + v.w); }
inline float4 Halves(uint low, uint high) { return float4(as_type<half4>(uint2(low, high))); }

kernel void gemv_fp32(device const float4* w [[buffer(0)]], device const float4* x [[buffer(1)]],
                      device float* y [[buffer(2)]], constant uint& m [[buffer(3)]], constant uint& k [[buffer(4)]],
                      uint group [[threadgroup_position_in_grid]], uint simdgroup [[simdgroup_index_in_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
  const uint row = group * kSimdgroups + simdgroup;
  if (row >= m) return;
  const uint vectors = k / 4;
  device const float4* own = w + ulong(row) * vectors;
  float4 sum = float4(0.0f);
  for (uint i = lane; i < vectors; i += kLanes) sum = fma(own[i], x[i], sum);
  const float total = simd_sum(Sum(sum));
  if (lane == 0) y[row] = total;
}

kernel void gemv_fp16(device const uint4* w [[buffer(0)]], device const float4* x [[buffer(1)]],
                      device float* y [[buffer(2)]], constant uint& m [[buffer(3)]], constant uint& k [[buffer(4)]],
                      uint group [[threadgroup_position_in_grid]], uint simdgroup [[simdgroup_index_in_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
  const uint row = group * kSimdgroups + simdgroup;
  if (row >= m) return;
  const uint vectors = k / 8;
  device const uint4* own = w + ulong(row) * vectors;
  float4 sum = float4(0.0f);
  for (uint i = lane; i < vectors; i += kLanes) {
    const uint4 v = own[i];
    sum = fma(Halves(v.z, v.w), x[2 * i + 1], fma(Halves(v.x, v.y), x[2 * i], sum));
  }
  const float total = simd_sum(Sum(sum));
  if (lane == 0) y[row] = total;
}

// Blocks of 32 weights: byte j holds weight j in its low and weight j + 16 in its high half, each 8 more than its value.
// The scales follow the weights of all rows (kernels/operand.h). A lane has a block of each row; 8 times the sum of its x,
// which all rows share, is taken off at the end of the block.
inline float4 LowNibbles(uint word) { return float4(as_type<uchar4>(word & 0x0f0f0f0fu)); }
inline float4 HighNibbles(uint word) { return float4(as_type<uchar4>(word >> 4 & 0x0f0f0f0fu)); }

kernel void gemv_q4(device const uint* w [[buffer(0)]], device const float4* x [[buffer(1)]],
                    device float* y [[buffer(2)]], constant uint& m [[buffer(3)]], constant uint& k [[buffer(4)]],
                    uint group [[threadgroup_position_in_grid]], uint simdgroup [[simdgroup_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]]) {
  constexpr uint kRows = 2, kWords = 4;
  const uint blocks = k / 32, row = (group * kSimdgroups + simdgroup) * kRows;
  if (row >= m) return;
  device const half* scales = reinterpret_cast<device const half*>(w + ulong(m) * blocks * kWords);
  float sum[kRows] = {0.0f, 0.0f};
  for (uint i = lane; i < blocks; i += kLanes) {
    float4 dot[kRows] = {float4(0.0f), float4(0.0f)};
    float4 total = float4(0.0f);
#pragma unroll
    for (uint j = 0; j < kWords; ++j) {
      const float4 low = x[i * 8 + j], high = x[i * 8 + kWords + j];
      total = total + low + high;
#pragma unroll
      for (uint r = 0; r < kRows; ++r) {
        const uint word = w[(ulong(row + r) * blocks + i) * kWords + j];
        dot[r] = fma(HighNibbles(word), high, fma(LowNibbles(word), low, dot[r]));
      }
    }
#pragma unroll
    for (uint r = 0; r < kRows; ++r) {
      sum[r] = fma(float(scales[ulong(row + r) * blocks + i]), fma(-8.0f, Sum(total), Sum(dot[r])), sum[r]);
    }
  }
#pragma unroll
  for (uint r = 0; r < kRows; ++r) {
    const float all = simd_sum(sum[r]);
    if (lane == 0) y[row + r] = all;
  }
}
