// SPDX-License-Identifier: MIT
// C = A * B by the matrix instructions of simdgroups: a group of two by two simdgroups computes kTile x kTile of C, each
// of them a quarter in matrices of 8 x 8, kDepth of k at a time.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint kSide = 8;  // of a matrix
constant constexpr uint kDepth = 16;
constant constexpr uint kThreads = 128;
constant constexpr uint kVector = 4;  // elements that a thread copies at once

// Tiles of A and B in the group's memory; rows are 16 bytes longer, which spreads them over the banks.
template <typename In, uint kTile>
struct Tiles {
  static constexpr constant uint kPad = 16 / sizeof(In);
  static constexpr constant uint kStrideA = kDepth + kPad;
  static constexpr constant uint kStrideB = kTile + kPad;
  static constexpr constant uint kParts = kTile * kDepth / (kThreads * kVector);  // of either tile, a thread

  static void Fetch(device const In* a, device const In* b, uint n, uint k, threadgroup In* to_a, threadgroup In* to_b,
                    uint thread_index) {
#pragma unroll
    for (uint part = 0; part < kParts; ++part) {
      const uint i = (part * kThreads + thread_index) * kVector;
      const uint row_a = i / kDepth, column_a = i % kDepth, row_b = i / kTile, column_b = i % kTile;
      *reinterpret_cast<threadgroup vec<In, 4>*>(to_a + row_a * kStrideA + column_a) =
          *reinterpret_cast<device const vec<In, 4>*>(a + ulong(row_a) * k + column_a);
      *reinterpret_cast<threadgroup vec<In, 4>*>(to_b + row_b * kStrideB + column_b) =
          *reinterpret_cast<device const vec<In, 4>*>(b + ulong(row_b) * n + column_b);
    }
  }
};

template <typename In, uint kTile>
inline void Multiply(device const In* a, device const In* b, device float* c, uint n, uint k, threadgroup uchar* memory,
                     uint2 group, uint simdgroup, uint thread_index) {
  using T = Tiles<In, kTile>;
  constexpr uint kEach = kTile / 2 / kSide;  // matrices of a simdgroup, in each direction
  threadgroup In* tile_a = reinterpret_cast<threadgroup In*>(memory);
  threadgroup In* tile_b = tile_a + kTile * T::kStrideA;
  const uint row = simdgroup / 2 * (kTile / 2), column = simdgroup % 2 * (kTile / 2);
  a += ulong(group.y) * kTile * k;
  b += ulong(group.x) * kTile;
  simdgroup_matrix<float, 8, 8> sum[kEach][kEach];
#pragma unroll
  for (uint i = 0; i < kEach; ++i) {
#pragma unroll
    for (uint j = 0; j < kEach; ++j) sum[i][j] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  }
  for (uint first = 0; first < k; first += kDepth) {
    T::Fetch(a + first, b + ulong(first) * n, n, k, tile_a, tile_b, thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everyone's part
#pragma unroll
    for (uint d = 0; d < kDepth; d += kSide) {
      simdgroup_matrix<In, 8, 8> of_a[kEach], of_b[kEach];
#pragma unroll
      for (uint i = 0; i < kEach; ++i) {
        simdgroup_load(of_a[i], tile_a + (row + i * kSide) * T::kStrideA + d, T::kStrideA);
        simdgroup_load(of_b[i], tile_b + d * T::kStrideB + column + i * kSide, T::kStrideB);
      }
#pragma unroll
      for (uint i = 0; i < kEach; ++i) {
#pragma unroll
        for (uint j = 0; j < kEach; ++j) simdgroup_multiply_accumulate(sum[i][j], of_a[i], of_b[j], sum[i][j]);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);  // everyone has done with these tiles
  }
  device float* to = c + (ulong(group.y) * kTile + row) * n + ulong(group.x) * kTile + column;
#pragma unroll
  for (uint i = 0; i < kEach; ++i) {
#pragma unroll
    for (uint j = 0; j < kEach; ++j) simdgroup_store(sum[i][j], to + ulong(i) * kSide * n + j * kSide, n);
  }
}

#define GEMM(name, type, tile)                                                                              \
  kernel void name(device const type* a [[buffer(0)]], device const type* b [[buffer(1)]],                  \
                   device float* c [[buffer(2)]], constant uint& m [[buffer(3)]],                           \
                   constant uint& n [[buffer(4)]], constant uint& k [[buffer(5)]],                          \
                   threadgroup uchar* memory [[threadgroup(0)]],                                            \
                   uint2 group [[threadgroup_position_in_grid]],                                            \
                   uint simdgroup [[simdgroup_index_in_threadgroup]],                                       \
                   uint thread_index [[thread_index_in_threadgroup]]) {                                     \
    if (group.y * tile < m) Multiply<type, tile>(a, b, c, n, k, memory, group, simdgroup, thread_index);    \
  }
GEMM(simdgroup_fp32_64, float, 64)
GEMM(simdgroup_fp32_32, float, 32)
GEMM(simdgroup_fp16_64, half, 64)
GEMM(simdgroup_fp16_32, half, 32)
// bfloat came with version 3.1 of the language; what lacks it is not asked for these.
#if __METAL_VERSION__ >= 310
GEMM(simdgroup_bf16_64, bfloat, 64)
GEMM(simdgroup_bf16_32, bfloat, 32)
#endif
