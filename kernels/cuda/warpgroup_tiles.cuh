// SPDX-License-Identifier: MIT
// What the products by Hopper's warpgroups have in common. A warpgroup multiplies 64 rows of A.
#pragma once

#include "kernels/simt/tiles.cuh"
#include "kernels/cuda/stages.cuh"
#include "kernels/cuda/wgmma.cuh"

namespace {

constexpr unsigned kWarpgroup = 128;  // threads
constexpr unsigned kWarpgroupRows = 64;

// PTX ISA, "Matrix Descriptor": start, leading and stride offset in units of 16 bytes at bits 0, 16 and 32, the
// swizzle at 62 (1: 128 bytes). Swizzled, the leading offset is not used; the stride is from atom to atom.
DEVICE unsigned long long DescriptorOf(const unsigned char* tile) {
  return 1ULL << 62 | static_cast<unsigned long long>(kAtomBytes >> 4) << 32 | 1ULL << 16 |
         (SharedAddress(tile) & 0x3ffffU) >> 4;
}

// A warpgroup's part of one stage.
template <class T, unsigned kCount>
DEVICE void MultiplyStage(const unsigned char* rows, const unsigned char* columns, typename T::Result (&sum)[kCount]) {
  const unsigned long long a = DescriptorOf(rows), b = DescriptorOf(columns);
#pragma unroll
  for (unsigned at = 0; at < kRowBytes; at += kInstructionBytes) T::Multiply(sum, a + (at >> 4), b + (at >> 4));
}

// Past what the second-level cache keeps of A and B.
DEVICE void StorePairOnce(float* to, float x, float y) { __stcs(reinterpret_cast<float2*>(to), make_float2(x, y)); }
DEVICE void StorePairOnce(int* to, int x, int y) { __stcs(reinterpret_cast<int2*>(to), make_int2(x, y)); }

// PTX ISA, "Register Fragments" of wgmma: a warp has 16 rows, of every 8 columns a thread has two in two rows. `c` is
// where the warp's rows and the tile's columns begin.
template <class Number, unsigned kCount>
DEVICE void StoreSums(Number* c, unsigned n, const Number (&sum)[kCount]) {
  const unsigned lane = threadIdx.x % 32;
  Number* to = c + static_cast<size_t>(lane / 4) * n + lane % 4 * 2;
#pragma unroll
  for (unsigned j = 0; j < kCount / 4; ++j) {
    StorePairOnce(to + j * 8, sum[4 * j], sum[4 * j + 1]);
    StorePairOnce(to + static_cast<size_t>(8) * n + j * 8, sum[4 * j + 2], sum[4 * j + 3]);
  }
}

// A type's instruction: kBits of an element, what C holds.
#define WARPGROUP_TYPE(name, bits, number, multiply)                                                              \
  struct name {                                                                                                   \
    static constexpr unsigned kBits = bits;                                                                       \
    using Result = number;                                                                                        \
    template <unsigned kCount>                                                                                    \
    static DEVICE void Multiply(number(&d)[kCount], unsigned long long a, unsigned long long b) { multiply(d, a, b); } \
  };

}  // namespace
