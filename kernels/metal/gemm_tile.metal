// SPDX-License-Identifier: MIT
// C = A * B in fp32 without matrix units, for every GPU: groups of 16 x 16 threads compute kTile x kTile of C, each thread
// kEach x kEach entries in registers, kDepth of k at a time.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint kSide = 16;
constant constexpr uint kTile = 64;
constant constexpr uint kDepth = 16;
constant constexpr uint kEach = kTile / kSide;
// A is kept transposed, so that both operands are read along a row. The padding spreads its writes over the banks.
constant constexpr uint kStrideA = kTile + 4;

kernel void gemm_fp32_64(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                         device float* c [[buffer(2)]], constant uint& m [[buffer(3)]],
                         constant uint& n [[buffer(4)]], constant uint& k [[buffer(5)]],
                         threadgroup float* tiles [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
                         uint lane [[thread_index_in_threadgroup]]) {
  if (group.y * kTile >= m) return;
  threadgroup float* at = tiles;
  threadgroup float* bt = tiles + kDepth * kStrideA;
  const uint x = lane % kSide, y = lane / kSide;
  device const float* from_a = a + ulong(group.y) * kTile * k;
  device const float* from_b = b + ulong(group.x) * kTile;
  const uint row_a = lane / (kDepth / 4), depth_a = lane % (kDepth / 4) * 4;  // 16 bytes a thread
  const uint depth_b = lane / (kTile / 4), column_b = lane % (kTile / 4) * 4;
  float sum[kEach][kEach];
#pragma unroll
  for (uint i = 0; i < kEach; ++i) {
#pragma unroll
    for (uint j = 0; j < kEach; ++j) sum[i][j] = 0.0f;
  }
  for (uint first = 0; first < k; first += kDepth) {
    const float4 va = *reinterpret_cast<device const float4*>(from_a + ulong(row_a) * k + first + depth_a);
    const float4 vb = *reinterpret_cast<device const float4*>(from_b + ulong(first + depth_b) * n + column_b);
    at[depth_a * kStrideA + row_a] = va.x;
    at[(depth_a + 1) * kStrideA + row_a] = va.y;
    at[(depth_a + 2) * kStrideA + row_a] = va.z;
    at[(depth_a + 3) * kStrideA + row_a] = va.w;
    *reinterpret_cast<threadgroup float4*>(bt + depth_b * kTile + column_b) = vb;
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everyone's part
#pragma unroll
    for (uint d = 0; d < kDepth; ++d) {
      const float4 av = *reinterpret_cast<threadgroup const float4*>(at + d * kStrideA + y * 4);
      const float4 bv = *reinterpret_cast<threadgroup const float4*>(bt + d * kTile + x * 4);
      const float ai[kEach] = {av.x, av.y, av.z, av.w};
      const float bj[kEach] = {bv.x, bv.y, bv.z, bv.w};
#pragma unroll
      for (uint i = 0; i < kEach; ++i) {
#pragma unroll
        for (uint j = 0; j < kEach; ++j) sum[i][j] = fma(ai[i], bj[j], sum[i][j]);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everyone has done with these tiles
  }
  device float* to = c + (ulong(group.y) * kTile + y * 4) * n + ulong(group.x) * kTile + x * 4;
#pragma unroll
  for (uint i = 0; i < kEach; ++i) {
    *reinterpret_cast<device float4*>(to + ulong(i) * n) = float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
  }
}
