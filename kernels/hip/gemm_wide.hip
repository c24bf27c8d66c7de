// SPDX-License-Identifier: MIT
// C = A * B with the matrix instructions of CDNA in large tiles, of which local data share is read least: A
// is m x k, B is stored n x k, both read along k, 128 bytes of a row at a time, which is a whole line of the
// caches. A work-group is four waves, one for each execution unit, and each computes a quarter of kM x kN of
// C in accumulation registers. Nothing else runs there that could cover for a wave that waits, so no wave
// does: while one part of a line is multiplied the next is on its way to registers, and behind the last part,
// which is in registers already, the only buffer is written anew. The next line comes from memory meanwhile.

#include "kernels/hip/matrix_lines.hip.h"

namespace {

constexpr unsigned kThreads = 256;
#if defined(__gfx950__)
using Line = Lines<128, 2>;  // it has 64 banks, the others have 32
#else
using Line = Lines<128, 1>;
#endif

template <class T, unsigned kTileRows, unsigned kTileColumns>
struct Wide {
  static constexpr unsigned kM = kTileRows, kN = kTileColumns;
  // Of a wave, in instructions.
  static constexpr unsigned kDown = kM / 2 / T::kSide, kAcross = kN / 2 / T::kSide;
  // Of a line, as many as a wave reads one after the other.
  static constexpr unsigned kParts = Line::kPieces / Operand<T>::kPieces;
  // Instructions with matrices, and reads of operands, of a part.
  static constexpr unsigned kProducts = kDown * kAcross * Operand<T>::kInstructions;
  static constexpr unsigned kReads = (kDown + kAcross) * Operand<T>::kReads;
  static constexpr unsigned kEach = (kM + kN) * Line::kPieces / kThreads;  // pieces of a thread
  static_assert(kParts % 2 == 0 && kDown % 2 == 0 && kEach % kParts == 0);
  using Sum = typename T::Fragment[kDown][kAcross];
};

// A thread's share of a line of all rows. All but its own place in a few of them is the same for all threads.
template <class S>
struct Fetched {
  static constexpr unsigned kRowsOnce = kThreads / Line::kPieces;
  uint4 piece[S::kEach];

  // `own`: the place of the thread's piece in the first rows.
  template <unsigned kFirst, unsigned kCount>
  DEVICE void Fetch(const unsigned char* from_a, const unsigned char* from_b, size_t stride, unsigned own) {
#pragma unroll
    for (unsigned i = kFirst; i < kFirst + kCount; ++i) {
      const unsigned row = i * kRowsOnce;
      const unsigned char* rows = row < S::kM ? from_a + row * stride : from_b + (row - S::kM) * stride;
      piece[i] = *reinterpret_cast<const uint4*>(rows + own);
    }
  }
  DEVICE void Store(unsigned char* to) const {
#pragma unroll
    for (unsigned i = 0; i < S::kEach; ++i) {
      *reinterpret_cast<uint4*>(to + Line::Offset(i * kRowsOnce + threadIdx.x / Line::kPieces,
                                                  threadIdx.x % Line::kPieces)) = piece[i];
    }
  }
};

// A wave's operands of one part of a line.
template <class T, class S>
struct Part {
  Operand<T> a[S::kDown];
  Operand<T> b[S::kAcross];

