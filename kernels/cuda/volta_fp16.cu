// SPDX-License-Identifier: MIT
// Products and chains of fp16 by Volta's matrix units: A is m x k, B is stored n x k. A block of four warps computes
// kTile x kTile of C from two stages of 64 bytes of k in shared memory, whose rows are padded to what wmma's loads
// want: a multiple of 32 bytes. Newer chips run the products with mma.
#include "kernels/cuda/carried.cuh"
#include "kernels/simt/tiles.cuh"
#include "kernels/cuda/wmma.cuh"

namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kRowBytes = 64;  // of k
constexpr unsigned kStride = 48;    // numbers from row to row, in shared memory
constexpr unsigned kSide = 16;      // of a fragment
constexpr unsigned kFragment = 8;   // numbers of a thread

template <unsigned kTile>
struct Shape {
  static constexpr unsigned kM = kTile, kN = kTile;
  static constexpr unsigned kFragments = kTile / 2 / kSide;  // of a warp, each way
  static constexpr unsigned kStageNumbers = 2 * kTile * kStride;
};

template <class S>
DEVICE void MultiplyStage(const unsigned short* stage, unsigned row, unsigned column,
                          float (&sum)[S::kFragments][S::kFragments][kFragment]) {
#pragma unroll
  for (unsigned k = 0; k < kRowBytes / 2; k += kSide) {
    unsigned b[S::kFragments][kFragment];
#pragma unroll
    for (unsigned j = 0; j < S::kFragments; ++j) {
      LoadFragmentB(b[j], stage + (S::kM + column + j * kSide) * kStride + k, kStride);
    }
#pragma unroll
    for (unsigned i = 0; i < S::kFragments; ++i) {
      unsigned a[kFragment];
      LoadFragmentA(a, stage + (row + i * kSide) * kStride + k, kStride);
#pragma unroll
      for (unsigned j = 0; j < S::kFragments; ++j) MultiplyFragments(sum[i][j], a, b[j]);
    }
  }
}

template <class S>
DEVICE void Gemm(const unsigned char* a, const unsigned char* b, float* c, unsigned m, unsigned n, unsigned k) {
  const Tile tile = TileOf<S>(blockIdx.x, m, n);
  const size_t stride = static_cast<size_t>(k) * 2;
  const unsigned steps = static_cast<unsigned>(stride / kRowBytes);
  auto* shared = reinterpret_cast<unsigned short*>(SharedMemory());
  const unsigned warp = threadIdx.x / 32, row = warp / 2 * (S::kM / 2), column = warp % 2 * (S::kN / 2);
  Carried<S::kM, kThreads> next_a;
  Carried<S::kN, kThreads> next_b;
  const auto fetch = [&](unsigned step) {
    const size_t at = static_cast<size_t>(step) * kRowBytes;
    next_a.Fetch(a + tile.row * stride + at, stride);
    next_b.Fetch(b + tile.column * stride + at, stride);
  };
  const auto stage = [&](unsigned step) { return shared + step % 2 * S::kStageNumbers; };
  const auto offset = [](unsigned line, unsigned piece) { return line * kStride * 2 + piece * 16; };
  const auto store = [&](unsigned step) {
    next_a.Store(reinterpret_cast<unsigned char*>(stage(step)), offset);
    next_b.Store(reinterpret_cast<unsigned char*>(stage(step) + S::kM * kStride), offset);
  };
  float sum[S::kFragments][S::kFragments][kFragment] = {};
  fetch(0);
  store(0);
  __syncthreads();
  for (unsigned step = 0; step < steps; ++step) {
    const bool more = step + 1 < steps;
    if (more) fetch(step + 1);
    MultiplyStage<S>(stage(step), row, column, sum);
    if (more) store(step + 1);  // where everyone has done with the step before this one
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < S::kFragments; ++i) {
#pragma unroll
    for (unsigned j = 0; j < S::kFragments; ++j) {
      const size_t at = tile.row + row + i * kSide;
      StoreFragment(c + at * n + tile.column + column + j * kSide, n, sum[i][j]);
    }
  }
}

constexpr unsigned kChains = 4;  // fragments of a warp

}  // namespace

#define VOLTA_GEMM(name, kTile)                                                                                 \
  KERNEL __launch_bounds__(kThreads) name(const void* __restrict__ a, const void* __restrict__ b,               \
                                          float* __restrict__ c, unsigned m, unsigned n, unsigned k) {          \
    Gemm<Shape<kTile>>(static_cast<const unsigned char*>(a), static_cast<const unsigned char*>(b), c, m, n, k); \
  }
VOLTA_GEMM(volta_fp16_128, 128)
VOLTA_GEMM(volta_fp16_64, 64)

// Dependent instructions without memory. All numbers of a fragment of ones are alike, wherever they stand.
KERNEL __launch_bounds__(kThreads) chain_volta_fp16(float* __restrict__ out, unsigned k, unsigned ones) {
  const unsigned first = (blockIdx.x * kThreads + threadIdx.x) * kChains * kFragment;
  const unsigned a[kFragment] = {ones, ones, ones, ones, ones, ones, ones, ones};
  float x[kChains][kFragment];
#pragma unroll
  for (unsigned i = 0; i < kChains * kFragment; ++i) {
    x[i / kFragment][i % kFragment] = static_cast<float>((first + i) % 8);
  }
#pragma unroll 4
  for (unsigned step = 0; step < k; ++step) {
#pragma unroll
    for (unsigned chain = 0; chain < kChains; ++chain) MultiplyFragments(x[chain], a, a);
  }
#pragma unroll
  for (unsigned i = 0; i < kChains * kFragment; ++i) out[first + i] = x[i / kFragment][i % kFragment];
}
