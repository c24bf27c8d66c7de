// SPDX-License-Identifier: MIT
// The products on AMX tiles (bf16 into fp32, int8 into int32): their cut and workspace. x86-64 only.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm.h"

namespace kernels::cpu {

// A tile register: 16 rows of 64 bytes. C is worked on in squares of 2 x 2 tiles.
inline constexpr std::size_t kAmxRowBytes = 64;
inline constexpr std::size_t kAmxRows = 16;
inline constexpr std::size_t kAmxTileBytes = kAmxRows * kAmxRowBytes;
inline constexpr std::size_t kAmxSquare = 2 * kAmxRows;

// All eight tile registers at their full size (Intel SDM volume 1, section 18.2: palette 1).
struct alignas(64) AmxConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
// In memory of its own: compilers believe that loading it reads the first 8 bytes alone, and may leave out
// the others' stores of a local one.
inline constexpr AmxConfiguration kAmxConfiguration;

// A block of A, 256 rows of 4 KiB, and two panels of B fit in 1.3 MiB.
[[nodiscard]] constexpr Limits AmxLimits(std::size_t element_bytes) {
  return {.tile_rows = kAmxSquare,
          .width = kAmxSquare,
          .depth_step = kAmxRowBytes / element_bytes,
          .max_depth = 4096 / element_bytes,
          .max_rows = 256};
}

// Two blocks of A, the panels of B, and a panel's width of C for a block of A.
[[nodiscard]] constexpr std::size_t AmxWorkerBytes(std::size_t m, std::size_t n, std::size_t k,
                                                   std::size_t workers, std::size_t element_bytes) {
  const Blocks blocks = LargestBlocks(m, n, k, AmxLimits(element_bytes), workers);
  const std::size_t depth_bytes = blocks.depth * element_bytes;
  return 2 * blocks.rows * depth_bytes + blocks.kept * kAmxSquare * depth_bytes +
         blocks.rows * kAmxSquare * sizeof(float);
}

template <std::size_t kElementBytes>
[[nodiscard]] constexpr std::size_t AmxWorkspaceBytes(std::uint32_t m, std::uint32_t n, std::uint32_t k,
                                                      unsigned workers) {
  return workers * AmxWorkerBytes(m, n, k, workers, kElementBytes);
}

}  // namespace kernels::cpu
