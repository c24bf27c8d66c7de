// SPDX-License-Identifier: MIT
#include "kernels/opencl/variants.h"

#include <algorithm>

#include "kernels/opencl/sources.h"

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
  variant.steps = std::move(steps);
  return variant;
}

Variant Chain(std::string_view options, std::uint32_t accumulators,
              LaunchShape (*shape)(const Problem&, const DeviceShape&)) {
  constexpr std::uint32_t kStepsATurn = 16;  // STEPS of the options
  Variant variant = Own("own:chain", Kernel::kChain, Dtype::kFp32, Dtype::kFp32,
                        {{"chain_fp32", kChainSource, {}, options, {{Role::kOut}}, shape}});
  variant.multiple_count = accumulators;
  variant.multiple_k = kStepsATurn;
  return variant;
}

std::vector<Variant> Variants(std::span<const std::string> features) {
  return Has(features, "cpu") ? CpuVariants(features) : GpuVariants(features);
}

}  // namespace kernels::opencl