  DEVICE void Load(unsigned part, const unsigned char* tile, unsigned wave_row, unsigned wave_column) {
    const unsigned lane = threadIdx.x % T::kWave, first = part * Operand<T>::kPieces;
#pragma unroll
    for (unsigned i = 0; i < S::kDown; ++i) {
      a[i].template Load<Line>(tile, wave_row + i * T::kSide, first, lane);
    }
#pragma unroll
    for (unsigned j = 0; j < S::kAcross; ++j) {
      b[j].template Load<Line>(tile, S::kM + wave_column + j * T::kSide, first, lane);
    }
  }
  // Of its rows of instructions kCount from the first on.
  template <unsigned kFirst, unsigned kCount>
  DEVICE void Multiply(typename S::Sum& sum) const {
#pragma unroll
    for (unsigned of = 0; of < Operand<T>::kInstructions; ++of) {
#pragma unroll
      for (unsigned i = kFirst; i < kFirst + kCount; ++i) {
#pragma unroll
        for (unsigned j = 0; j < S::kAcross; ++j) T::Multiply(sum[i][j], a[i].part[of], b[j].part[of]);
      }
    }
  }
};

// What stands between two of DeviceKeepOrder comes in this order: a product, whose operands were read before
// and which would wait for what was read just now as well; in turn an access to local data share of
// kAccesses, some fetches of kFetches from memory and some of kProducts with matrices; and the other
// products.
template <DeviceKind kKind, unsigned kAccesses, unsigned kFetches, unsigned kProducts>
DEVICE void Interleave() {
  constexpr unsigned kTogether = kAccesses > kProducts ? kAccesses / kProducts : 1;
  constexpr unsigned kTurns = kAccesses / kTogether;
  DeviceNext<DeviceKind::kProduct, 1>();
#pragma unroll
  for (unsigned i = 0; i < kTurns; ++i) {
    DeviceNext<kKind, kTogether>();
    if constexpr (kFetches > 0) DeviceNext<DeviceKind::kFetch, (kFetches + kTurns - 1) / kTurns>();
    DeviceNext<DeviceKind::kProduct, (kProducts > kTurns ? kProducts / kTurns : 1)>();
  }
}

// Where a work-group and a wave of it read.
struct Places {
  const unsigned char* a;
  const unsigned char* b;
  size_t stride;
  unsigned own;
  const unsigned char* shared;
  unsigned wave_row, wave_column;
};

// The parts of a line from kPart on but for the last, which ends in registers; the pieces of the next line
// are asked for during the first half of them if there is a next line. No loop: older compilers would keep in
// memory what its steps number.
template <bool kFetches, unsigned kPart, class T, class S>
DEVICE void MultiplyParts(const Places& at, Part<T, S> (&parts)[2], Fetched<S>& fetched,
                          typename S::Sum& sum) {
  if constexpr (kPart + 1 < S::kParts) {
    constexpr bool kAsks = kFetches && kPart < S::kParts / 2;
    constexpr unsigned kAsked = kAsks ? S::kEach / (S::kParts / 2) : 0;
    DeviceKeepOrder();
    fetched.template Fetch<kPart * kAsked, kAsked>(at.a, at.b, at.stride, at.own);
    parts[(kPart + 1) % 2].Load(kPart + 1, at.shared, at.wave_row, at.wave_column);
    parts[kPart % 2].template Multiply<0, S::kDown>(sum);
    Interleave<DeviceKind::kRead, S::kReads, kAsked, S::kProducts / 2>();
    MultiplyParts<kFetches, kPart + 1>(at, parts, fetched, sum);
  }
}

template <class T, class S>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  unsigned char* shared = SharedBlock<(S::kM + S::kN) * Line::kBytes>();
  const Tile tile = TileOf<S>(TileNumber(blockIdx.x, gridDim.x), m, n);
  const size_t stride = static_cast<size_t>(k) * T::kBits / 8;
  const unsigned steps = static_cast<unsigned>(stride / Line::kBytes);
  const unsigned wave = threadIdx.x / T::kWave, lane = threadIdx.x % T::kWave;
  Places at{static_cast<const unsigned char*>(a) + tile.row * stride,
            static_cast<const unsigned char*>(b) + tile.column * stride,
            stride,
            threadIdx.x / Line::kPieces * static_cast<unsigned>(stride) + threadIdx.x % Line::kPieces * 16,
            shared,
            wave / 2 * S::kDown * T::kSide,
            wave % 2 * S::kAcross * T::kSide};
  typename S::Sum sum = {};
#pragma unroll
  for (unsigned i = 0; i < S::kDown; ++i) {
#pragma unroll
    for (unsigned j = 0; j < S::kAcross; ++j) DeviceAccumulate(sum[i][j].d);
  }
  Fetched<S> fetched;
  Part<T, S> parts[2];
  fetched.template Fetch<0, S::kEach>(at.a, at.b, stride, at.own);
  fetched.Store(shared);
  __syncthreads();
  parts[0].Load(0, shared, at.wave_row, at.wave_column);
  for (unsigned step = 1; step < steps; ++step) {
    at.a += Line::kBytes;
    at.b += Line::kBytes;
    MultiplyParts<true, 0>(at, parts, fetched, sum);
    DeviceKeepOrder();
    __syncthreads();  // everyone has the last part in registers
    DeviceKeepOrder();
    fetched.Store(shared);
    parts[1].template Multiply<0, S::kDown / 2>(sum);
    Interleave<DeviceKind::kWrite, S::kEach, 0, S::kProducts / 4>();  // the rest covers for the last write
    DeviceKeepOrder();
    __syncthreads();  // the next line is whole
    DeviceKeepOrder();
    parts[0].Load(0, shared, at.wave_row, at.wave_column);
    parts[1].template Multiply<S::kDown / 2, S::kDown / 2>(sum);
    Interleave<DeviceKind::kRead, S::kReads, 0, S::kProducts / 4>();
  }
  MultiplyParts<false, 0>(at, parts, fetched, sum);
  DeviceKeepOrder();
  parts[1].template Multiply<0, S::kDown>(sum);
#pragma unroll
  for (unsigned i = 0; i < S::kDown; ++i) {
#pragma unroll
    for (unsigned j = 0; j < S::kAcross; ++j) {
      const size_t row = tile.row + at.wave_row + i * T::kSide;
      StoreFragment<T>(sum[i][j], c + row * n + tile.column + at.wave_column + j * T::kSide, n, lane);
    }
  }
}

#define WIDE_GEMM(name, tile_rows, tile_columns, T)                                                        \
  KERNEL __launch_bounds__(kThreads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                          T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<T, Wide<T, tile_rows, tile_columns>>(a, b, c, m, n, k);                                           \
  }

}  // namespace

WIDE_GEMM(gemm_##NAME##_256x256, 256, 256, TYPE)
WIDE_GEMM(gemm_##NAME##_256x128, 256, 128, TYPE)
