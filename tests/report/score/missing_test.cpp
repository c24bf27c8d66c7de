// SPDX-License-Identifier: MIT
// What a way is told to lack that has no score.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/score/score.h"
#include "tests/report/machines.h"

namespace report::score {
namespace {

std::vector<Reason> ReasonsWithout(kernels::Kernel kernel, const std::string& runtime) {
  auto report = testing::DiscreteAndIntegrated();
  std::erase_if(report.measurements,
                [&](const auto& m) { return m.runtime == runtime && m.kernel == kernel; });
  for (const Score& score : ScoreAll(testing::TestTables(), report.devices, report.measurements)) {
    if (score.runtime == runtime && score.use == Use::kInference) return score.reasons;
  }
  return {};
}

// A backend may have a read and no product.
TEST(Missing, IsTheFigureThatNobodyMeasured) {
  EXPECT_THAT(ReasonsWithout(kernels::Kernel::kGemm, "cuda"),
              ::testing::ElementsAre("its matrix speed was not measured"));
  EXPECT_THAT(ReasonsWithout(kernels::Kernel::kRead, "cuda"),
              ::testing::ElementsAre("its memory speed was not measured"));
}

}  // namespace
}  // namespace report::score
