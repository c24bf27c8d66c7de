// SPDX-License-Identifier: MIT
// How products with matrix instructions bring both operands through local data share, and which tile of C a
// work-group computes. A buffer is lines of k, those of A's rows before those of B's; a line is pieces of 16
// bytes.
#pragma once

#include "kernels/hip/matrix_types.hip.h"
#include "kernels/simt/tiles.cuh"

namespace {

// Piece p of row r lies at p ^ (r / kLineRows % kPieces), kLineRows being how many lines fill all banks:
// neither the writes nor the reads of lanes that are served together meet a bank twice.
template <unsigned kLineBytes, unsigned kLineRows>
struct Lines {
  static constexpr unsigned kBytes = kLineBytes;
  static constexpr unsigned kPieces = kBytes / 16;
  static DEVICE unsigned Offset(unsigned row, unsigned piece) {
    return row * kBytes + (piece ^ (row / kLineRows % kPieces)) * 16;
  }
};

// What a lane reads at once of one row: a whole number of instructions' operands.
template <class T>
struct Operand {
  static constexpr unsigned kReads = T::kWords > 4 ? T::kWords / 4 : 1;
  static constexpr unsigned kInstructions = kReads * 4 / T::kWords;
  static constexpr unsigned kPieces = T::kGroups * kReads;  // of all lanes together
  Words<T::kWords> part[kInstructions];

  template <class Line>
  DEVICE void Load(const unsigned char* tile, unsigned row, unsigned first, unsigned lane) {
    uint4 read[kReads];
#pragma unroll
    for (unsigned i = 0; i < kReads; ++i) {
      read[i] = *reinterpret_cast<const uint4*>(
          tile + Line::Offset(row + lane % T::kSide, first + lane / T::kSide % T::kGroups * kReads + i));
    }
    *this = __builtin_bit_cast(Operand, read);
  }
};

// The device deals work-groups out to its dies in turn. Those of one die share a cache and so get tiles that
// are neighbours; the host says how many dies there are.
#if !defined(XCC_COUNT)
#define XCC_COUNT 1
#endif
DEVICE unsigned TileNumber(unsigned group, unsigned groups) {
  const unsigned each = groups / XCC_COUNT;
  return group < each * XCC_COUNT ? group % XCC_COUNT * each + group / XCC_COUNT : group;
}

// One instruction's part of C, whose first entry is `c`.
template <class T>
DEVICE void StoreFragment(const typename T::Fragment& sum, typename T::Result* c, unsigned n, unsigned lane) {
#pragma unroll
  for (unsigned item = 0; item < T::kItems; ++item) {
    c[T::Row(item, lane) * static_cast<size_t>(n) + lane % T::kSide] = sum.d[item];
  }
}

}  // namespace
