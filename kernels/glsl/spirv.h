// SPDX-License-Identifier: MIT
// The committed SPIR-V modules of this folder, which ./dev kernels makes from its GLSL; a test fails when
// they are stale.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kernels::glsl {

struct Module {
  std::string_view name;
  std::span<const std::uint32_t> words;
};

[[nodiscard]] std::span<const Module> Modules();
// Empty for a name that there is not.
[[nodiscard]] std::span<const std::uint32_t> Words(std::string_view name);

}  // namespace kernels::glsl
