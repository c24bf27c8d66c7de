// SPDX-License-Identifier: MIT
#include "backends/stream/products.h"

#include <bit>

namespace backends::stream {
namespace {

using kernels::Role;

kernels::LaunchShape ProductShape(const kernels::Problem& p, const kernels::DeviceShape&) {
  return {{1, 1, 1}, {1, 1, 1}, {p.m, p.n, p.k}};
}

}  // namespace

std::vector<kernels::Variant> ProductVariants(std::string_view library, std::span<const ProductType> types) {
  std::vector<kernels::Variant> all;
  for (const ProductType& type : types) {
    kernels::Step step;
    step.entry = type.entry;
    step.library = library;
    step.bindings = {{Role::kA}, {Role::kB}, {Role::kC}};
    step.shape = ProductShape;
    kernels::Variant variant;
    variant.name = library;
    variant.kernel = kernels::Kernel::kGemm;
    variant.in = type.in;
    variant.acc = type.acc;
    variant.steps.push_back(std::move(step));
    if (!type.feature.empty()) variant.requires_features = {std::string(type.feature)};
    variant.multiple_m = variant.multiple_n = variant.multiple_k = 16;  // what the fast kernels ask for
    variant.b_transposed = true;
    all.push_back(std::move(variant));
  }
  return all;
}

Scales ScalesOf(const ProductType& type) {
  if (kernels::Row(type.acc).integer) return {1};
  constexpr std::uint32_t kOneInFp16 = 0x3c00;
  return {type.acc == kernels::Dtype::kFp16 ? kOneInFp16 : std::bit_cast<std::uint32_t>(1.0F)};
}

}  // namespace backends::stream
