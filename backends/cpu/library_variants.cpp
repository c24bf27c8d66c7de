// SPDX-License-Identifier: MIT
#include "backends/cpu/library_variants.h"

#include "backends/cpu/vendor.h"

namespace backends::cpu {
namespace {

using kernels::Role;

kernels::Variant MakeVariant(const Vendor& vendor, kernels::Dtype in, std::string note) {
  kernels::Variant variant;
  variant.name = vendor.name;
  variant.kernel = kernels::Kernel::kGemm;
  variant.in = in;
  variant.acc = kernels::Row(in).integer ? kernels::Dtype::kInt32 : kernels::Dtype::kFp32;
  variant.note = std::move(note);
  kernels::Step step;
  step.entry = vendor.name;
  step.library = vendor.name;
  step.bindings = {{Role::kA}, {Role::kB}, {Role::kC}};
  step.shape = [](const kernels::Problem& problem, const kernels::DeviceShape&) {
    return kernels::LaunchShape{{1, 1, 1}, {1, 1, 1}, {problem.m, problem.n, problem.k}};
  };
  variant.steps.push_back(std::move(step));
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
      // Without it their sums are others than the product's (kernels/cpu/int8_sums.h).
      if (in == kernels::Dtype::kInt8) variants.back().requires_features = {std::string(kInt8Dot)};
    }
  }
  return variants;
}

}  // namespace backends::cpu
