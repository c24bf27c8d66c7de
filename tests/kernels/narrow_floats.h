// SPDX-License-Identifier: MIT
// Numbers of fewer than 32 bits, for fakes, emulations and expectations: written apart from the program's
// own, which they check.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tests {

// Of exponents of normal numbers; a product by it is exact where std::ldexp is, which takes far longer.
constexpr float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23U);
}

// binary16 of IEEE 754.
inline float FromHalf(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const float magnitude = exponent == 0    ? static_cast<float>(mantissa) * PowerOfTwo(-24)
                          : exponent == 31 ? (mantissa == 0 ? INFINITY : NAN)
                                           : static_cast<float>(mantissa + 1024) * PowerOfTwo(exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// To the nearest, ties to even; beyond the largest number infinity.
inline std::uint16_t ToHalf(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7fff;
  if (magnitude == 0) return sign;
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int lowest = std::max(exponent - 11, -24);
  const auto units = static_cast<int>(std::nearbyint(magnitude * PowerOfTwo(-lowest)));
  // The implicit bit adds one to the exponent field; a carry out of the mantissa does as well.
  return static_cast<std::uint16_t>(sign | (units + ((lowest + 24) << 10)));
}

inline float FromBf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); }

// E4M3 of the Open Compute Project's 8-bit floating point specification: no infinity, one NaN a sign.
inline float FromFp8(std::uint8_t bits) {
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  const float magnitude = exponent == 0 ? static_cast<float>(mantissa) * PowerOfTwo(-9)
                          : exponent == 15 && mantissa == 7
                              ? NAN
                              : static_cast<float>(mantissa + 8) * PowerOfTwo(exponent - 10);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

// E4M3 of gfx942: a bias of 8, no infinity, and one NaN where the negative zero would be (AMD, "AMD Instinct
// MI300 Instruction Set Architecture", "FP8 and BF8 formats").
inline float FromFp8Fnuz(std::uint8_t bits) {
  if (bits == 0x80) return NAN;
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  const float magnitude = exponent == 0 ? static_cast<float>(mantissa) * PowerOfTwo(-10)
                                        : static_cast<float>(mantissa + 8) * PowerOfTwo(exponent - 11);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

// E2M1 of the Open Compute Project's microscaling formats, in the low four bits: neither infinity nor NaN.
inline float FromFp4(std::uint32_t bits) {
  constexpr float kMagnitudes[] = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  return (bits & 8U) != 0 ? -kMagnitudes[bits & 7U] : kMagnitudes[bits & 7U];
}
// Scales of the same: E8M0, a power of two, and E4M3 without its sign.
inline float FromE8M0(std::uint32_t bits) {
  if (bits == 255) return NAN;
  return bits == 0 ? 0x1p-127F : PowerOfTwo(static_cast<int>(bits) - 127);
}
inline float FromUe4M3(std::uint32_t bits) { return FromFp8(static_cast<std::uint8_t>(bits & 0x7fU)); }

}  // namespace tests
