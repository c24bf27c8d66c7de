// SPDX-License-Identifier: MIT
// How the products by matrix units share C among their blocks, and how they write it.
#pragma once

namespace {

constexpr unsigned kGroup = 8;  // rows of blocks that share their columns while those are in the cache

struct Tile {
  unsigned row, column;
};
// Blocks of S::kM x S::kN in the order in which they run: kGroup rows of them go through the columns together.
template <class S>
DEVICE Tile TileOf(unsigned block, unsigned m, unsigned n) {
  const unsigned rows = m / S::kM, columns = n / S::kN;
  const unsigned first = block / (kGroup * columns) * kGroup, inside = block % (kGroup * columns);
  const unsigned height = rows - first < kGroup ? rows - first : kGroup;
  return {(first + inside % height) * S::kM, inside / height * S::kN};
}

// Neighbours in a row of C.
DEVICE void StorePair(float* to, float x, float y) { *reinterpret_cast<float2*>(to) = make_float2(x, y); }
DEVICE void StorePair(int* to, int x, int y) { *reinterpret_cast<int2*>(to) = make_int2(x, y); }

}  // namespace
