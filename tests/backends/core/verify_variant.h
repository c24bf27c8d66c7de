// SPDX-License-Identifier: MIT
// One variant of a real device through the path that measuring takes: its result passes the reference, and
// does not with one element of a million changed.
#pragma once

#include <gtest/gtest.h>

#include <span>

#include "backends/core/workload.h"
#include "tests/backends/core/defective_session.h"

namespace tests {

inline constexpr std::uint32_t kMillion = 1U << 20U;

// A result of a million elements, of a square matrix as far as the variant's multiples allow.
[[nodiscard]] inline kernels::Problem LargeResult(const kernels::Variant& variant) {
  constexpr std::uint32_t kEdge = 1024;
  const auto up = [](std::uint32_t value, std::uint32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
  };
  if (variant.kernel == kernels::Kernel::kGemm) {
    return {up(kEdge, variant.multiple_m), up(kEdge, variant.multiple_n), up(32, variant.multiple_k), 0, 0};
  }
  if (variant.kernel == kernels::Kernel::kGemv) return {1000, 0, up(4128, variant.multiple_k), 0, 0};
  if (variant.kernel == kernels::Kernel::kChain) {
    return {0, variant.multiple_n, up(64, variant.multiple_k), up(kMillion, variant.multiple_count), 0};
  }
  return {0, 0, 0, up(kMillion, variant.multiple_count), 0};
}

// `fills` write the operands.
inline void ExpectVerified(backends::Session& real, std::span<const kernels::Variant> fills,
                           const kernels::Variant& variant, const kernels::Problem& problem) {
  for (const Defect defect : {Defect::kNone, Defect::kOneWrongWord}) {
    DefectiveSession session(real, defect);
    backends::OperandWriter writer(session, fills);
    const auto loaded = backends::Load(session, variant);
    ASSERT_TRUE(loaded.ok()) << probe::Describe(loaded.error());
    auto workload = backends::Workload::Create(session, writer, *loaded, {.problem = problem});
    ASSERT_TRUE(workload.ok()) << probe::Describe(workload.error());
    ASSERT_TRUE(workload->Prepare(1, 0).ok());
    const auto timing = workload->Run(1);
    ASSERT_TRUE(timing.ok()) << probe::Describe(timing.error());
    const auto verdict = workload->Verify();
    ASSERT_TRUE(verdict.ok()) << probe::Describe(verdict.error());
    EXPECT_EQ(verdict->right, defect == Defect::kNone) << verdict->reason;
  }
}

}  // namespace tests
