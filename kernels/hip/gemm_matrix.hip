// SPDX-License-Identifier: MIT
// C = A * B with matrix instructions, for every type of matrix_types.hip.h: A is m x k, B is stored n x k,
// both read along k. A work-group of kThreads computes kTile x kTile of C, a line of 64 or 128 bytes of k at
// a time: the next part is on its way to registers while one is multiplied, and goes to the other of two
// buffers of local data share.

#include "kernels/hip/matrix_lines.hip.h"

namespace {

// Of k, of one row in local data share: what an instruction takes at least.
template <class T>
constexpr unsigned LineBytes() {
  return T::kGroups * T::kWords * 4 > 64 ? T::kGroups * T::kWords * 4 : 64;
}
template <class T>
using Line = Lines<LineBytes<T>(), 128 / LineBytes<T>()>;

// A thread's share of kTile rows of both operands.
template <class T, unsigned kTile, unsigned kThreads>
struct Part {
  static constexpr unsigned kPieces = Line<T>::kPieces;
  static constexpr unsigned kEach = kTile * kPieces / kThreads;
  static_assert(kTile * kPieces % kThreads == 0);
  uint4 a[kEach];
  uint4 b[kEach];

  DEVICE void Fetch(const unsigned char* from_a, const unsigned char* from_b, size_t stride) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned at = i * kThreads + threadIdx.x;
      const size_t place = at / kPieces * stride + at % kPieces * 16;
      a[i] = *reinterpret_cast<const uint4*>(from_a + place);
      b[i] = *reinterpret_cast<const uint4*>(from_b + place);
    }
  }
  DEVICE void Store(unsigned char* to) const {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned at = i * kThreads + threadIdx.x;
      *reinterpret_cast<uint4*>(to + Line<T>::Offset(at / kPieces, at % kPieces)) = a[i];
      *reinterpret_cast<uint4*>(to + Line<T>::Offset(kTile + at / kPieces, at % kPieces)) = b[i];
    }
  }
};

// The waves of a work-group, two beside each other, and what each computes, in instructions.
template <class T, unsigned kTile, unsigned kThreads>
struct Wave {
  static constexpr unsigned kM = kTile, kN = kTile;  // all together
  static constexpr unsigned kRows = kThreads / T::kWave / 2;
  static constexpr unsigned kDown = kTile / kRows / T::kSide, kAcross = kTile / 2 / T::kSide;
  using Sum = typename T::Fragment[kDown][kAcross];
};

// A wave's part of one buffer.
template <class T, unsigned kTile, unsigned kThreads>
DEVICE void MultiplyPart(const unsigned char* tile, unsigned wave_row, unsigned wave_column,
                         typename Wave<T, kTile, kThreads>::Sum& sum) {
  constexpr unsigned kDown = Wave<T, kTile, kThreads>::kDown, kAcross = Wave<T, kTile, kThreads>::kAcross;
  const unsigned lane = threadIdx.x % T::kWave;
#pragma unroll
  for (unsigned first = 0; first < Line<T>::kPieces; first += Operand<T>::kPieces) {
    Operand<T> a[kDown];
    Operand<T> b[kAcross];
#pragma unroll
    for (unsigned i = 0; i < kDown; ++i)
      a[i].template Load<Line<T>>(tile, wave_row + i * T::kSide, first, lane);
#pragma unroll
    for (unsigned j = 0; j < kAcross; ++j)
      b[j].template Load<Line<T>>(tile, kTile + wave_column + j * T::kSide, first, lane);
#pragma unroll
    for (unsigned part = 0; part < Operand<T>::kInstructions; ++part) {
#pragma unroll
      for (unsigned i = 0; i < kDown; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kAcross; ++j) T::Multiply(sum[i][j], a[i].part[part], b[j].part[part]);
      }
    }
  }
}

