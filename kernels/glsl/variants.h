// SPDX-License-Identifier: MIT
// Every kernel in GLSL, as data: which variants suit a device, and how they are launched.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"

namespace kernels::glsl {

// `features` as backends/vulkan gives them: "cpu" or "gpu", data types, "coopmat:...". Best first within one
// kernel and type pair.
[[nodiscard]] std::vector<Variant> Variants(std::span<const std::string> features);

[[nodiscard]] std::vector<Variant> CpuVariants();
[[nodiscard]] std::vector<Variant> GpuVariants();

}  // namespace kernels::glsl
