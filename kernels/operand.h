// SPDX-License-Identifier: MIT
// The operands of every kernel, on every device: a counter-based hash of (seed, index) that device code
// generates in place and the host recomputes for any entry. Says nothing about where operands live.
#pragma once

#include <bit>
#include <cstdint>

namespace kernels {

// A bijection of 32-bit words with low bias. Constants: Chris Wellons, "Prospecting for Hash Functions"
// (nullprogram.com, 2018), the two-round function "lowbias32".
[[nodiscard]] constexpr std::uint32_t Mix32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

// The 32 random bits of entry `index` of the operand named by `seed`.
[[nodiscard]] constexpr std::uint32_t OperandBits(std::uint32_t seed, std::uint32_t index) {
  return Mix32(index ^ Mix32(seed));
}

// The top `bits` bits as a signed integer in [-2^(bits-1), 2^(bits-1)). Right shift of a negative value is
// arithmetic since C++20.
[[nodiscard]] constexpr std::int32_t OperandInteger(std::uint32_t seed, std::uint32_t index, int bits) {
  return std::bit_cast<std::int32_t>(OperandBits(seed, index)) >> (32 - bits);
}

// Entries in [-1, 1), each with no more significant bits than the type holds, so that device and host hold
// exactly the same number: 24 bits for fp32, 11 for fp16, 8 for bf16.
[[nodiscard]] constexpr float OperandFp32(std::uint32_t seed, std::uint32_t index) {
  return static_cast<float>(OperandInteger(seed, index, 24)) * 0x1p-23F;
}
[[nodiscard]] constexpr float OperandFp16(std::uint32_t seed, std::uint32_t index) {
  return static_cast<float>(OperandInteger(seed, index, 11)) * 0x1p-10F;
}
[[nodiscard]] constexpr float OperandBf16(std::uint32_t seed, std::uint32_t index) {
  return static_cast<float>(OperandInteger(seed, index, 8)) * 0x1p-7F;
}
// Entries of int8 operands: [-128, 127].
[[nodiscard]] constexpr std::int8_t OperandInt8(std::uint32_t seed, std::uint32_t index) {
  return static_cast<std::int8_t>(OperandInteger(seed, index, 8));
}

}  // namespace kernels