template <class T, unsigned kTile, unsigned kThreads>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  constexpr unsigned kDown = Wave<T, kTile, kThreads>::kDown, kAcross = Wave<T, kTile, kThreads>::kAcross;
  constexpr unsigned kRowBytes = Line<T>::kBytes;
  constexpr unsigned kBufferBytes = 2 * kTile * kRowBytes;
  unsigned char* shared = SharedBlock<2 * kBufferBytes>();
  const Tile tile = TileOf<Wave<T, kTile, kThreads>>(TileNumber(blockIdx.x, gridDim.x), m, n);
  const size_t stride = static_cast<size_t>(k) * T::kBits / 8;
  const auto* from_a = static_cast<const unsigned char*>(a) + tile.row * stride;
  const auto* from_b = static_cast<const unsigned char*>(b) + tile.column * stride;
  const unsigned steps = static_cast<unsigned>(stride / kRowBytes);
  const unsigned wave = threadIdx.x / T::kWave, lane = threadIdx.x % T::kWave;
  const unsigned wave_row = wave / 2 * kDown * T::kSide, wave_column = wave % 2 * kAcross * T::kSide;
  typename Wave<T, kTile, kThreads>::Sum sum = {};
  Part<T, kTile, kThreads> part;
  part.Fetch(from_a, from_b, stride);
  part.Store(shared);
  __syncthreads();
  for (unsigned step = 0; step + 1 < steps; ++step) {
    const size_t next = static_cast<size_t>(step + 1) * kRowBytes;
    part.Fetch(from_a + next, from_b + next, stride);
    DeviceKeepOrder();  // or all products wait for what was just fetched
    MultiplyPart<T, kTile, kThreads>(shared + step % 2 * kBufferBytes, wave_row, wave_column, sum);
    DeviceKeepOrder();
    part.Store(shared + (step + 1) % 2 * kBufferBytes);
    __syncthreads();  // the other buffer is whole, and everyone has done with this one
  }
  MultiplyPart<T, kTile, kThreads>(shared + (steps - 1) % 2 * kBufferBytes, wave_row, wave_column, sum);
#pragma unroll
  for (unsigned i = 0; i < kDown; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kAcross; ++j) {
      const size_t row = tile.row + wave_row + i * T::kSide;
      StoreFragment<T>(sum[i][j], c + row * n + tile.column + wave_column + j * T::kSide, n, lane);
    }
  }
}

// Dependent instructions without memory: every wave has kMatrixChains fragments of 256 accumulators.
constexpr unsigned kMatrixChains = 8, kChainThreads = 256;
template <class T>
DEVICE void Chain(typename T::Result* out, unsigned k, unsigned ones) {
  const unsigned wave = (blockIdx.x * kChainThreads + threadIdx.x) / T::kWave, lane = threadIdx.x % T::kWave;
  const unsigned first = wave * kMatrixChains * 256 + lane * T::kItems;
  Words<T::kWords> one;
#pragma unroll
  for (unsigned i = 0; i < T::kWords; ++i) one.w[i] = ones;
  typename T::Fragment x[kMatrixChains];
#pragma unroll
  for (unsigned chain = 0; chain < kMatrixChains; ++chain) {
#pragma unroll
    for (unsigned i = 0; i < T::kItems; ++i) {
      x[chain].d[i] = static_cast<typename T::Result>((first + chain * 256 + i) % 8);
    }
  }
  for (unsigned step = 0; step < k; ++step) {
#pragma unroll
    for (unsigned part = 0; part < Operand<T>::kInstructions; ++part) {
#pragma unroll
      for (unsigned chain = 0; chain < kMatrixChains; ++chain) T::Multiply(x[chain], one, one);
    }
  }
#pragma unroll
  for (unsigned chain = 0; chain < kMatrixChains; ++chain) {
#pragma unroll
    for (unsigned i = 0; i < T::kItems; ++i) out[first + chain * 256 + i] = x[chain].d[i];
  }
}

#define MATRIX_GEMM(name, tile, threads, T)                                                               \
  KERNEL __launch_bounds__(threads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                         T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<T, tile, threads>(a, b, c, m, n, k);                                                             \
  }
#define MATRIX_CHAIN(name, T)                                                                            \
  KERNEL __launch_bounds__(kChainThreads) name(T::Result* __restrict__ out, unsigned k, unsigned ones) { \
    Chain<T>(out, k, ones);                                                                              \
  }

}  // namespace

#ifdef CHAIN
MATRIX_GEMM(gemm_##NAME##_128, 128, 256, TYPE)
MATRIX_GEMM(gemm_##NAME##_64, 64, 256, TYPE)
MATRIX_CHAIN(chain_##NAME, TYPE)
#endif
#ifdef SQUARE_WAVES
MATRIX_GEMM(gemm_##NAME##_128_by_64, 128, 128, TYPE)
#endif
