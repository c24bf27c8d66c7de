// SPDX-License-Identifier: MIT
// Every kernel on every real NVIDIA GPU of this machine. Skips where there is none and fails on anything
// else.
#include <gtest/gtest.h>

#include "kernels/cuda/variants.h"
#include "probe/core/module.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "tests/backends/cuda/compute.h"

namespace probe::cuda {
Module Describe();
}
namespace backends::cuda {
Backend Describe();
}

namespace {

using kernels::Problem;
using kernels::Variant;

// That of compute.h, and of products one of several tiles that goes round every ring of stages more than
// once.
std::vector<Problem> ProblemsOf(const Variant& variant) {
  std::vector<Problem> problems = {tests::SmallProblem(variant)};
  if (variant.kernel == kernels::Kernel::kGemm)
    problems.push_back({3 * variant.multiple_m, 5 * variant.multiple_n, 40 * variant.multiple_k, 0, 0});
  return problems;
}

TEST(CudaGpu, VerifiesEveryKernelThatItSupports) {
  const auto files = probe::system::FileSystem::Open("/");
  ASSERT_TRUE(files.ok());
  const auto environment = probe::system::Environment::OfProcess();
  probe::ProbeReport report;
  probe::cuda::Describe().probe({*files, environment, std::nullopt,
                                 [&](const probe::ProbeEvent& event) { probe::Apply(event, report); }});
  probe::Conclude(report);
  if (report.outcome == probe::Outcome::kAbsent || report.outcome == probe::Outcome::kNoDevice) {
    GTEST_SKIP() << "no NVIDIA GPU here: " << (report.error ? probe::Describe(*report.error) : "");
  }
  ASSERT_EQ(report.outcome, probe::Outcome::kOk) << (report.error ? probe::Describe(*report.error) : "");
  const auto all = kernels::cuda::Variants();
  for (const auto& device : report.devices) {
    const auto session = backends::cuda::Describe().open({device, std::nullopt, *files, environment});
    ASSERT_TRUE(session.ok()) << device.name << ": " << probe::Describe(session.error());
    for (const auto& variant : all) {
      if (variant.kernel == kernels::Kernel::kFill) continue;
      if (!backends::MissingFeature(variant, (*session)->limits()).empty()) continue;
      for (const Problem& problem : ProblemsOf(variant)) {
        EXPECT_EQ(tests::Compute(**session, all, variant, problem), "right")
            << device.name << ": " << variant.steps[0].entry << " with k = " << problem.k;
      }
    }
  }
}

}  // namespace
