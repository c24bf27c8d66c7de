// SPDX-License-Identifier: MIT
// C = A * B with matrix instructions, for every type of matrix_types.hip.h: A is m x k, B is stored n x k,
// both read along k. A work-group of kThreads computes kTile x kTile of C, a line of 64 or 128 bytes of k at a
// time: the next part is on its way to registers while one is multiplied, and goes to the other of two buffers of
// local data share. Lines of a buffer are pieces of 16 bytes; piece p of row r lies at p ^ (r / 2 % 4), or at
// p ^ (r % 8) of eight, so that neither the writes nor the reads of eight neighbouring lanes meet a bank twice.

#include "kernels/simt/tiles.cuh"
#include "kernels/hip/matrix_types.hip.h"

namespace {

constexpr unsigned kThreads = 256;

// Of k, of one row in local data share: what an instruction takes at least.
template <class T>
struct Line {
  static constexpr unsigned kOfInstruction = T::kGroups * T::kWords * 4;
  static constexpr unsigned kBytes = kOfInstruction > 64 ? kOfInstruction : 64;
  static constexpr unsigned kPieces = kBytes / 16;
};

template <class T>
DEVICE unsigned Offset(unsigned row, unsigned piece) {
  constexpr unsigned kPieces = Line<T>::kPieces;
  return row * Line<T>::kBytes + (piece ^ (row * kPieces / 8 % kPieces)) * 16;
}

// A thread's share of kTile rows of both operands.
template <class T, unsigned kTile>
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
      *reinterpret_cast<uint4*>(to + Offset<T>(at / kPieces, at % kPieces)) = a[i];
      *reinterpret_cast<uint4*>(to + Offset<T>(kTile + at / kPieces, at % kPieces)) = b[i];
    }
  }
};

// What a lane reads at once of one row: a whole number of instructions' operands.
template <class T>
struct Operand {
  static constexpr unsigned kReads = T::kWords > 4 ? T::kWords / 4 : 1;
  static constexpr unsigned kInstructions = kReads * 4 / T::kWords;
  static constexpr unsigned kDepth = T::kGroups * kReads * 128 / T::kBits;  // of k, all lanes together
  Words<T::kWords> part[kInstructions];

  DEVICE void Load(const unsigned char* tile, unsigned row, unsigned first, unsigned lane) {
    uint4 read[kReads];
#pragma unroll
    for (unsigned i = 0; i < kReads; ++i) {
      read[i] = *reinterpret_cast<const uint4*>(
          tile + Offset<T>(row + lane % 16, first + lane / 16 % T::kGroups * kReads + i));
    }
    *this = __builtin_bit_cast(Operand, read);
  }
};

// The waves of a work-group, two beside each other, and what each computes, in instructions.
template <class T, unsigned kTile>
struct Wave {
  static constexpr unsigned kM = kTile, kN = kTile;  // all together
  static constexpr unsigned kRows = kThreads / T::kWave / 2;
  static constexpr unsigned kDown = kTile / kRows / 16, kAcross = kTile / 2 / 16;
  using Sum = typename T::Fragment[kDown][kAcross];
};

