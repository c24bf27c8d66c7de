// SPDX-License-Identifier: MIT
// Memory bandwidth, where neighbours touch neighbours, 16 bytes each; and the rate of fp32 multiply-adds without memory.
// Nothing here depends on how wide a simdgroup is.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint kThreads = 256;
constant constexpr uint kUnroll = 4;  // loads in flight, a thread

kernel void read_u32(device const uint4* in [[buffer(0)]], device uint* partials [[buffer(1)]],
                     constant uint& count [[buffer(2)]], threadgroup uint* sums [[threadgroup(0)]],
                     uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]],
                     uint lane [[thread_position_in_threadgroup]]) {
  const uint vectors = count / 4, step = groups * kThreads;
  uint sum = 0;
  uint i = group * kThreads + lane;
  for (; vectors > (kUnroll - 1) * step && i < vectors - (kUnroll - 1) * step; i += kUnroll * step) {
    uint4 v[kUnroll];
#pragma unroll
    for (uint u = 0; u < kUnroll; ++u) v[u] = in[i + u * step];
#pragma unroll
    for (uint u = 0; u < kUnroll; ++u) sum += v[u].x + v[u].y + v[u].z + v[u].w;
  }
  for (; i < vectors; i += step) sum += in[i].x + in[i].y + in[i].z + in[i].w;
  sums[lane] = sum;
  for (uint width = kThreads / 2; width > 0; width /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane < width) sums[lane] += sums[lane + width];
  }
  if (lane == 0) partials[group] = sums[0];
}

kernel void copy_u32(device const uint4* in [[buffer(0)]], device uint4* out [[buffer(1)]],
                     constant uint& count [[buffer(2)]], uint first [[thread_position_in_grid]],
                     uint step [[threads_per_grid]]) {
  const uint vectors = count / 4;
  uint i = first;
  for (; vectors > (kUnroll - 1) * step && i < vectors - (kUnroll - 1) * step; i += kUnroll * step) {
    uint4 v[kUnroll];
#pragma unroll
    for (uint u = 0; u < kUnroll; ++u) v[u] = in[i + u * step];
#pragma unroll
    for (uint u = 0; u < kUnroll; ++u) out[i + u * step] = v[u];
  }
  for (; i < vectors; i += step) out[i] = in[i];
}

// Two of each array make kUnroll loads in flight.
kernel void triad_fp32(device const float4* a [[buffer(0)]], device const float4* b [[buffer(1)]],
                       device float4* out [[buffer(2)]], constant uint& count [[buffer(3)]],
                       constant float& factor [[buffer(4)]], uint first [[thread_position_in_grid]],
                       uint step [[threads_per_grid]]) {
  const uint vectors = count / 4;
  uint i = first;
  for (; vectors > step && i < vectors - step; i += 2 * step) {
    const float4 x0 = a[i], y0 = b[i], x1 = a[i + step], y1 = b[i + step];
    out[i] = fma(float4(factor), y0, x0);
    out[i + step] = fma(float4(factor), y1, x1);
  }
  if (i < vectors) out[i] = fma(float4(factor), b[i], a[i]);
}

// Every thread has kChains accumulators; accumulator c of a group's thread t is c * kThreads + t of the group's. The one
// multiplies the accumulator, so that no part of a step can be folded or moved out of the loop.
constant constexpr uint kChains = 16;
constant constexpr uint kSteps = 16;  // a turn, of which k is a multiple

kernel void chain_fp32(device float* out [[buffer(0)]], constant uint& k [[buffer(1)]],
                       constant float& word [[buffer(2)]], uint group [[threadgroup_position_in_grid]],
                       uint lane [[thread_position_in_threadgroup]]) {
  const uint first = group * kChains * kThreads + lane;
  const float one = word;
  float x[kChains];
#pragma unroll
  for (uint c = 0; c < kChains; ++c) x[c] = float((first + c * kThreads) % 8);
  for (uint turn = 0; turn < k / kSteps; ++turn) {
#pragma unroll
    for (uint s = 0; s < kSteps; ++s) {
#pragma unroll
      for (uint c = 0; c < kChains; ++c) x[c] = fma(x[c], one, one);
    }
  }
#pragma unroll
  for (uint c = 0; c < kChains; ++c) out[first + c * kThreads] = x[c];
}
