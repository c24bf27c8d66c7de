// SPDX-License-Identifier: MIT
#include "kernels/opencl/variants.h"

#include <algorithm>

namespace kernels::opencl {

bool Has(std::span<const std::string> features, std::string_view feature) {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

std::vector<Variant> Variants(std::span<const std::string> features) {
  return Has(features, "cpu") ? CpuVariants(features) : GpuVariants(features);
}

}  // namespace kernels::opencl
