// SPDX-License-Identifier: MIT
// Every kernel in GLSL, as data: which variants suit a device, and how they are launched.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"

namespace kernels::glsl {

inline constexpr float kTriadFactor = 3.0F;  // kernels/spec.h
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
// The fills of every type, which all devices share; `fill` is their launch.
[[nodiscard]] std::vector<Variant> CommonVariants(ShapeOf fill);
// chain.comp with so many accumulators a work-group.
[[nodiscard]] Variant Chain(std::string_view module, std::uint32_t accumulators, ShapeOf shape);
[[nodiscard]] std::vector<std::uint32_t> ChainScalars(const Problem& problem);

}  // namespace kernels::glsl
