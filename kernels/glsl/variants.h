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

// A kernel for one pair of types, of the module of that name.
struct ModuleRow {
  Kernel kernel;
  Dtype in, acc;
  std::string_view module;
};
[[nodiscard]] Variant OwnOf(std::string name, const ModuleRow& row, const Geometry& geometry);
// The fills of every type, which all devices share.
[[nodiscard]] std::vector<Variant> Fills(const Geometry& geometry);
// chain.comp with so many invocations a work-group, of so many accumulators each.
[[nodiscard]] Variant Chain(std::string_view module, std::uint32_t threads, std::uint32_t chains);

// The multiple that an operand's count is of where it is read in vectors of 16 bytes.
[[nodiscard]] std::uint32_t VectorCount(Dtype dtype);

}  // namespace kernels::glsl
