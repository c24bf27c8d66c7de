// SPDX-License-Identifier: MIT
// One variant on one session at a small size, checked.
#pragma once

#include <string>
#include <vector>

#include "backends/core/workload.h"

namespace tests {

inline kernels::Problem SmallProblem(const kernels::Variant& variant) {
  const auto up = [](std::uint32_t least, std::uint32_t multiple) {
    return (least + multiple - 1) / multiple * multiple;
  };
  switch (variant.kernel) {
    case kernels::Kernel::kGemm:
      return {up(96, variant.multiple_m), 2 * up(96, variant.multiple_n), up(160, variant.multiple_k), 0, 0};
    case kernels::Kernel::kGemv:
      return {up(20, variant.multiple_m), 0, up(320, variant.multiple_k), 0, 0};
    case kernels::Kernel::kChain:
      return {0, variant.multiple_n, up(64, variant.multiple_k), up(1, variant.multiple_count), 0};
    default:
      return {0, 0, 0, up(40000, variant.multiple_count), 0};
  }
}

// "right", "wrong: ..." or the error.
inline std::string Compute(backends::Session& session, const std::vector<kernels::Variant>& all,
                           const kernels::Variant& variant, const kernels::Problem& problem) {
  backends::OperandWriter writer(session, all);
  const auto loaded = backends::Load(session, variant);
  if (!loaded) return probe::Describe(loaded.error());
  auto workload = backends::Workload::Create(session, writer, *loaded, {.problem = problem});
  if (!workload) return probe::Describe(workload.error());
  if (const auto status = workload->Prepare(7, 0); !status) return probe::Describe(status.error());
  if (const auto timing = workload->Run(1); !timing) return probe::Describe(timing.error());
  const auto verdict = workload->Verify();
  if (!verdict) return probe::Describe(verdict.error());
  return verdict->right ? "right" : "wrong: " + verdict->reason;
}
inline std::string Compute(backends::Session& session, const std::vector<kernels::Variant>& all,
                           const kernels::Variant& variant) {
  return Compute(session, all, variant, SmallProblem(variant));
}

}  // namespace tests
