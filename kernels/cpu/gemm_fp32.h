// SPDX-License-Identifier: MIT
// The cut and the workspace of the fp32 product, which its caller must know as well.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm.h"

namespace kernels::cpu {

inline constexpr std::size_t kGemmFp32TileRows = 6;

// Measured on Sapphire Rapids: two blocks of A and two panels of B fit in 1 MiB.
[[nodiscard]] constexpr Limits GemmFp32Limits(std::size_t width) {
  return {.tile_rows = kGemmFp32TileRows, .width = width, .depth_step = 1, .max_depth = 384, .max_rows = 192};
}

// Floats between packed rows of A: no two rows of a tile on the same cache sets.
[[nodiscard]] constexpr std::size_t GemmFp32Stride(const Blocks& blocks) {
  return RoundUp(blocks.depth, 16) + 16;
}

// Floats of the workspace for each worker: two blocks of A, and one more panel of B than it has.
[[nodiscard]] constexpr std::size_t GemmFp32WorkerFloats(std::size_t m, std::size_t n, std::size_t k,
                                                         std::size_t workers, std::size_t width) {
  const Blocks blocks = LargestBlocks(m, n, k, GemmFp32Limits(width), workers);
  return RoundUp(2 * blocks.rows * GemmFp32Stride(blocks) + (blocks.panels + 1) * blocks.depth * width, 16);
}

[[nodiscard]] constexpr std::size_t GemmFp32WorkspaceBytes(std::uint32_t m, std::uint32_t n, std::uint32_t k,
                                                           unsigned workers) {
  std::size_t floats = 0;
  // From two scalars to four vectors of 2048 bits, the longest that SVE allows.
  for (std::size_t width = 2; width <= 256; width *= 2) {
    floats = std::max(floats, GemmFp32WorkerFloats(m, n, k, workers, width));
  }
  return workers * floats * sizeof(float);
}

}  // namespace kernels::cpu
