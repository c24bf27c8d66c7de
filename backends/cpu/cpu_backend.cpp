// SPDX-License-Identifier: MIT
// The processor's kernels as variants: one row says how an entry of kernels/cpu is bound and launched.
#include <string>

#include "backends/core/backend.h"
#include "backends/cpu/cpu_session.h"
#include "kernels/cpu/cpu_kernel.h"

namespace backends::cpu {
namespace {

using kernels::DeviceShape;
using kernels::Dtype;
using kernels::Kernel;
using kernels::LaunchShape;
using kernels::Problem;
using kernels::Role;

// More than the best few of one kernel would cost time and tell nothing.
constexpr int kMaxVariants = 2;

LaunchShape CountAndSeed(const Problem& problem, const DeviceShape&) {
  return {{1, 1, 1}, {1, 1, 1}, {problem.count, problem.seed}};
}
LaunchShape Count(const Problem& problem, const DeviceShape&) {
  return {{1, 1, 1}, {1, 1, 1}, {problem.count}};
}
LaunchShape Edges(const Problem& problem, const DeviceShape&) {
  return {{1, 1, 1}, {1, 1, 1}, {problem.m, problem.n, problem.k}};
}

std::uint64_t WordAWorker(const Problem&, const DeviceShape& device) {
  return device.compute_units * sizeof(std::uint32_t);
}
std::uint64_t Packing(std::string_view entry, const Problem& problem, const DeviceShape& device) {
  return kernels::cpu::GemmWorkspaceBytes(entry, problem.m, problem.n, problem.k, device.compute_units);
}

using Bytes = std::uint64_t (*)(const Problem&, const DeviceShape&);

struct EntryRow {
  std::string_view entry;
  Kernel kernel;
  Dtype in;
  Dtype acc;
  std::vector<Role> roles;
  LaunchShape (*shape)(const Problem&, const DeviceShape&);
  Bytes workspace_bytes = nullptr;
  Bytes partials_bytes = nullptr;
};

const std::vector<EntryRow>& Entries() {
  static const std::vector<EntryRow> kRows = {
      {"fill_u32", Kernel::kFill, Dtype::kU32, Dtype::kU32, {Role::kOut}, CountAndSeed},
      {"fill_fp32", Kernel::kFill, Dtype::kFp32, Dtype::kFp32, {Role::kOut}, CountAndSeed},
      {"gemm_fp32",
       Kernel::kGemm,
       Dtype::kFp32,
       Dtype::kFp32,
       {Role::kA, Role::kB, Role::kC, Role::kWorkspace},
       Edges,
       [](const Problem& problem, const DeviceShape& device) {
         return Packing("gemm_fp32", problem, device);
       }},
      {"read_u32",
       Kernel::kRead,
       Dtype::kU32,
       Dtype::kU32,
       {Role::kIn, Role::kPartials},
       Count,
       nullptr,
       WordAWorker},
  };
  return kRows;
}

kernels::Variant MakeVariant(const EntryRow& row, const kernels::cpu::Implementation& implementation) {
  kernels::Variant variant;
  variant.name = "own:" + std::string(implementation.isa);
  variant.kernel = row.kernel;
  variant.in = row.in;
  variant.acc = row.acc;
  variant.language = kernels::Language::kCpu;
  variant.workspace_bytes = row.workspace_bytes;
  variant.partials_bytes = row.partials_bytes;
  kernels::Step step;
  step.entry = implementation.entry;
  step.options = implementation.isa;
  step.shape = row.shape;
  for (const Role role : row.roles) step.bindings.push_back({role, kernels::View::kStorage});
  variant.steps.push_back(std::move(step));
  return variant;
}

std::vector<kernels::Variant> Variants(const Limits&) {
  std::vector<kernels::Variant> variants;
  for (const EntryRow& row : Entries()) {
    int found = 0;
    for (const auto& implementation : kernels::cpu::Implementations()) {
      if (implementation.entry != row.entry || found >= kMaxVariants || !implementation.supported()) continue;
      variants.push_back(MakeVariant(row, implementation));
      ++found;
    }
  }
  return variants;
}

}  // namespace

Backend Describe() { return {"cpu", Open, Variants}; }

}  // namespace backends::cpu