// A wave's part of one buffer.
template <class T, unsigned kTile>
DEVICE void MultiplyPart(const unsigned char* tile, unsigned wave_row, unsigned wave_column,
                         typename Wave<T, kTile>::Sum& sum) {
  constexpr unsigned kDown = Wave<T, kTile>::kDown, kAcross = Wave<T, kTile>::kAcross;
  const unsigned lane = threadIdx.x % T::kWave;
#pragma unroll
  for (unsigned first = 0; first < Line<T>::kPieces; first += T::kGroups * Operand<T>::kReads) {
    Operand<T> a[kDown];
    Operand<T> b[kAcross];
#pragma unroll
    for (unsigned i = 0; i < kDown; ++i) a[i].Load(tile, wave_row + i * 16, first, lane);
#pragma unroll
    for (unsigned j = 0; j < kAcross; ++j) b[j].Load(tile, kTile + wave_column + j * 16, first, lane);
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

// The device deals work-groups out to its dies in turn. Those of one die share a cache and so get tiles that are
// neighbours; the host says how many dies there are.
#if !defined(XCC_COUNT)
#define XCC_COUNT 1
#endif
DEVICE unsigned TileNumber(unsigned group, unsigned groups) {
  const unsigned each = groups / XCC_COUNT;
  return group < each * XCC_COUNT ? group % XCC_COUNT * each + group / XCC_COUNT : group;
}

template <class T, unsigned kTile>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  constexpr unsigned kDown = Wave<T, kTile>::kDown, kAcross = Wave<T, kTile>::kAcross;
  constexpr unsigned kRowBytes = Line<T>::kBytes;
  constexpr unsigned kBufferBytes = 2 * kTile * kRowBytes;
  unsigned char* shared = SharedBlock<2 * kBufferBytes>();
  const Tile tile = TileOf<Wave<T, kTile>>(TileNumber(blockIdx.x, gridDim.x), m, n);
  const size_t stride = static_cast<size_t>(k) * T::kBits / 8;
  const auto* from_a = static_cast<const unsigned char*>(a) + tile.row * stride;
  const auto* from_b = static_cast<const unsigned char*>(b) + tile.column * stride;
  const unsigned steps = static_cast<unsigned>(stride / kRowBytes);
  const unsigned wave = threadIdx.x / T::kWave, lane = threadIdx.x % T::kWave;
  const unsigned wave_row = wave / 2 * kDown * 16, wave_column = wave % 2 * kAcross * 16;
  typename Wave<T, kTile>::Sum sum = {};
  Part<T, kTile> part;
  part.Fetch(from_a, from_b, stride);
  part.Store(shared);
  __syncthreads();
  for (unsigned step = 0; step + 1 < steps; ++step) {
    const size_t next = static_cast<size_t>(step + 1) * kRowBytes;
    part.Fetch(from_a + next, from_b + next, stride);
    DeviceKeepOrder();  // or all products wait for what was just fetched
    MultiplyPart<T, kTile>(shared + step % 2 * kBufferBytes, wave_row, wave_column, sum);
    DeviceKeepOrder();
    part.Store(shared + (step + 1) % 2 * kBufferBytes);
    __syncthreads();  // the other buffer is whole, and everyone has done with this one
  }
  MultiplyPart<T, kTile>(shared + (steps - 1) % 2 * kBufferBytes, wave_row, wave_column, sum);
#pragma unroll
  for (unsigned i = 0; i < kDown; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kAcross; ++j) {
      const unsigned column = tile.column + wave_column + j * 16 + lane % 16;
#pragma unroll
      for (unsigned item = 0; item < T::kItems; ++item) {
        const size_t row = tile.row + wave_row + i * 16 + T::Row(item, lane);
        c[row * n + column] = sum[i][j].d[item];
      }
    }
  }
}

// Dependent instructions without memory: every wave has kMatrixChains fragments of 256 accumulators.
constexpr unsigned kMatrixChains = 8;
template <class T>
DEVICE void Chain(typename T::Result* out, unsigned k, unsigned ones) {
  const unsigned wave = (blockIdx.x * kThreads + threadIdx.x) / T::kWave, lane = threadIdx.x % T::kWave;
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

#define MATRIX_GEMM(name, tile, T)                                                                         \
  KERNEL __launch_bounds__(kThreads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                          T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<T, tile>(a, b, c, m, n, k);                                                                       \
  }
#define MATRIX_CHAIN(name, T)                                                                       \
  KERNEL __launch_bounds__(kThreads) name(T::Result* __restrict__ out, unsigned k, unsigned ones) { \
    Chain<T>(out, k, ones);                                                                         \
  }

}  // namespace

MATRIX_GEMM(gemm_##NAME##_128, 128, TYPE)
MATRIX_GEMM(gemm_##NAME##_64, 64, TYPE)
MATRIX_CHAIN(chain_##NAME, TYPE)
