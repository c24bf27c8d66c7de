// SPDX-License-Identifier: MIT
// C = A * B by Hopper's warpgroups, for every type of which an instruction takes 32 bytes of k: A is m x k, B is stored
// n x k. Each warpgroup of a block computes 64 x kN of C from kStages tiles of kRowBytes of k in shared memory, which
// cp.async fills two steps behind the products.

#include "kernels/cuda/warpgroup_tiles.cuh"
#include "kernels/cuda/tma.cuh"

namespace {

template <unsigned kM_, unsigned kN_, unsigned kStages_>
struct Shape {
  static constexpr unsigned kM = kM_, kN = kN_, kStages = kStages_;
  static constexpr unsigned kThreads = kM / kWarpgroupRows * kWarpgroup;
  static constexpr unsigned kStageBytes = (kM + kN) * kRowBytes;
};

template <unsigned kLines, unsigned kThreads>
DEVICE void FetchTile(unsigned char* to, const unsigned char* from, size_t stride) {
  static_assert(kLines * kPieces % kThreads == 0);
#pragma unroll
  for (unsigned i = 0; i < kLines * kPieces / kThreads; ++i) {
    const unsigned at = i * kThreads + threadIdx.x, row = at / kPieces, piece = at % kPieces;
    CopyAsync(to + row * kRowBytes + (piece ^ row % 8) * 16, from + row * stride + piece * 16);
  }
}

template <class S, class T>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  const Tile tile = TileOf<S>(blockIdx.x, m, n);
  unsigned char* shared = SharedMemory();
  const size_t stride = static_cast<size_t>(k) * T::kBits / 8;
  const auto* from_a = static_cast<const unsigned char*>(a) + tile.row * stride;
  const auto* from_b = static_cast<const unsigned char*>(b) + tile.column * stride;
  const unsigned steps = static_cast<unsigned>(stride / kRowBytes), warpgroup = Warpgroup();
  const auto fetch = [&](unsigned step) {
    if (step < steps) {
      unsigned char* to = shared + step % S::kStages * S::kStageBytes;
      const size_t at = static_cast<size_t>(step) * kRowBytes;
      FetchTile<S::kM, S::kThreads>(to, from_a + at, stride);
      FetchTile<S::kN, S::kThreads>(to + S::kM * kRowBytes, from_b + at, stride);
    }
    CommitCopies();
  };
#pragma unroll
  for (unsigned step = 0; step < S::kStages - 2; ++step) fetch(step);
  typename T::Result sum[S::kN / 2] = {};
  for (unsigned step = 0; step < steps; ++step) {
    WaitCopies<S::kStages - 3>();
    FenceAsyncProxy();
    __syncthreads();  // everyone's part has arrived, and everyone's products of the step before last have ended
    FenceRegisters(sum);
    const unsigned char* stage = shared + step % S::kStages * S::kStageBytes;
    MultiplyStage<T>(stage + warpgroup * kWarpgroupRows * kRowBytes, stage + S::kM * kRowBytes, sum);
    CommitProducts();
    fetch(step + S::kStages - 2);
    WaitProducts<1>();
  }
  FinishProducts(sum);
  StoreSums(c + (tile.row + threadIdx.x / 32 * 16) * static_cast<size_t>(n) + tile.column, n, sum);
}

using Large = Shape<128, 256, 4>;
using Small = Shape<128, 128, 5>;

#define WARPGROUP_GEMM(name, S, T)                                                                               \
  KERNEL __launch_bounds__(S::kThreads, 1) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                                T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<S, T>(a, b, c, m, n, k);                                                                                \
  }

// Dependent instructions on operands of ones in shared memory: a warpgroup has 64 x 128 accumulators. They are added up
// every kRound steps: of fp8's sums Hopper keeps 14 bits (arXiv 2512.07004), enough for 128 x 32 ones and no more.
constexpr unsigned kChainColumns = 128;
constexpr unsigned kRound = 128, kGroupSteps = 8;  // of k; k is a multiple of the latter
template <class T>
DEVICE void Chain(typename T::Result* out, unsigned k, unsigned ones) {
  unsigned char* shared = SharedMemory();
  for (unsigned at = threadIdx.x; at < (kWarpgroupRows + kChainColumns) * kRowBytes / 4; at += kWarpgroup) {
    StoreShared(shared + at * 4, ones);
  }
  FenceAsyncProxy();
  __syncthreads();
  constexpr unsigned kCount = kChainColumns / 2;
  const unsigned first = (blockIdx.x * kWarpgroup + threadIdx.x) * kCount;
  typename T::Result total[kCount], x[kCount];
#pragma unroll
  for (unsigned i = 0; i < kCount; ++i) total[i] = static_cast<typename T::Result>((first + i) % 8);
  const unsigned long long a = DescriptorOf(shared), b = DescriptorOf(shared + kWarpgroupRows * kRowBytes);
  for (unsigned done = 0; done < k; done += kRound) {
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) x[i] = 0;
    const unsigned end = k - done < kRound ? k : done + kRound;
    for (unsigned step = done; step < end; step += kGroupSteps) {
      FenceRegisters(x);
#pragma unroll
      for (unsigned i = 0; i < kGroupSteps; ++i) T::Multiply(x, a, b);
      CommitProducts();
      WaitProducts<1>();
    }
    FinishProducts(x);
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) total[i] += x[i];
  }
#pragma unroll
  for (unsigned i = 0; i < kCount; ++i) out[first + i] = total[i];
}
#define WARPGROUP_CHAIN(name, T)                                                                      \
  KERNEL __launch_bounds__(kWarpgroup) name(T::Result* __restrict__ out, unsigned k, unsigned ones) { \
    Chain<T>(out, k, ones);                                                                           \
  }

}  // namespace

namespace {
WARPGROUP_TYPE(Type, BITS, SUM, MULTIPLY)
}  // namespace

WARPGROUP_GEMM(MODULE##_256, Large, Type)
WARPGROUP_GEMM(MODULE##_128, Small, Type)
WARPGROUP_CHAIN(chain_##MODULE, Type)
