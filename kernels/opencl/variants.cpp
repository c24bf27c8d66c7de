// SPDX-License-Identifier: MIT
#include "kernels/opencl/variants.h"

#include <algorithm>
#include <bit>

namespace kernels::opencl {

bool Has(std::span<const std::string> features, std::string_view feature) {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

Variant Own(std::string name, Kernel kernel, Dtype in, Dtype acc, std::vector<Step> steps) {
  Variant variant;
  variant.name = std::move(name);
  variant.kernel = kernel;
  variant.in = in;
  variant.acc = acc;
  variant.language = Language::kOpenCl;
  variant.steps = std::move(steps);
  return variant;
}

std::vector<std::uint32_t> ChainScalars(std::uint32_t units, std::uint32_t groups,
                                        std::uint32_t operations_a_round) {
  const std::uint64_t own = (std::uint64_t{units} << 20U) / groups;
  const std::uint64_t rounds = (own + operations_a_round - 1) / operations_a_round | 1U;
  return {static_cast<std::uint32_t>(rounds), std::bit_cast<std::uint32_t>(-1.0F)};
}

std::vector<Variant> Variants(std::span<const std::string> features) {
  return Has(features, "cpu") ? CpuVariants(features) : GpuVariants(features);
}

}  // namespace kernels::opencl
