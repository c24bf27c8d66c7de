// SPDX-License-Identifier: MIT
// The processor's kernels as variants: one row an entry of kernels/cpu.
#include <algorithm>
#include <array>
#include <string>

#include "backends/core/backend.h"
#include "backends/cpu/cpu_session.h"
#include "backends/cpu/library_variants.h"
#include "kernels/cpu/cpu_kernel.h"

namespace backends::cpu {
namespace {

using kernels::DeviceShape;
using kernels::Dtype;
using kernels::Kernel;
using kernels::Number;
using kernels::Problem;
using kernels::Role;
using kernels::Variant;

// More than the best of one kernel would cost time and tell nothing, but that wide vectors lower the clock of
// some processors.
int MaxVariants(std::string_view entry) { return entry == "gemm_fp32" ? 2 : 1; }

// Of a whole row of gemm: what every implementation of that entry needs.
std::uint64_t Packing(const Variant& variant, const Problem& problem, const DeviceShape& device) {
  return kernels::cpu::GemmWorkspaceBytes(variant.steps.front().entry, problem.m, problem.n, problem.k,
                                          device.compute_units);
}

// Of gemv with x in 8 bits, for all of them.
std::uint64_t Rounded(const Variant&, const Problem& problem, const DeviceShape& device) {
  return kernels::cpu::GemvWorkspaceBytes(problem.k, device.compute_units);
}

using Bytes = std::uint64_t (*)(const Variant&, const Problem&, const DeviceShape&);

// Multiples that suit every implementation of an entry. Chains fill registers with 3072 accumulators or a
// divisor of it, and a matrix instruction adds up to 64 products at once.
constexpr std::uint32_t kChainGroup = 3072;

struct EntryRow {
  std::string_view entry;
  Kernel kernel;
  Dtype in;
  Dtype acc;
  Bytes workspace_bytes = nullptr;
  std::uint32_t multiple_n = 1;
  std::uint32_t multiple_k = 1;
  std::uint32_t multiple_count = 1;
  bool x_in_8_bits = false;
};
constexpr std::array kEntries = {
    EntryRow{"fill_u32", Kernel::kFill, Dtype::kU32, Dtype::kU32},
    EntryRow{"fill_fp32", Kernel::kFill, Dtype::kFp32, Dtype::kFp32},
    EntryRow{"fill_bf16", Kernel::kFill, Dtype::kBf16, Dtype::kBf16},
    EntryRow{"fill_int8", Kernel::kFill, Dtype::kInt8, Dtype::kInt8},
    EntryRow{"fill_q4", Kernel::kFill, Dtype::kQ4, Dtype::kQ4},
    EntryRow{"fill_q8", Kernel::kFill, Dtype::kQ8, Dtype::kQ8},
    EntryRow{"fill_fp16", Kernel::kFill, Dtype::kFp16, Dtype::kFp16},
    EntryRow{"gemm_fp32", Kernel::kGemm, Dtype::kFp32, Dtype::kFp32, Packing},
    EntryRow{"gemm_bf16", Kernel::kGemm, Dtype::kBf16, Dtype::kFp32, Packing},
    EntryRow{"gemm_int8", Kernel::kGemm, Dtype::kInt8, Dtype::kInt32, Packing},
    EntryRow{"read_u32", Kernel::kRead, Dtype::kU32, Dtype::kU32},
    EntryRow{"gemv_q4", Kernel::kGemv, Dtype::kQ4, Dtype::kFp32, nullptr, 1, 32},
    EntryRow{"gemv_q4_q8", Kernel::kGemv, Dtype::kQ4, Dtype::kFp32, Rounded, 1, 32, 1, true},
    EntryRow{"gemv_q8_q8", Kernel::kGemv, Dtype::kQ8, Dtype::kFp32, Rounded, 1, 32, 1, true},
    EntryRow{"gemv_fp16", Kernel::kGemv, Dtype::kFp16, Dtype::kFp32},
    EntryRow{"gemv_bf16", Kernel::kGemv, Dtype::kBf16, Dtype::kFp32},
    EntryRow{"gemv_fp32", Kernel::kGemv, Dtype::kFp32, Dtype::kFp32},
    EntryRow{"triad_fp32", Kernel::kTriad, Dtype::kFp32, Dtype::kFp32},
    EntryRow{"copy_u32", Kernel::kCopy, Dtype::kU32, Dtype::kU32},
    EntryRow{"chain_fp32", Kernel::kChain, Dtype::kFp32, Dtype::kFp32, nullptr, 1, 64, kChainGroup},
    EntryRow{"chain_bf16", Kernel::kChain, Dtype::kBf16, Dtype::kFp32, nullptr, 32, 2, kChainGroup},
    EntryRow{"chain_int8", Kernel::kChain, Dtype::kInt8, Dtype::kInt32, nullptr, 64, 1, kChainGroup},
};

// There are no work-groups, but of read each worker writes a sum.
Variant MakeVariant(const EntryRow& row, const kernels::cpu::Implementation& implementation) {
  kernels::Step step{.entry = implementation.entry, .options = implementation.isa};
  if (row.kernel == Kernel::kRead) step.geometry = {.groups_a_unit = 1, .partials_a_group = 1};
  if (row.kernel == Kernel::kChain) step.scalars = {{Number::kCount}, {Number::kProducts}};
  Variant variant = kernels::Own("own:" + std::string(implementation.isa) + (row.x_in_8_bits ? "_q8" : ""),
                                 row.kernel, row.in, row.acc, std::move(step));
  if (row.workspace_bytes != nullptr) variant.steps[0].bindings.push_back({Role::kWorkspace});
  variant.workspace_bytes = row.workspace_bytes;
  variant.multiple_n = row.multiple_n;
  variant.multiple_k = row.multiple_k;
  variant.multiple_count = row.multiple_count;
  variant.x_in_8_bits = row.x_in_8_bits;
  return variant;
}

std::vector<Variant> Variants(const Limits&) {
  std::vector<Variant> variants;
  for (const EntryRow& row : kEntries) {
    int found = 0;
    for (const auto& implementation : kernels::cpu::Implementations()) {
      if (implementation.entry != row.entry || found >= MaxVariants(row.entry) || !implementation.supported())
        continue;
      variants.push_back(MakeVariant(row, implementation));
      ++found;
    }
  }
  return variants;
}

}  // namespace

Backend Describe() { return {"cpu", Open, Variants, LibraryVariants}; }

}  // namespace backends::cpu
