// SPDX-License-Identifier: MIT
// Every kernel that a backend offers a device, on a small problem: launched as its module wants it, its
// result is right, and is found wrong where one word of it is.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/core/workload.h"
#include "tests/backends/core/defective_session.h"

namespace tests {

// Two tiles each way, and a k that is no power of two where the variant allows.
inline kernels::Problem Small(const kernels::Variant& variant) {
  const auto up = [](std::uint32_t value, std::uint32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
  };
  if (variant.kernel == kernels::Kernel::kGemm) {
    return {2 * variant.multiple_m, 2 * std::max(variant.multiple_n, 16U), up(48, variant.multiple_k), 0, 0};
  }
  if (variant.kernel == kernels::Kernel::kGemv) return {100, 0, up(288, variant.multiple_k), 0, 0};
  if (variant.kernel == kernels::Kernel::kChain)
    return {0, variant.multiple_n, up(64, variant.multiple_k), 2 * variant.multiple_count, 0};
  return {0, 0, 0, up(40000, variant.multiple_count), 0};
}

inline std::string Verdict(backends::Session& real, const std::vector<kernels::Variant>& all,
                           const kernels::Variant& variant, Defect defect) {
  DefectiveSession session(real, defect);
  backends::OperandWriter writer(session, all);
  const auto loaded = backends::Load(session, variant);
  if (!loaded) return probe::Describe(loaded.error());
  auto workload = backends::Workload::Create(session, writer, *loaded, {.problem = Small(variant)});
  if (!workload) return probe::Describe(workload.error());
  if (const auto prepared = workload->Prepare(1, 0); !prepared) return probe::Describe(prepared.error());
  if (const auto timing = workload->Run(2); !timing) return probe::Describe(timing.error());
  const auto verdict = workload->Verify();
  if (!verdict) return probe::Describe(verdict.error());
  return verdict->right ? "right" : "wrong";
}

// What went wrong with any of them.
inline std::string VerifyAll(const backends::Backend& backend, backends::Session& session) {
  const auto all = backend.variants(session.limits());
  std::string out;
  std::size_t matrices = 0;
  for (const kernels::Variant& variant : all) {
    if (variant.kernel == kernels::Kernel::kFill) continue;
    matrices += variant.name.starts_with("own:xmx") ? 1U : 0U;
    for (const auto defect : {Defect::kNone, Defect::kOneWrongWord}) {
      const auto verdict = Verdict(session, all, variant, defect);
      if (verdict != (defect == Defect::kNone ? "right" : "wrong"))
        out += fmt::format("{} {}: {}\n", variant.name, variant.steps.back().entry, verdict);
    }
  }
  return out.empty() ? fmt::format("all right, {} by matrix units", matrices) : out;
}

}  // namespace tests
