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
using kernels::LaunchShape;
using kernels::Problem;
using kernels::Role;

LaunchShape CountAndSeed(const Problem& problem, const DeviceShape&) {
  return {{1, 1, 1}, {1, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape Edges(const Problem& problem, const DeviceShape&) {
  return {{1, 1, 1}, {1, 1, 1}, {problem.m, problem.n, problem.k}};
}
std::uint64_t OneWord(const Problem&, const DeviceShape&) { return sizeof(std::uint32_t); }
std::uint64_t Packing(const Problem& problem, const DeviceShape&) {
  return kernels::cpu::GemmWorkspaceBytes("gemm_fp32", problem.m, problem.n, problem.k, 1);
}

kernels::Variant MakeVariant(std::string_view entry, Kernel kernel, Dtype dtype,
                             LaunchShape (*shape)(const Problem&, const DeviceShape&),
                             std::initializer_list<Role> roles) {
  kernels::Step step;
  step.entry = entry;
  step.shape = shape;
  for (const Role role : roles) step.bindings.push_back({role, kernels::View::kStorage});
  kernels::Variant variant;
  variant.name = "own:plain";
  variant.kernel = kernel;
  variant.in = dtype;
  variant.acc = dtype;
  variant.steps.push_back(std::move(step));
  return variant;
}

std::vector<kernels::Variant> Variants(const Limits&) {
  std::vector<kernels::Variant> variants = {
      MakeVariant("fill_u32", Kernel::kFill, Dtype::kU32, CountAndSeed, {Role::kOut}),
      MakeVariant("fill_fp32", Kernel::kFill, Dtype::kFp32, CountAndSeed, {Role::kOut}),
      MakeVariant("read_u32", Kernel::kRead, Dtype::kU32, CountAndSeed, {Role::kIn, Role::kPartials}),
      MakeVariant("gemm_fp32", Kernel::kGemm, Dtype::kFp32, Edges,
                  {Role::kA, Role::kB, Role::kC, Role::kWorkspace}),
  };
  variants[2].partials_bytes = OneWord;
  variants[3].workspace_bytes = Packing;
  return variants;
}

}  // namespace

Backend Describe() { return {"null", Open, Variants}; }

}  // namespace backends::null
