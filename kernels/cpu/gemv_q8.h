// SPDX-License-Identifier: MIT
// Where the products of a weight matrix with a vector in 8 bits (gemv_q4_q8, gemv_q8_q8) keep that vector:
// each worker has its own, which it makes itself, so that none waits for another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/share.h"
#include "kernels/operand.h"

namespace kernels::cpu {

// Blocks that no implementation's vectors reach beyond; those past the end of the vector are zeros.
inline constexpr std::size_t kQ8BlockGroup = 16;

[[nodiscard]] constexpr std::size_t PaddedBlocks(std::size_t k) {
  return DivideUp(k / kQ4Block, kQ8BlockGroup) * kQ8BlockGroup;
}

// Of one worker: 32 numbers, their scale and their offset (an fp32 each) for every block.
[[nodiscard]] constexpr std::size_t Q8WorkerBytes(std::size_t k) {
  return PaddedBlocks(k) * (kQ4Block + 2 * sizeof(float));
}

struct Activations {
  std::int8_t* numbers;  // in an order that suits the weights
  float* scales;
  float* offsets;  // what a block's numbers add up to, times what the weights' bytes are too large by
};
[[nodiscard]] inline Activations ActivationsAt(void* workspace, std::size_t k, unsigned worker) {
  auto* own = static_cast<std::int8_t*>(workspace) + worker * Q8WorkerBytes(k);
  auto* scales = reinterpret_cast<float*>(own + PaddedBlocks(k) * kQ4Block);
  return {own, scales, scales + PaddedBlocks(k)};
}

}  // namespace kernels::cpu
