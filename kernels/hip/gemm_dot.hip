// SPDX-License-Identifier: MIT
// C = A * B by dot products of registers, for devices without matrix units: A is m x k, B is stored n x k,
// both read along k. A work-group of 16 x 16 threads computes kTile x kTile of C, each thread (kTile / 16)^2
// entries, kDepth words of k at a time: the next part is on its way to registers while one is multiplied, and
// goes to the other of two buffers. A word is as many elements as one instruction takes.

#include "kernels/simt/tiles.cuh"
#include "kernels/hip/device.hip.h"

namespace {

constexpr unsigned kSide = 16;
constexpr unsigned kThreads = 256;
static_assert(kThreads == kSide * kSide);
constexpr unsigned kDepth = 16;

template <unsigned kCount>
struct Words {
  unsigned w[kCount];
};

// LLVM, "User Guide for AMDGPU Backend": v_dot2_f32_f16 and v_dot4_i32_i8.
struct Fp16 {
  using Result = float;
  static constexpr unsigned kBits = 16;
  static DEVICE float Dot(unsigned a, unsigned b, float sum) {
    using Pair = Vector<Half, 2>;
    return AMD_BUILTIN(fdot2)(__builtin_bit_cast(Pair, a), __builtin_bit_cast(Pair, b), sum, false);
  }
};
struct Int8 {
  using Result = int;
  static constexpr unsigned kBits = 8;
  static DEVICE int Dot(unsigned a, unsigned b, int sum) {
    return AMD_BUILTIN(sdot4)(static_cast<int>(a), static_cast<int>(b), sum, false);
  }
};

// Entry i of a thread's: runs of four, so that neighbours read 16 bytes beside each other.
DEVICE unsigned Place(unsigned own, unsigned i) { return own * 4 + i / 4 * (kSide * 4) + i % 4; }

template <unsigned kTile>
struct Size {
  static constexpr unsigned kM = kTile, kN = kTile;
  // Words of one depth: the padding spreads the writes over the banks.
  static constexpr unsigned kLine = kTile + 4;
  static constexpr unsigned kOperand = kDepth * kLine;
};

// A thread's share of kTile rows of both operands.
template <unsigned kTile>
struct Part {
  static constexpr unsigned kEach = kTile * kDepth / 4 / kThreads;
  uint4 a[kEach];
  uint4 b[kEach];

  DEVICE void Fetch(const unsigned* from_a, const unsigned* from_b, size_t stride) {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned at = (i * kThreads + threadIdx.x) * 4;
      const size_t place = at / kDepth * stride + at % kDepth;
      a[i] = *reinterpret_cast<const uint4*>(from_a + place);
      b[i] = *reinterpret_cast<const uint4*>(from_b + place);
    }
  }
  // Transposed, so that both operands are read along a line.
  DEVICE void Store(unsigned* to) const {
#pragma unroll
    for (unsigned i = 0; i < kEach; ++i) {
      const unsigned at = (i * kThreads + threadIdx.x) * 4;
      Put(to + at % kDepth * Size<kTile>::kLine + at / kDepth, a[i]);
      Put(to + Size<kTile>::kOperand + at % kDepth * Size<kTile>::kLine + at / kDepth, b[i]);
    }
  }
  static DEVICE void Put(unsigned* to, const uint4& words) {
    to[0] = words.x;
    to[Size<kTile>::kLine] = words.y;
    to[2 * Size<kTile>::kLine] = words.z;
    to[3 * Size<kTile>::kLine] = words.w;
  }
};

template <class T, unsigned kTile>
DEVICE void Gemm(const void* a, const void* b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  constexpr unsigned kEach = kTile / kSide;
  constexpr unsigned kBuffer = 2 * Size<kTile>::kOperand;
  auto* shared = reinterpret_cast<unsigned*>(SharedBlock<2 * kBuffer * 4>());
  const Tile tile = TileOf<Size<kTile>>(blockIdx.x, m, n);
  const unsigned x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  const size_t stride = static_cast<size_t>(k) * T::kBits / 32;
  const unsigned* from_a = static_cast<const unsigned*>(a) + tile.row * stride;
  const unsigned* from_b = static_cast<const unsigned*>(b) + tile.column * stride;
  const unsigned steps = static_cast<unsigned>(stride / kDepth);
  typename T::Result sum[kEach][kEach] = {};
  Part<kTile> part;
  part.Fetch(from_a, from_b, stride);
  part.Store(shared);
  __syncthreads();
  for (unsigned step = 0; step < steps; ++step) {
    const size_t next = static_cast<size_t>(step + 1) * kDepth;
    const bool more = step + 1 < steps;
    if (more) part.Fetch(from_a + next, from_b + next, stride);
    const unsigned* line_a = shared + step % 2 * kBuffer;
    const unsigned* line_b = line_a + Size<kTile>::kOperand;
#pragma unroll 1
    for (unsigned d = 0; d < kDepth; ++d, line_a += Size<kTile>::kLine, line_b += Size<kTile>::kLine) {
      uint4 av[kEach / 4], bv[kEach / 4];
#pragma unroll
      for (unsigned i = 0; i < kEach / 4; ++i) {
        av[i] = *reinterpret_cast<const uint4*>(line_a + Place(y, i * 4));
        bv[i] = *reinterpret_cast<const uint4*>(line_b + Place(x, i * 4));
      }
      const auto wa = __builtin_bit_cast(Words<kEach>, av);
      const auto wb = __builtin_bit_cast(Words<kEach>, bv);
#pragma unroll
      for (unsigned i = 0; i < kEach; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) sum[i][j] = T::Dot(wa.w[i], wb.w[j], sum[i][j]);
      }
    }
    if (more) part.Store(shared + (step + 1) % 2 * kBuffer);
    __syncthreads();  // the other buffer is whole, and everyone has done with this one
  }
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i) {
    const size_t row = tile.row + Place(y, i);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) c[row * n + tile.column + Place(x, j)] = sum[i][j];
  }
}

#define MATRIX_GEMM(name, tile, T)                                                                         \
  KERNEL __launch_bounds__(kThreads) name(const void* __restrict__ a, const void* __restrict__ b,          \
                                          T::Result* __restrict__ c, unsigned m, unsigned n, unsigned k) { \
    Gemm<T, tile>(a, b, c, m, n, k);                                                                       \
  }

}  // namespace

MATRIX_GEMM(gemm_##NAME##_128, 128, TYPE)
MATRIX_GEMM(gemm_##NAME##_64, 64, TYPE)
