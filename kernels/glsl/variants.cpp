// SPDX-License-Identifier: MIT
#include "kernels/glsl/variants.h"

#include <algorithm>

namespace kernels::glsl {

std::vector<Variant> Variants(std::span<const std::string> features) {
  const bool on_cpu = std::find(features.begin(), features.end(), "cpu") != features.end();
  return on_cpu ? CpuVariants() : GpuVariants();
}

}  // namespace kernels::glsl
