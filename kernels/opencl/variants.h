// SPDX-License-Identifier: MIT
// Every kernel in OpenCL C, as data: which variants suit a device, and how they are launched.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/spec.h"

namespace kernels::opencl {

// `features` as backends/opencl gives them: "cpu" or "gpu", "lanes:<n>" (floats in a vector register), data
// types. Best first within one kernel and type pair.
[[nodiscard]] std::vector<Variant> Variants(std::span<const std::string> features);

[[nodiscard]] std::vector<Variant> CpuVariants(std::span<const std::string> features);
[[nodiscard]] std::vector<Variant> GpuVariants(std::span<const std::string> features);

// By Intel's matrix instructions, for devices with "matrix:<in>/<acc>" and "subgroup:<smallest>".
[[nodiscard]] std::vector<Variant> IntelVariants(std::span<const std::string> features);

// Whether `features` has this one.
[[nodiscard]] bool Has(std::span<const std::string> features, std::string_view feature);

}  // namespace kernels::opencl
