// SPDX-License-Identifier: MIT
// C = A * B by Hopper's warpgroups, for every type of which an instruction takes 32 bytes of k: A is m x k, B is stored
// n x k. Each warpgroup of a block computes 64 x kN of C from kStages tiles of kRowBytes of k in shared memory, which
// cp.async fills two steps behind the products. A tile's rows are eight pieces of 16 bytes in the 128-byte swizzle of
// PTX ISA, "Shared Memory Matrix Layout": piece p of row r lies at p ^ (r % 8), eight rows are an atom of 1024 bytes.

#include "kernels/simt/tiles.cuh"
#include "kernels/cuda/wgmma.cuh"

namespace {

constexpr unsigned kRowBytes = 128;
constexpr unsigned kPieces = kRowBytes / 16;
constexpr unsigned kAtomBytes = 8 * kRowBytes;
constexpr unsigned kInstructionBytes = 32;  // of k
constexpr unsigned kWarpgroup = 128;        // threads
constexpr unsigned kWarpgroupRows = 64;

template <unsigned kM_, unsigned kN_, unsigned kStages_>
struct Shape {
  static constexpr unsigned kM = kM_, kN = kN_, kStages = kStages_;
  static constexpr unsigned kThreads = kM / kWarpgroupRows * kWarpgroup;
  static constexpr unsigned kStageBytes = (kM + kN) * kRowBytes;
};

// PTX ISA, "Matrix Descriptor": start, leading and stride offset in units of 16 bytes at bits 0, 16 and 32, the
// swizzle at 62 (1: 128 bytes). Swizzled, the leading offset is not used; the stride is from atom to atom.
DEVICE unsigned long long DescriptorOf(const unsigned char* tile) {
  return 1ULL << 62 | static_cast<unsigned long long>(kAtomBytes >> 4) << 32 | 1ULL << 16 |
         (SharedAddress(tile) & 0x3ffffU) >> 4;
}

template <unsigned kLines, unsigned kThreads>
DEVICE void FetchTile(unsigned char* to, const unsigned char* from, size_t stride) {
  static_assert(kLines * kPieces % kThreads == 0);
#pragma unroll
  for (unsigned i = 0; i < kLines * kPieces / kThreads; ++i) {
    const unsigned at = i * kThreads + threadIdx.x, row = at / kPieces, piece = at % kPieces;
    CopyAsync(to + row * kRowBytes + (piece ^ row % 8) * 16, from + row * stride + piece * 16);
  }
}

// A warpgroup's part of one stage.
template <class S, class T>
DEVICE void MultiplyStage(const unsigned char* stage, typename T::Result (&sum)[S::kN / 2]) {
  const unsigned long long a = DescriptorOf(stage + threadIdx.x / kWarpgroup * kWarpgroupRows * kRowBytes);
  const unsigned long long b = DescriptorOf(stage + S::kM * kRowBytes);
#pragma unroll
  for (unsigned at = 0; at < kRowBytes; at += kInstructionBytes) T::Multiply(sum, a + (at >> 4), b + (at >> 4));
}

// PTX ISA, "Register Fragments" of wgmma: a warp has 16 rows, of every 8 columns a thread has two in two rows.
template <class S, class Number>
DEVICE void StoreTile(Number* c, unsigned n, const Tile& tile, const Number (&sum)[S::kN / 2]) {
  const unsigned lane = threadIdx.x % 32;
  const size_t row = tile.row + threadIdx.x / 32 * 16 + lane / 4;
  Number* to = c + row * n + tile.column + lane % 4 * 2;
#pragma unroll
  for (unsigned j = 0; j < S::kN / 8; ++j) {
    StorePair(to + j * 8, sum[4 * j], sum[4 * j + 1]);
    StorePair(to + static_cast<size_t>(8) * n + j * 8, sum[4 * j + 2], sum[4 * j + 3]);
  }
}

template <class S, class T>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  const Tile tile = TileOf<S>(blockIdx.x, m, n);
  unsigned char* shared = SharedMemory();
  const size_t stride = static_cast<size_t>(k) * T::kBits / 8;
  const auto* from_a = static_cast<const unsigned char*>(a) + tile.row * stride;
  const auto* from_b = static_cast<const unsigned char*>(b) + tile.column * stride;
  const unsigned steps = static_cast<unsigned>(stride / kRowBytes);
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
    MultiplyStage<S, T>(shared + step % S::kStages * S::kStageBytes, sum);
    CommitProducts();
    fetch(step + S::kStages - 2);
    WaitProducts<1>();
  }
  FinishProducts(sum);
  StoreTile<S>(c, n, tile, sum);
}

// A type's instruction: kBits of an element, what C holds.
#define WARPGROUP_TYPE(name, bits, number, multiply)                                                              \
  struct name {                                                                                                   \
    static constexpr unsigned kBits = bits;                                                                       \
    using Result = number;                                                                                        \
    template <unsigned kCount>                                                                                    \
    static DEVICE void Multiply(number(&d)[kCount], unsigned long long a, unsigned long long b) { multiply(d, a, b); } \
  };

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
