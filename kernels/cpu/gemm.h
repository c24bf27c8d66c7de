// SPDX-License-Identifier: MIT
// What the matrix products share: how workers divide the result, and how deep a packed block is.
#pragma once

#include <cstdint>

#include "kernels/cpu/share.h"

namespace kernels::cpu {

// Workers as a grid over the result.
struct Grid {
  std::size_t down;
  std::size_t across;
};

// The division whose largest part is smallest; of equals the one with most rows of workers, where every
// worker passes over its rows of A again from its own cache.
[[nodiscard]] constexpr Grid GridOf(std::size_t workers, std::size_t tiles_down, std::size_t tiles_across) {
  Grid best{workers, 1};
  std::size_t least = DivideUp(tiles_down, workers) * tiles_across;
  for (std::size_t down = workers; down >= 1; --down) {
    if (workers % down != 0) continue;
    const std::size_t across = workers / down;
    const std::size_t largest = DivideUp(tiles_down, down) * DivideUp(tiles_across, across);
    if (largest < least) {
      least = largest;
      best = {down, across};
    }
  }
  return best;
}

// Rows of B in one packed block: equal parts of k, none above 512 (measured on Sapphire Rapids).
[[nodiscard]] constexpr std::size_t GemmFp32Depth(std::size_t k) { return DivideUp(k, DivideUp(k, 512)); }

// The widest panel: four vectors of 2048 bits, the largest that SVE allows.
inline constexpr std::size_t kGemmFp32MaxWidth = 4 * 2048 / 32;

// Two packed blocks of B.
[[nodiscard]] constexpr std::size_t GemmFp32WorkspaceBytes(std::uint32_t, std::uint32_t n, std::uint32_t k,
                                                           unsigned) {
  return 2 * GemmFp32Depth(k) * DivideUp(n, kGemmFp32MaxWidth) * kGemmFp32MaxWidth * sizeof(float);
}

}  // namespace kernels::cpu
