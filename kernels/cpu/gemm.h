// SPDX-License-Identifier: MIT
// How the matrix products are divided among workers and caches, and the workspace that this takes.
#pragma once

#include <cstdint>

#include "kernels/cpu/share.h"

namespace kernels::cpu {

// Workers as a grid over the result.
struct Grid {
  std::size_t down;
  std::size_t across;
};

// The division of m x n whose largest part is smallest; of equals the one whose part is nearest a square,
// because each worker packs its own rows of A and columns of B.
[[nodiscard]] constexpr Grid GridOf(std::size_t workers, std::size_t m, std::size_t tile_rows, std::size_t n,
                                    std::size_t tile_columns) {
  Grid best{workers, 1};
  std::size_t least_area = ~std::size_t{0}, least_border = ~std::size_t{0};
  for (std::size_t down = workers; down >= 1; --down) {
    if (workers % down != 0) continue;
    const std::size_t across = workers / down;
    const std::size_t rows = DivideUp(DivideUp(m, tile_rows), down) * tile_rows;
    const std::size_t columns = DivideUp(DivideUp(n, tile_columns), across) * tile_columns;
    const std::size_t area = rows * columns, border = rows + columns;
    if (area < least_area || (area == least_area && border <= least_border)) {
      best = {down, across};
      least_area = area;
      least_border = border;
    }
  }
  return best;
}

// How one worker's part of the fp32 product is cut: k in equal parts, its rows in blocks, its columns in
// panels. The limits are measured on Sapphire Rapids; two blocks of A and two panels of B fit in 1 MiB.
struct GemmFp32Blocks {
  static constexpr std::size_t kTileRows = 6;
  static constexpr std::size_t kMaxDepth = 384;
  static constexpr std::size_t kMaxRows = 192;

  constexpr GemmFp32Blocks(Range part_rows, Range part_columns, std::size_t k, std::size_t width)
      : deep(DivideUp(k, kMaxDepth)),
        depth(DivideUp(k, deep)),
        // No two rows of a tile on the same cache sets.
        stride(DivideUp(depth, 16) * 16 + 16),
        down(DivideUp(part_rows.end - part_rows.begin, kMaxRows)),
        rows(down == 0 ? 0
                       : DivideUp(DivideUp(part_rows.end - part_rows.begin, down), kTileRows) * kTileRows),
        panels(DivideUp(part_columns.end - part_columns.begin, width)) {}

  std::size_t deep, depth;
  std::size_t stride;  // floats between packed rows of A
  std::size_t down, rows;
  std::size_t panels;
};

// Floats of the workspace for each worker, for panels of `width`.
[[nodiscard]] constexpr std::size_t GemmFp32WorkerFloats(std::size_t m, std::size_t n, std::size_t k,
                                                         std::size_t workers, std::size_t width) {
  constexpr std::size_t kTileRows = GemmFp32Blocks::kTileRows;
  const Grid grid = GridOf(workers, m, kTileRows, n, width);
  const GemmFp32Blocks blocks({0, DivideUp(DivideUp(m, kTileRows), grid.down) * kTileRows},
                              {0, DivideUp(DivideUp(n, width), grid.across) * width}, k, width);
  return DivideUp(2 * blocks.rows * blocks.stride + (blocks.panels + 1) * blocks.depth * width, 16) * 16;
}

[[nodiscard]] constexpr std::size_t GemmFp32WorkspaceBytes(std::uint32_t m, std::uint32_t n, std::uint32_t k,
                                                           unsigned workers) {
  std::size_t floats = 0;
  // From one scalar to four vectors of 2048 bits, the longest that SVE allows.
  for (std::size_t width = 2; width <= 256; width *= 2) {
    floats = std::max(floats, GemmFp32WorkerFloats(m, n, k, workers, width));
  }
  return workers * floats * sizeof(float);
}

}  // namespace kernels::cpu
