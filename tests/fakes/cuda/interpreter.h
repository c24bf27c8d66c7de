// SPDX-License-Identifier: MIT
// The arguments of a launch as typed, bounded views of the fake's memory.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "tests/fakes/cuda/state.h"
#include "tests/kernels/narrow_floats.h"

namespace fakes::cuda {

// Elements of T at a device address; Fits() says whether `count` of them are inside its allocation.
template <class T>
class View {
 public:
  explicit View(nv::CuPointer pointer) : bytes_(Memory(pointer)) {}
  [[nodiscard]] bool Fits(std::uint64_t count) const { return count <= bytes_.size() / sizeof(T); }
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(bytes_.data()); }

 private:
  std::span<std::byte> bytes_;
};

using tests::FromBf16;
using tests::FromFp8;
using tests::FromHalf;
using tests::ToHalf;

// Products, by entry name: nullopt for a name that is none.
[[nodiscard]] std::optional<int> InterpretGemm(const LaunchArguments& arguments);

}  // namespace fakes::cuda
