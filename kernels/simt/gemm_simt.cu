// SPDX-License-Identifier: MIT
// C = A * B in fp32 without matrix units: blocks of 16 x 16 threads compute kTile x kTile of C, each thread
// (kTile / 16)^2 entries in registers, kDepth of k at a time, the next tiles on their way while one is multiplied.

namespace {

constexpr unsigned kSide = 16;
constexpr unsigned kThreads = kSide * kSide;
#ifdef __HIP__
constexpr unsigned kDepthOfLarge = 16;
constexpr unsigned kAhead = 1;  // LLVM reads as far ahead as it unrolls, and would run out of registers
#else
constexpr unsigned kDepthOfLarge = 8;  // so that two blocks have registers and shared memory
constexpr unsigned kAhead = 16;
#endif

// Entry i of a thread's: runs of four, so that neighbours read 16 bytes beside each other.
DEVICE unsigned Place(unsigned own, unsigned i) { return own * 4 + i / 4 * (kSide * 4) + i % 4; }

template <unsigned kTile_, unsigned kDepth_>
struct Tiles {
  static constexpr unsigned kTile = kTile_, kDepth = kDepth_;
  // A is kept transposed, so that both operands are read along a row. The padding spreads its writes over the banks.
  float a[2][kDepth][kTile + 4];
  float b[2][kDepth][kTile];
};

template <class T>
struct Loader {
  static constexpr unsigned kTile = T::kTile, kDepth = T::kDepth;
  static constexpr unsigned kParts = kTile * kDepth / (kThreads * 4);
  float4 a[kParts];
  float4 b[kParts];

  DEVICE void Fetch(const float* from_a, const float* from_b, unsigned n, unsigned k, unsigned lane) {
#pragma unroll
    for (unsigned part = 0; part < kParts; ++part) {
      const unsigned i = (part * kThreads + lane) * 4;
      a[part] = *reinterpret_cast<const float4*>(from_a + static_cast<size_t>(i / kDepth) * k + i % kDepth);
      b[part] = *reinterpret_cast<const float4*>(from_b + static_cast<size_t>(i / kTile) * n + i % kTile);
    }
  }
  DEVICE void Store(T& tiles, unsigned buffer, unsigned lane) const {
#pragma unroll
    for (unsigned part = 0; part < kParts; ++part) {
      const unsigned i = (part * kThreads + lane) * 4;
      const unsigned row = i / kDepth, depth = i % kDepth;
      tiles.a[buffer][depth][row] = a[part].x;
      tiles.a[buffer][depth + 1][row] = a[part].y;
      tiles.a[buffer][depth + 2][row] = a[part].z;
      tiles.a[buffer][depth + 3][row] = a[part].w;
      *reinterpret_cast<float4*>(&tiles.b[buffer][i / kTile][i % kTile]) = b[part];
    }
  }
};

template <class T>
DEVICE void Gemm(const float* a, const float* b, float* c, unsigned n, unsigned k, T& tiles) {
  constexpr unsigned kTile = T::kTile, kDepth = T::kDepth;
  constexpr unsigned kEach = kTile / kSide;
  const unsigned lane = threadIdx.x, x = lane % kSide, y = lane / kSide;
  const size_t row = static_cast<size_t>(blockIdx.y) * kTile, column = static_cast<size_t>(blockIdx.x) * kTile;
  a += row * k;
  b += column;
  float sum[kEach][kEach] = {};
  Loader<T> loader;
  loader.Fetch(a, b, n, k, lane);
  loader.Store(tiles, 0, lane);
  __syncthreads();
  unsigned buffer = 0;
  for (unsigned left = k / kDepth; left > 0; --left, buffer ^= 1) {
    const bool more = left > 1;
    a += kDepth;
    b += kDepth * static_cast<size_t>(n);
    if (more) loader.Fetch(a, b, n, k, lane);
#pragma unroll kAhead
    for (unsigned d = 0; d < kDepth; ++d) {
      float av[kEach], bv[kEach];
#pragma unroll
      for (unsigned i = 0; i < kEach; i += 4) {
        *reinterpret_cast<float4*>(av + i) = *reinterpret_cast<const float4*>(&tiles.a[buffer][d][Place(y, i)]);
        *reinterpret_cast<float4*>(bv + i) = *reinterpret_cast<const float4*>(&tiles.b[buffer][d][Place(x, i)]);
      }
#pragma unroll
      for (unsigned i = 0; i < kEach; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) sum[i][j] = fmaf(av[i], bv[j], sum[i][j]);
      }
    }
    if (more) loader.Store(tiles, 1 - buffer, lane);
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    float* out = c + (row + Place(y, i)) * n + column;
#pragma unroll
    for (unsigned j = 0; j < kEach; j += 4) {
      *reinterpret_cast<float4*>(out + Place(x, j)) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
  }
}

}  // namespace

KERNEL __launch_bounds__(kThreads, 2) gemm_fp32_128(const float* __restrict__ a, const float* __restrict__ b,
                                                    float* __restrict__ c, unsigned m, unsigned n, unsigned k) {
  __shared__ __align__(16) Tiles<128, kDepthOfLarge> tiles;
  if (blockIdx.y < m / 128) Gemm(a, b, c, n, k, tiles);
}

KERNEL __launch_bounds__(kThreads) gemm_fp32_64(const float* __restrict__ a, const float* __restrict__ b,
                                                float* __restrict__ c, unsigned m, unsigned n, unsigned k) {
  __shared__ __align__(16) Tiles<64, 16> tiles;
  if (blockIdx.y < m / 64) Gemm(a, b, c, n, k, tiles);
}
