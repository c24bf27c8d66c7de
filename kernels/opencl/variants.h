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

// A variant of this project's own, of one or more steps.
[[nodiscard]] Variant Own(std::string name, Kernel kernel, Dtype in, Dtype acc, std::vector<Step> steps);
// The scalars of chain.cl for `units` of 2^20 operations on `groups` work-groups, of which each does
// `operations_a_round`: an odd number of rounds, and the product that the compiler must not know.
[[nodiscard]] std::vector<std::uint32_t> ChainScalars(std::uint32_t units, std::uint32_t groups,
                                                      std::uint32_t operations_a_round);
// What triad multiplies by: no product with it is rounded, so fused and separate operations agree.
inline constexpr float kTriadFactor = 0.5F;
// Words that a work-group of chain.cl leaves.
inline constexpr std::uint32_t kChainWords = 8;

// Whether `features` has this one.
[[nodiscard]] bool Has(std::span<const std::string> features, std::string_view feature);

}  // namespace kernels::opencl
