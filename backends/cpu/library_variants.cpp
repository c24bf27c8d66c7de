// SPDX-License-Identifier: MIT
#include "backends/cpu/library_variants.h"

#include "backends/cpu/vendor.h"

namespace backends::cpu {
namespace {

kernels::Variant MakeVariant(const Vendor& vendor, kernels::Dtype in, std::string note) {
  const auto acc = kernels::Row(in).integer ? kernels::Dtype::kInt32 : kernels::Dtype::kFp32;
  kernels::Variant variant = kernels::Own(std::string(vendor.name), kernels::Kernel::kGemm, in, acc,
                                          {.entry = vendor.name, .library = vendor.name});
  variant.note = std::move(note);
  return variant;
}

}  // namespace

std::vector<kernels::Variant> LibraryVariants(const OpenRequest& request) {
  std::vector<kernels::Variant> variants;
  for (const Vendor& vendor : Vendors()) {
    if (!IsInstalled(vendor, request.files, request.environment)) continue;
    const std::string note = vendor.settings(request.environment, 1).note;
    for (const kernels::Dtype in : vendor.types) {
      variants.push_back(MakeVariant(vendor, in, note));
      // Without it their sums are others than the product's (kernels/cpu/quirks.h).
      if (in == kernels::Dtype::kInt8) variants.back().requires_features = {std::string(kInt8Dot)};
    }
  }
  return variants;
}

}  // namespace backends::cpu
