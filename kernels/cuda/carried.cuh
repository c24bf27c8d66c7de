// SPDX-License-Identifier: MIT
// Tiles of 64-byte rows on their way from global to shared memory through registers, for chips without cp.async.
#pragma once

#include "kernels/cuda/device.cuh"

namespace {

constexpr unsigned kCarriedPieces = 4;  // of 16 bytes, a row

// A thread's part of kLines rows. `offset` says where a piece of a row goes.
template <unsigned kLines, unsigned kThreads>
struct Carried {
  static_assert(kLines * kCarriedPieces % kThreads == 0);
  static constexpr unsigned kParts = kLines * kCarriedPieces / kThreads;
  uint4 part[kParts];

  DEVICE void Fetch(const unsigned char* from, size_t stride) {
#pragma unroll
    for (unsigned i = 0; i < kParts; ++i) {
      const unsigned at = i * kThreads + threadIdx.x, row = at / kCarriedPieces, piece = at % kCarriedPieces;
      part[i] = *reinterpret_cast<const uint4*>(from + row * stride + piece * 16);
    }
  }
  template <class Where>
  DEVICE void Store(unsigned char* to, Where offset) const {
#pragma unroll
    for (unsigned i = 0; i < kParts; ++i) {
      const unsigned at = i * kThreads + threadIdx.x, row = at / kCarriedPieces, piece = at % kCarriedPieces;
      *reinterpret_cast<uint4*>(to + offset(row, piece)) = part[i];
    }
  }
};

}  // namespace
