// SPDX-License-Identifier: MIT
// The arguments of a launch as typed, bounded views of the fake's memory. Of kernels.cpp and gemm.cpp alone.
#pragma once

#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "tests/fakes/common/device_memory.h"
#include "tests/fakes/common/kernels.h"
#include "tests/kernels/narrow_floats.h"

namespace fakes {

// Elements of T at a device address; Fits() says whether `count` of them are inside its allocation.
template <class T>
class View {
 public:
  explicit View(DeviceAddress address) : bytes_(MemoryAt(address)) {}
  [[nodiscard]] bool Fits(std::uint64_t count) const { return count <= bytes_.size() / sizeof(T); }
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(bytes_.data()); }

 private:
  std::span<std::byte> bytes_;
};

// By table: a product converts the same few numbers millions of times.
template <class T, float (*kConvert)(T)>
float Converted(T bits) {
  static const std::vector<float> values = [] {
    std::vector<float> out;
    for (std::uint32_t i = 0; i <= std::numeric_limits<T>::max(); ++i)
      out.push_back(kConvert(static_cast<T>(i)));
    return out;
  }();
  return values[bits];
}
inline float FromHalf(std::uint16_t bits) { return Converted<std::uint16_t, tests::FromHalf>(bits); }
inline float FromFp8(std::uint8_t bits) { return Converted<std::uint8_t, tests::FromFp8>(bits); }
inline float FromFp8Fnuz(std::uint8_t bits) { return Converted<std::uint8_t, tests::FromFp8Fnuz>(bits); }
using tests::FromBf16;
using tests::ToHalf;

// Products, by entry name: nullopt for a name that is none.
[[nodiscard]] std::optional<Computed> ComputeGemm(const KernelLaunch& launch);

}  // namespace fakes
