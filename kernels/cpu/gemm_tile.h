// SPDX-License-Identifier: MIT
// The cut and the workspace of the products on vector registers, which their caller must know as well.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm.h"

namespace kernels::cpu {

inline constexpr std::size_t kTileRows = 6;
// Packed side by side: one pointer then serves three rows, and their numbers lie next to each other.
inline constexpr std::size_t kHalfRows = kTileRows / 2;

// Depth in words of 32 bits: one fp32, two bf16 or four int8 numbers that one instruction multiplies
// together. The deeper a panel, the less often C is read and written: with wide vectors that is worth more
// than a first-level cache that holds it (measured on Sapphire Rapids); with narrow ones a panel and a tile's
// rows of A that fill 32 KiB are best (Zen 3: 1.5 % faster than with 512, which leaves no room for A, or
// 256). 512 products of int8 numbers add up to less than 2^24, which fp32 holds exactly. Two blocks of A and
// two panels of B fit in the second-level cache: 1 MiB with vectors of 512 bits, half of that elsewhere.
[[nodiscard]] constexpr Limits TileLimits(std::size_t width) {
  const bool wide = width >= 64;
  return {.tile_rows = kTileRows,
          .width = width,
          .depth_step = 1,
          .max_depth = wide ? std::size_t{512} : std::size_t{384},
          .max_rows = wide ? std::size_t{168} : std::size_t{96}};
}

// Words for a packed row of A: no two tiles begin on the same cache set.
[[nodiscard]] constexpr std::size_t StrideOfA(const Blocks& blocks) { return RoundUp(blocks.depth, 16) + 16; }

// A panel of B: its depth and one row of what the accumulators start from.
[[nodiscard]] constexpr std::size_t PanelWords(const Blocks& blocks, std::size_t width) {
  return (blocks.depth + 1) * width;
}

// Words of the workspace for each worker: a tile's rows and two blocks of A, and the panels of B.
[[nodiscard]] constexpr std::size_t TileWorkerWords(std::size_t m, std::size_t n, std::size_t words_k,
                                                    std::size_t workers, std::size_t width) {
  const Blocks blocks = LargestBlocks(m, n, words_k, TileLimits(width), workers);
  return RoundUp((kTileRows + 2 * blocks.rows) * StrideOfA(blocks) + blocks.kept * PanelWords(blocks, width),
                 16);
}

// For every implementation whose words hold kGroup or fewer numbers.
template <std::size_t kGroup>
[[nodiscard]] constexpr std::size_t TileWorkspaceBytes(std::uint32_t m, std::uint32_t n, std::uint32_t k,
                                                       unsigned workers) {
  std::size_t words = 0;
  for (std::size_t group = 1; group <= kGroup; group *= 2) {
    // From two scalars to four vectors of 2048 bits, the longest that SVE allows.
    for (std::size_t width = 2; width <= 256; width *= 2) {
      words = std::max(words, TileWorkerWords(m, n, DivideUp(k, group), workers, width));
    }
  }
  return workers * words * sizeof(float);
}

}  // namespace kernels::cpu
