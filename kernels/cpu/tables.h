// SPDX-License-Identifier: MIT
// The parts of the implementation table, one a file of kernels, and the joining of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/cpu/cpu_kernel.h"

namespace kernels::cpu {

// What this architecture has beyond Highway's instruction sets: better than those, best first.
[[nodiscard]] std::span<const Implementation> ArchitectureImplementations();
[[nodiscard]] std::span<const Implementation> ChainImplementations();
[[nodiscard]] std::span<const Implementation> ClockImplementations();
[[nodiscard]] std::span<const Implementation> GemmVectorImplementations();
[[nodiscard]] std::span<const Implementation> OperandImplementations();
[[nodiscard]] std::span<const Implementation> GemvImplementations();
[[nodiscard]] std::span<const Implementation> GemvQ8Implementations();
[[nodiscard]] std::span<const Implementation> StreamImplementations();

template <std::size_t... kCounts>
constexpr auto Concatenate(const std::array<Implementation, kCounts>&... parts) {
  std::array<Implementation, (kCounts + ...)> all{};
  auto out = all.begin();
  ((out = std::copy(parts.begin(), parts.end(), out)), ...);
  return all;
}

}  // namespace kernels::cpu
