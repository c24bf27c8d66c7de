// SPDX-License-Identifier: MIT
// C = A * B with matrix units, for every type whose instruction is 16 x 8 and 32 bytes deep: A is m x k, B is stored
// n x k, both read along k. A block of kWarps computes kM x kN of C from kStages tiles of kRowBytes of k in shared
// memory, which cp.async fills ahead. Rows of a tile are four pieces of 16 bytes; piece p of row r lies at
// p ^ (r / 2 % 4), so that neither the writes nor ldmatrix meet a bank twice.
#pragma once

#include "kernels/simt/tiles.cuh"

namespace {

constexpr unsigned kRowBytes = 64;
constexpr unsigned kPieces = kRowBytes / 16;

DEVICE unsigned Offset(unsigned row, unsigned piece) {
  return row * kRowBytes + (piece ^ (row / 2 % kPieces)) * 16;
}

// kM x kN of C by kRows x kColumns warps.
template <unsigned kM_, unsigned kN_, unsigned kRows_, unsigned kColumns_, unsigned kStages_>
struct Shape {
  static constexpr unsigned kM = kM_, kN = kN_, kStages = kStages_;
  static constexpr unsigned kRows = kRows_, kColumns = kColumns_;
  static constexpr unsigned kThreads = 32 * kRows * kColumns;
  static constexpr unsigned kWarpM = kM / kRows, kWarpN = kN / kColumns;
  static constexpr unsigned kStageBytes = (kM + kN) * kRowBytes;
};

template <unsigned kLines, unsigned kThreads>
DEVICE void FetchTile(unsigned char* to, const unsigned char* from, size_t stride) {
  static_assert(kLines * kPieces % kThreads == 0);
#pragma unroll
  for (unsigned i = 0; i < kLines * kPieces / kThreads; ++i) {
    const unsigned at = i * kThreads + threadIdx.x, row = at / kPieces, piece = at % kPieces;
    CopyAsync(to + Offset(row, piece), from + row * stride + piece * 16);
  }
}

// What a warp multiplies at once: its rows of A and columns of B, 32 bytes of k, a half of a stage.
template <class S>
struct Operands {
  unsigned a[S::kWarpM / 16][4];
  unsigned b[S::kWarpN / 8][2];

  DEVICE void Load(const unsigned char* stage, unsigned half, unsigned warp_row, unsigned warp_column) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned char* tile_b = stage + S::kM * kRowBytes;
#pragma unroll
    for (unsigned i = 0; i < S::kWarpM / 16; ++i) {
      LoadMatrices(a[i], stage + Offset(warp_row + i * 16 + lane % 16, half * 2 + lane / 16));
    }
#pragma unroll
    for (unsigned j = 0; j < S::kWarpN / 16; ++j) {
      unsigned two[4];
      LoadMatrices(two, tile_b + Offset(warp_column + j * 16 + lane / 16 * 8 + lane % 8, half * 2 + lane / 8 % 2));
      b[2 * j][0] = two[0];
      b[2 * j][1] = two[1];
      b[2 * j + 1][0] = two[2];
      b[2 * j + 1][1] = two[3];
    }
  }
};

template <class S, class T>
DEVICE void Multiply(const Operands<S>& of, typename T::Fragment (&sum)[S::kWarpM / 16][S::kWarpN / 8]) {
#pragma unroll
  for (unsigned i = 0; i < S::kWarpM / 16; ++i) {
#pragma unroll
    for (unsigned j = 0; j < S::kWarpN / 8; ++j) T::Multiply(sum[i][j].d, of.a[i], of.b[j]);
  }
}

// Where a block's tile and a warp's part of it begin.
template <class S, class T>
struct Place {
  DEVICE Place(const void* a, const void* b, unsigned m, unsigned n, unsigned k)
      : tile(TileOf<S>(blockIdx.x, m, n)), stride(static_cast<size_t>(k) * T::kBits / 8) {
    from_a = static_cast<const unsigned char*>(a) + tile.row * stride;
    from_b = static_cast<const unsigned char*>(b) + tile.column * stride;
    const unsigned warp = threadIdx.x / 32;
    warp_row = warp / S::kColumns * S::kWarpM;
    warp_column = warp % S::kColumns * S::kWarpN;
  }
  DEVICE unsigned Steps() const { return static_cast<unsigned>(stride / kRowBytes); }

  Tile tile;
  size_t stride;
  const unsigned char *from_a, *from_b;
  unsigned warp_row, warp_column;
};

template <class S, class T>
DEVICE void StoreTile(typename T::Result* c, unsigned n, const Place<S, T>& place,
                      const typename T::Fragment (&sum)[S::kWarpM / 16][S::kWarpN / 8]) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned i = 0; i < S::kWarpM / 16; ++i) {
#pragma unroll
    for (unsigned j = 0; j < S::kWarpN / 8; ++j) {
      const size_t row = place.tile.row + place.warp_row + i * 16 + lane / 4;
      const unsigned column = place.tile.column + place.warp_column + j * 8 + lane % 4 * 2;
      T::Store(c + row * n + column, sum[i][j].d, 0);
      T::Store(c + (row + 8) * n + column, sum[i][j].d, 1);
    }
  }
}

