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
// The stored halves of fp16 and bf16 numbers.
[[nodiscard]] constexpr std::uint16_t OperandBf16Word(std::uint32_t seed, std::uint32_t index) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(OperandBf16(seed, index)) >> 16U);
}
// Every fp16 operand is 0 or a normal number of fp16, so its exponent's bias changes (127 to 15) and 13 zero
// bits of the mantissa go.
[[nodiscard]] constexpr std::uint16_t OperandFp16Word(std::uint32_t seed, std::uint32_t index) {
  const auto bits = std::bit_cast<std::uint32_t>(OperandFp16(seed, index));
  const std::uint32_t sign = bits >> 16U & 0x8000U, magnitude = bits & 0x7fffffffU;
  return static_cast<std::uint16_t>(magnitude == 0 ? sign : sign | ((magnitude - (112U << 23U)) >> 13U));
}
// Entries of int8 operands: [-128, 127].
[[nodiscard]] constexpr std::int8_t OperandInt8(std::uint32_t seed, std::uint32_t index) {
  return static_cast<std::int8_t>(OperandInteger(seed, index, 8));
}

// Entries of fp8 (e4m3) operands: n / 8 for n in [-8, 7], each exact with its three bits of mantissa; 1/8 is
// 2^-3, whose exponent field is 4.
[[nodiscard]] constexpr float OperandFp8(std::uint32_t seed, std::uint32_t index) {
  return static_cast<float>(OperandInteger(seed, index, 4)) * 0x1p-3F;
}
[[nodiscard]] constexpr std::uint8_t OperandFp8Word(std::uint32_t seed, std::uint32_t index) {
  const auto bits = std::bit_cast<std::uint32_t>(OperandFp8(seed, index));
  const std::uint32_t sign = bits >> 24U & 0x80U, magnitude = bits & 0x7fffffffU;
  return static_cast<std::uint8_t>(magnitude == 0 ? sign : sign | ((magnitude - (120U << 23U)) >> 20U));
}

// Entries of fp4 (e2m1) operands: integers from -4 to 3, as codes of 4 bits; two lie in a byte, the first in
// its low half.
[[nodiscard]] constexpr std::uint8_t OperandFp4Code(std::uint32_t seed, std::uint32_t index) {
  constexpr std::uint8_t kMagnitudes[] = {0, 2, 4, 5, 6};  // 0, 1, 2, 3, 4
  const std::int32_t value = OperandInteger(seed, index, 3);
  return static_cast<std::uint8_t>(value < 0 ? kMagnitudes[-value] | 8 : kMagnitudes[value]);
}

// 4-bit weights with scales, of a matrix whose rows are whole blocks of 32. One buffer holds for all blocks
// in row-major order 16 bytes of weights each, then for all blocks an fp16 scale each. Byte j of a block
// holds weight j in its low and weight j + 16 in its high half. A weight's value is (half - 8) * scale.
inline constexpr std::uint32_t kQ4Block = 32;
[[nodiscard]] constexpr std::uint64_t Q4Bytes(std::uint64_t weights) { return weights / kQ4Block * 18; }

// Generated: the weights as 32-bit words, little endian, word i being OperandBits(seed, i); the scale of
// block i from the hash of the index after the last word's, as a normal number in [2^-7, 2^-6) with all of
// its mantissa random.
[[nodiscard]] constexpr std::uint16_t OperandQ4ScaleWord(std::uint32_t seed, std::uint32_t blocks,
                                                         std::uint32_t block) {
  return static_cast<std::uint16_t>(8U << 10U | OperandBits(seed, blocks * 4 + block) >> 22U);
}
[[nodiscard]] constexpr float OperandQ4Scale(std::uint32_t seed, std::uint32_t blocks, std::uint32_t block) {
  return (1.0F + static_cast<float>(OperandBits(seed, blocks * 4 + block) >> 22U) * 0x1p-10F) * 0x1p-7F;
}
// The value of weight `index` of a matrix of `blocks` blocks.
[[nodiscard]] constexpr float OperandQ4(std::uint32_t seed, std::uint32_t blocks, std::uint32_t index) {
  const std::uint32_t block = index / kQ4Block, place = index % kQ4Block, byte = place % 16;
  const std::uint32_t bits = OperandBits(seed, block * 4 + byte / 4) >> (byte % 4 * 8 + place / 16 * 4) & 15U;
  return static_cast<float>(static_cast<std::int32_t>(bits) - 8) * OperandQ4Scale(seed, blocks, block);
}

// 8-bit weights with scales, in the same order: blocks of 32 (kQ4Block) too, each of 32 signed bytes. A
// weight's value is byte * scale.
[[nodiscard]] constexpr std::uint64_t Q8Bytes(std::uint64_t weights) { return weights / kQ4Block * 34; }

// Generated as those of 4 bits are; the scale is in [2^-11, 2^-10), so that weights are as large.
[[nodiscard]] constexpr std::uint16_t OperandQ8ScaleWord(std::uint32_t seed, std::uint32_t blocks,
                                                         std::uint32_t block) {
  return static_cast<std::uint16_t>(4U << 10U | OperandBits(seed, blocks * 8 + block) >> 22U);
}
[[nodiscard]] constexpr float OperandQ8(std::uint32_t seed, std::uint32_t blocks, std::uint32_t index) {
  const auto byte = static_cast<std::int8_t>(OperandBits(seed, index / 4) >> (index % 4 * 8) & 255U);
  const std::uint32_t mantissa = OperandBits(seed, blocks * 8 + index / kQ4Block) >> 22U;
  return static_cast<float>(byte) * (1.0F + static_cast<float>(mantissa) * 0x1p-10F) * 0x1p-11F;
}

}  // namespace kernels
