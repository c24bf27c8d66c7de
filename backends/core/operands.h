// SPDX-License-Identifier: MIT
// The operands of kernels/operand.h on the host: which number each data type makes of the hash, and how it
// lies in memory. Also names the operands of one run. Knows no session.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "kernels/operand.h"
#include "kernels/spec.h"

namespace backends {

// A value is scale * kernels::OperandInteger(seed, index, bits), exactly, in a type that holds it exactly.
struct OperandFormat {
  int bits = 0;
  double scale = 0;
  [[nodiscard]] double amplitude() const {
    return static_cast<double>(std::uint64_t{1} << (bits - 1)) * scale;
  }
};
// nullopt for types that have no such operands. tf32 takes fp16's numbers, which it holds exactly.
[[nodiscard]] std::optional<OperandFormat> FormatOf(kernels::Dtype dtype);

// An fp16 as it lies in memory.
struct Half {
  std::uint16_t bits;
  explicit operator double() const {
    const int exponent = static_cast<int>(bits >> 10U & 31U);
    const double fraction = bits & 1023U;
    double magnitude = std::ldexp(fraction, -24);
    if (exponent == 31) magnitude = std::numeric_limits<double>::quiet_NaN();  // or infinite: wrong alike
    if (exponent > 0 && exponent < 31) magnitude = std::ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
  }
};

// Fills `out` with those integers for consecutive indices from `first`.
void OperandIntegers(std::uint32_t seed, std::uint32_t first, int bits, std::span<std::int32_t> out);

inline constexpr double kBlockAmplitude = 8 * 0x1p-6;  // weights of q4 and q8 operands are below that

// Bytes of `count` elements of a type; of q4 and q8 whole blocks.
[[nodiscard]] std::uint64_t OperandBytes(kernels::Dtype dtype, std::uint64_t count);

// Seeds of the operands of a run: no two roles, and no two generations of one role, share their numbers.
[[nodiscard]] constexpr std::uint32_t OperandSeed(std::uint32_t base, kernels::Role role,
                                                  std::uint32_t generation) {
  return kernels::Mix32(base + generation * 16U + static_cast<std::uint32_t>(role));
}

// Writes elements [first, first + n) of an operand, n = out.size() / element size, as the device's fill
// kernel does; of q4 and q8 only all of them: where its scales lie depends on how many there are. False for a
// type without operands.
[[nodiscard]] bool WriteOperand(kernels::Dtype dtype, std::uint32_t seed, std::uint32_t first,
                                std::span<std::byte> out);

}  // namespace backends
