// SPDX-License-Identifier: MIT
// What a way is told to lack that has no score.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

// What rules the way out comes before what is known less well.
TEST(Missing, ComesBehindWhatDoesNotFit) {
  auto report = testing::Processor();
  for (auto& m : report.measurements) {
    if (m.kernel != kernels::Kernel::kRead) continue;
    m.status = backends::MeasurementStatus::kOverBudget;
    m.verified = false;
    m.rate.reset();
  }
  for (auto& device : report.devices) {
    device.memory.total_bytes = device.memory.free_bytes = std::uint64_t{1} << 30U;
    device.memory.usable_bytes.reset();
    for (auto& view : device.views)
      view.device.memory_total_bytes = view.device.memory_free_bytes = std::nullopt;
  }
  const auto scores = testing::Decided(std::move(report)).scores;
  const auto found = std::find_if(scores.begin(), scores.end(), [](const Score& score) {
    return score.runtime == "cpu" && score.use == Use::kTraining;
  });
  ASSERT_NE(found, scores.end());
  ASSERT_EQ(found->reasons.size(), 2U);
  EXPECT_EQ(found->reasons.front().id, ReasonId::kMemory);
  EXPECT_THAT(found->reasons.back().text, ::testing::HasSubstr("its memory speed is estimated from facts"));
}

}  // namespace
}  // namespace report::score
