// SPDX-License-Identifier: MIT
// The runtime's kernels as variants: for every kernel that is to be measured, what it binds and how it is
// launched. A fill of each operand type comes with them: it writes the operands of the others on the device.
#include "backends/null/null_session.h"
#include "kernels/cpu/cpu_kernel.h"

namespace backends::null {

Backend Describe();

namespace {

using kernels::DeviceShape;
using kernels::Dtype;
using kernels::Kernel;
using kernels::Problem;
using kernels::Role;

std::uint64_t Packing(const kernels::Variant&, const Problem& problem, const DeviceShape&) {
  return kernels::cpu::GemmWorkspaceBytes("gemm_fp32", problem.m, problem.n, problem.k, 1);
}

std::vector<kernels::Variant> Variants(const Limits&) {
  const auto own = [](Kernel kernel, Dtype dtype, kernels::Step step) {
    return kernels::Own("own:plain", kernel, dtype, dtype, std::move(step));
  };
  std::vector<kernels::Variant> variants = {
      own(Kernel::kFill, Dtype::kU32, {.entry = "fill_u32"}),
      own(Kernel::kFill, Dtype::kFp32, {.entry = "fill_fp32"}),
      own(Kernel::kRead, Dtype::kU32, {.entry = "read_u32", .geometry = {.partials_a_group = 1}}),
      own(Kernel::kGemm, Dtype::kFp32, {.entry = "gemm_fp32"}),
  };
  variants[3].steps[0].bindings.push_back({Role::kWorkspace});
  variants[3].workspace_bytes = Packing;
  return variants;
}

}  // namespace

Backend Describe() { return {"null", Open, Variants}; }

}  // namespace backends::null
