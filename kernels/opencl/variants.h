// SPDX-License-Identifier: MIT
// Every kernel in OpenCL C, as data: which variants suit a device, and how they are launched.
#pragma once

#include <bit>
#include <span>
#include <string>
#include <vector>

#include "kernels/spec.h"

namespace kernels::opencl {

// `features` as backends/opencl gives them: "cpu" or "gpu", "vendor:<name>" of a processor, "lanes:<n>"
// (floats in a vector register), data types. Best first within one kernel and type pair.
[[nodiscard]] std::vector<Variant> Variants(std::span<const std::string> features);

[[nodiscard]] std::vector<Variant> CpuVariants(std::span<const std::string> features);
[[nodiscard]] std::vector<Variant> GpuVariants(std::span<const std::string> features);

// By Intel's matrix instructions, for devices with "matrix:<in>/<acc>" and "subgroup:<smallest>".
[[nodiscard]] std::vector<Variant> IntelVariants(std::span<const std::string> features);

// A variant of this project's own, of one or more steps.
[[nodiscard]] Variant Own(std::string name, Kernel kernel, Dtype in, Dtype acc, std::vector<Step> steps);
// chain.cl with so many accumulators a work-group.
[[nodiscard]] Variant Chain(std::string_view options, std::uint32_t accumulators,
                            LaunchShape (*shape)(const Problem&, const DeviceShape&));
// Its launch in work-groups of kItems work-items with kEach accumulators each.
template <std::uint32_t kItems, std::uint32_t kEach>
[[nodiscard]] LaunchShape ChainShape(const Problem& problem, const DeviceShape&) {
  return {{problem.count / (kItems * kEach), 1, 1},
          {kItems, 1, 1},
          {problem.k, std::bit_cast<std::uint32_t>(1.0F)}};
}
inline constexpr float kTriadFactor = 3.0F;  // kernels/spec.h

// Whether `features` has this one.
[[nodiscard]] bool Has(std::span<const std::string> features, std::string_view feature);

}  // namespace kernels::opencl