template <class S, class T>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  const Place<S, T> place(a, b, m, n, k);
  unsigned char* shared = SharedMemory();
  const unsigned steps = place.Steps();
  const auto fetch = [&](unsigned step) {
    if (step < steps) {
      unsigned char* to = shared + step % S::kStages * S::kStageBytes;
      const size_t at = static_cast<size_t>(step) * kRowBytes;
      FetchTile<S::kM, S::kThreads>(to, place.from_a + at, place.stride);
      FetchTile<S::kN, S::kThreads>(to + S::kM * kRowBytes, place.from_b + at, place.stride);
    }
    CommitCopies();
  };
  const auto await_and_fetch = [&](unsigned step) {
    WaitCopies<S::kStages - 2>();
    __syncthreads();  // everyone's part has arrived, and everyone has done with the stage that is filled next
    fetch(step);
  };
  const auto load = [&](Operands<S>& to, unsigned stage, unsigned half) {
    to.Load(shared + stage * S::kStageBytes, half, place.warp_row, place.warp_column);
  };
#pragma unroll
  for (unsigned step = 0; step < S::kStages - 1; ++step) fetch(step);
  typename T::Fragment sum[S::kWarpM / 16][S::kWarpN / 8] = {};
  Operands<S> first, second;  // halves of a stage: one is loaded while the other is multiplied
  await_and_fetch(S::kStages - 1);
  load(first, 0, 0);
  unsigned stage = 0;
  for (unsigned step = 0; step < steps; ++step) {
    load(second, stage, 1);
    Multiply<S, T>(first, sum);
    await_and_fetch(step + S::kStages);
    stage = stage + 1 < S::kStages ? stage + 1 : 0;
    load(first, stage, 0);  // past the last step of numbers that nobody multiplies
    Multiply<S, T>(second, sum);
  }
  StoreTile(c, n, place, sum);
}

// Numbers of one kind in fragments of four 32-bit registers.
template <class Number>
struct Four {
  Number d[4];
};

// A type's instruction: kBits of an element, what C holds, the fragment of 16 x 8 sums.
#define MATRIX_TYPE(name, bits, number, multiply)                                                       \
  struct name {                                                                                         \
    static constexpr unsigned kBits = bits;                                                             \
    using Result = number;                                                                              \
    using Fragment = Four<number>;                                                                      \
    static DEVICE void Multiply(number(&d)[4], const unsigned(&a)[4], const unsigned(&b)[2]) {          \
      multiply(d, a, b);                                                                                \
    }                                                                                                   \
    static DEVICE void Store(number* to, const number(&d)[4], unsigned half) {                          \
      StorePair(to, d[2 * half], d[2 * half + 1]);                                                      \
    }                                                                                                   \
  };

// fp16 whose sums are fp16 as well, two a register: double the rate of fp32's on GeForce.
#define MATRIX_TYPE_IN_FP16(name, multiply)                                                             \
  struct name {                                                                                         \
    struct Fragment {                                                                                   \
      unsigned d[2];                                                                                    \
    };                                                                                                  \
    static constexpr unsigned kBits = 16;                                                               \
    using Result = unsigned short;                                                                      \
    static DEVICE void Multiply(unsigned(&d)[2], const unsigned(&a)[4], const unsigned(&b)[2]) {        \
      multiply(d, a, b);                                                                                \
    }                                                                                                   \
    static DEVICE void Store(unsigned short* to, const unsigned(&d)[2], unsigned half) {                \
      *reinterpret_cast<unsigned*>(to) = d[half];                                                       \
    }                                                                                                   \
  };

using Large = Shape<128, 128, 2, 2, 3>;  // so that two blocks have the shared memory of any chip
using Small = Shape<64, 64, 2, 2, 4>;

#define MATRIX_GEMM(name, S, T)                                                                               \
  KERNEL __launch_bounds__(S::kThreads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                             T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<S, T>(a, b, c, m, n, k);                                                                             \
  }

// Dependent instructions without memory: every warp has kMatrixChains fragments of 128 accumulators. They are added up
// every kRound steps: of fp8's sums Ada keeps 14 bits (arXiv 2512.07004), enough for 128 x 32 ones and no more.
constexpr unsigned kMatrixChains = 8;
constexpr unsigned kChainThreads = 128;
constexpr unsigned kRound = 128;
template <class T>
DEVICE void Chain(typename T::Result* out, unsigned k, unsigned ones) {
  const unsigned warp = (blockIdx.x * kChainThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const unsigned first = warp * kMatrixChains * 128 + lane * 4;
  const unsigned a[4] = {ones, ones, ones, ones};
  const unsigned b[2] = {ones, ones};
  typename T::Fragment total[kMatrixChains];
#pragma unroll
  for (unsigned chain = 0; chain < kMatrixChains; ++chain) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      total[chain].d[i] = static_cast<typename T::Result>((first + chain * 128 + i) % 8);
    }
  }
  for (unsigned done = 0; done < k; done += kRound) {
    typename T::Fragment x[kMatrixChains] = {};
    const unsigned end = k - done < kRound ? k : done + kRound;
#pragma unroll 4
    for (unsigned step = done; step < end; ++step) {
#pragma unroll
      for (unsigned chain = 0; chain < kMatrixChains; ++chain) T::Multiply(x[chain].d, a, b);
    }
#pragma unroll
    for (unsigned chain = 0; chain < kMatrixChains; ++chain) {
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) total[chain].d[i] += x[chain].d[i];
    }
  }
#pragma unroll
  for (unsigned chain = 0; chain < kMatrixChains; ++chain) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) out[first + chain * 128 + i] = total[chain].d[i];
  }
}
#define MATRIX_CHAIN(name, T)                                                                                \
  KERNEL __launch_bounds__(kChainThreads) name(T::Result* __restrict__ out, unsigned k, unsigned ones) {     \
    Chain<T>(out, k, ones);                                                                                  \
  }

}  // namespace
