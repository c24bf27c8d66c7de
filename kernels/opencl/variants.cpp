// SPDX-License-Identifier: MIT
#include "kernels/opencl/variants.h"

#include <algorithm>

#include "kernels/opencl/modules.h"

namespace kernels::opencl {

bool Has(std::span<const std::string> features, std::string_view feature) {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

Variant OwnOf(std::string name, const EntryRow& row, std::string_view source, std::string_view options,
              const Geometry& geometry) {
  return Own(std::move(name), row.kernel, row.in, row.acc,
             {.entry = row.entry, .source = source, .options = options, .geometry = geometry});
}

Variant Chain(std::string_view options, std::uint32_t items, std::uint32_t each) {
  constexpr std::uint32_t kStepsATurn = 16;  // STEPS of the options
  Variant variant =
      OwnOf("own:chain", {Kernel::kChain, Dtype::kFp32, Dtype::kFp32, "chain_fp32"}, kChainModule, options,
            {.tiles = {{{Number::kCount, items * each}}}, .threads = {items, 1}});
  variant.multiple_count = items * each;
  variant.multiple_k = kStepsATurn;
  return variant;
}

Variant WithPackedB(Variant product, Step pack) {
  const Step& multiply = product.steps.front();
  pack.source = multiply.source;
  pack.options = multiply.options;
  pack.bindings = {{Role::kB}, {Role::kWorkspace}};
  product.steps.front().bindings = {{Role::kA}, {Role::kWorkspace}, {Role::kC}};
  product.steps.insert(product.steps.begin(), std::move(pack));
  product.workspace_bytes = [](const Variant& variant, const Problem& p, const DeviceShape&) {
    return std::uint64_t{Row(variant.in).bits / 8} * p.n * p.k;
  };
  return product;
}

std::vector<Variant> Variants(std::span<const std::string> features) {
  return Has(features, "cpu") ? CpuVariants(features) : GpuVariants(features);
}

}  // namespace kernels::opencl
