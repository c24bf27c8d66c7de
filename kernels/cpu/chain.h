// SPDX-License-Identifier: MIT
// What the chains share: how much they do and what must come out.
#pragma once

#include <cstdint>

#include "kernels/cpu/share.h"
#include "kernels/operand.h"

namespace kernels::cpu {

// A chain's scalar counts millions (2^20) of operations, all workers together.
inline constexpr std::uint64_t kChainUnit = std::uint64_t{1} << 20U;

// Rounds for one worker: at least its share of the operations and at most three rounds more. Odd, because a
// chain goes back and forth between two states and must not end where it began.
[[nodiscard]] constexpr std::uint64_t ChainRounds(std::uint32_t units, std::uint64_t operations_a_round,
                                                  const Worker& worker) {
  const std::uint64_t own = units * kChainUnit / worker.count;
  return DivideUp(own, operations_a_round) | 1U;
}

// Worker w leaves kChainWords words at kChainWords w. fp32: x became 1.5 - x, and started as ChainStart. bf16
// (as fp32) and int8: column j of ChainProduct, of as many elements as the instruction multiplies together.
inline constexpr std::uint32_t kChainWords = 8;
[[nodiscard]] constexpr float ChainStart(std::uint32_t j) {
  return static_cast<float>(OperandInteger(1, j, 12)) * 0x1p-11F;
}
// Whole numbers of 7 bits: exact as bf16, A unsigned, B negatable.
[[nodiscard]] constexpr std::int32_t ChainA(std::uint32_t p) { return OperandInteger(1, p, 7) + 64; }
[[nodiscard]] constexpr std::int32_t ChainB(std::uint32_t p, std::uint32_t j) {
  return OperandInteger(2, p * 16 + j, 7);
}
[[nodiscard]] constexpr std::int32_t ChainProduct(std::uint32_t j, std::uint32_t depth) {
  std::int32_t sum = 0;
  for (std::uint32_t p = 0; p < depth; ++p) sum += ChainA(p) * ChainB(p, j);
  return sum;
}

}  // namespace kernels::cpu
