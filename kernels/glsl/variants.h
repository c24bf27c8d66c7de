// SPDX-License-Identifier: MIT
// Every kernel in GLSL, as data: which variants suit a device, and how they are launched.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"

namespace kernels::glsl {

// What triad multiplies by: no product with it is rounded, so fused and separate operations agree.
inline constexpr float kTriadFactor = 0.5F;
// Words that a work-group of chain.comp leaves.
inline constexpr std::uint32_t kChainWords = 8;
// Weights that share a scale (kernels/operand.h).
inline constexpr std::uint32_t kQ4Block = 32;

// `features` as backends/vulkan gives them: "cpu" or "gpu", data types, "coopmat:...". Best first within one
// kernel and type pair.
[[nodiscard]] std::vector<Variant> Variants(std::span<const std::string> features);

[[nodiscard]] std::vector<Variant> CpuVariants();
[[nodiscard]] std::vector<Variant> GpuVariants();

using ShapeOf = LaunchShape (*)(const Problem&, const DeviceShape&);

// A variant of one step, of the module of that name.
[[nodiscard]] Variant Own(std::string name, Kernel kernel, Dtype in, Dtype acc, std::string_view module,
                          std::vector<Binding> bindings, ShapeOf shape);
// The fills of every type, and the empty kernel, which all devices share; `fill` is the launch of the fills.
[[nodiscard]] std::vector<Variant> CommonVariants(ShapeOf fill);
// The scalars of chain.comp for `units` of 2^20 operations on `groups` work-groups of `invocations` with
// `chains` each: an odd number of turns, and the product that the compiler must not know.
[[nodiscard]] std::vector<std::uint32_t> ChainScalars(std::uint32_t units, std::uint32_t groups,
                                                      std::uint32_t invocations, std::uint32_t chains);

}  // namespace kernels::glsl
