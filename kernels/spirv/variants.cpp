// SPDX-License-Identifier: MIT
#include "kernels/spirv/variants.h"

#include <algorithm>

#include "kernels/opencl/variants.h"

namespace kernels::spirv {
namespace {

// False where a step has no module.
bool Compiled(Variant& variant) {
  for (Step& step : variant.steps) {
    const auto module = std::find_if(Modules().begin(), Modules().end(), [&](const Module& one) {
      return one.source == step.source && one.options == step.options;
    });
    if (module == Modules().end()) return false;
    step.code = module->words;
    step.source = step.options = {};
  }
  return true;
}

}  // namespace

std::vector<Variant> Variants(std::span<const std::string> features) {
  auto all = opencl::Variants(features);
  std::erase_if(all, [](Variant& variant) { return !Compiled(variant); });
  return all;
}

}  // namespace kernels::spirv
