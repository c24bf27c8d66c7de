// SPDX-License-Identifier: MIT
#include "backends/stream/products.h"

#include <bit>

namespace backends::stream {
std::vector<kernels::Variant> ProductVariants(std::string_view library, std::span<const ProductType> types) {
  std::vector<kernels::Variant> all;
  for (const ProductType& type : types) {
    auto variant = kernels::Own(std::string(library), kernels::Kernel::kGemm, type.in, type.acc,
                                {.entry = type.entry, .library = library});
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
