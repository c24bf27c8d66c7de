// SPDX-License-Identifier: MIT
// How tensor cores add up: the sum so far and a group of products are aligned to the largest of them, what
// lies below `fraction_bits` of it is cut off, and so is what their sum has beyond the type's own bits.
// Nothing is rounded to nearest, so sums drift toward zero.
//
// Sources, each compared with the hardware by its authors: arXiv 2512.07004 and its models
// (north-numerical-computing/MATLAB-tensor-core: V100TC, A100TC, AdaTC, H100TC), MMA-Sim (arXiv 2511.10909),
// and for fp8 DeepSeek-V3's report (arXiv 2412.19437, section 3.5.2).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string_view>

namespace tests {

struct TensorCore {
  std::string_view name;
  unsigned group = 1;      // products that are added at once
  int fraction_bits = 23;  // kept below the leading bit of the largest
};
inline void PrintTo(const TensorCore& core, std::ostream* out) { *out << core.name; }

inline constexpr TensorCore kVolta{"Volta", 4, 23};
inline constexpr TensorCore kTuring{"Turing", 4, 24};
inline constexpr TensorCore kAmpere{"Ampere", 8, 24};  // and Ada
inline constexpr TensorCore kAmpereTf32{"AmpereTf32", 4, 24};
inline constexpr TensorCore kHopper{"Hopper", 16, 25};  // and the data centre's Blackwell
inline constexpr TensorCore kHopperTf32{"HopperTf32", 8, 25};
inline constexpr TensorCore kEightBits{"EightBits", 32, 13};  // Ada's and Hopper's fp8

// What is kept of a number toward zero where `bits` below the leading one of `largest` are, in units of the
// last of them, which is `unit`. `largest` is finite; its sign has no meaning.
struct LastPlace {
  double unit = 1, units = 1;
  LastPlace(double largest, int bits) {
    if (largest == 0) return;
    const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> 52U & 2047U) - 1023;
    unit = Power(exponent - bits);
    units = Power(bits - exponent);
  }
  // Of two; std::ldexp takes far longer.
  static double Power(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
  }
  [[nodiscard]] std::int64_t Kept(double number) const { return static_cast<std::int64_t>(number * units); }
};

constexpr unsigned kLargestGroup = 32;

// `sum` + a[0] b[0] + ... + a[count - 1] b[count - 1] as such a unit adds them, in fp32. What is not finite
// makes a NaN.
inline float AddProducts(const TensorCore& core, float sum, const float* a, const float* b, unsigned count) {
  // Without their signs numbers are ordered as their bits are, and what is not finite is the largest.
  const auto magnitude = [](double number) { return std::bit_cast<std::uint64_t>(number) << 1U >> 1U; };
  for (unsigned first = 0; first < count; first += core.group) {
    const unsigned size = std::min(core.group, count - first);
    double products[kLargestGroup];
    std::uint64_t largest = magnitude(sum);
    for (unsigned i = 0; i < size; ++i) {
      products[i] = double{a[first + i]} * b[first + i];
      largest = std::max(largest, magnitude(products[i]));
    }
    if (!std::isfinite(std::bit_cast<double>(largest))) return NAN;
    const LastPlace aligned(std::bit_cast<double>(largest), core.fraction_bits);
    std::int64_t units = aligned.Kept(sum);
    for (unsigned i = 0; i < size; ++i) units += aligned.Kept(products[i]);
    const double total = static_cast<double>(units) * aligned.unit;
    const LastPlace result(total, 23);
    sum = static_cast<float>(static_cast<double>(result.Kept(total)) * result.unit);
  }
  return sum;
}
// The same of integers, which are exact.
inline int AddProducts(const TensorCore&, int sum, const int* a, const int* b, unsigned count) {
  for (unsigned i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace tests
