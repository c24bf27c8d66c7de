// SPDX-License-Identifier: MIT
// What an answer says of memory that does not hold the work, or of which nobody says how much there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/recommend/recommend.h"
#include "report/score/score.h"
#include "tests/report/machines.h"

namespace report::recommend {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::optional<Recommendation> Answer(Report report, Use use = Use::kInference) {
  const auto tables = testing::TestTables();
  report.scores = score::ScoreAll(tables, report.devices, report.measurements);
  return Recommend(tables, report, use);
}

TEST(Recommend, WhatDoesNotFitIsSaidOfEveryUse) {
  auto machine = testing::Processor();
  auto& memory = machine.devices.back().memory;
  memory.total_bytes = memory.free_bytes = memory.usable_bytes = 512ULL << 20U;
  machine.command = "recommend";
  for (const auto& [use, what] : {std::pair(Use::kInference, "nothing here fits the model: it needs 5.1 GiB"),
                                  {Use::kDecode, "nothing here fits the model: it needs 5.1 GiB"},
                                  {Use::kPrefill, "nothing here fits the model: it needs 5.1 GiB"},
                                  {Use::kTraining, "nothing here fits training: a step needs 21 GiB"}}) {
    const auto answer = Answer(machine, use);
    ASSERT_TRUE(answer);
    EXPECT_THAT(answer->warnings, Contains(HasSubstr(what)));
    EXPECT_NE(answer->confidence, Confidence::kHigh);
    ASSERT_TRUE(answer->nothing_fits);
    EXPECT_GT(answer->nothing_fits->needed_bytes, 5e9);
    EXPECT_EQ(answer->nothing_fits->available_bytes, 512.0 * (1U << 20U));
    EXPECT_FALSE(answer->nothing_fits->smaller_bytes);
  }
  memory.total_bytes = memory.free_bytes = memory.usable_bytes = 16ULL << 30U;
  const auto less = Answer(machine, Use::kTraining);
  ASSERT_TRUE(less->nothing_fits);
  ASSERT_TRUE(less->nothing_fits->smaller_bytes);
  EXPECT_LT(*less->nothing_fits->smaller_bytes, 16ULL << 30U);
  EXPECT_THAT(less->warnings, Contains(HasSubstr("with 4-bit weights (QLoRA) it needs")));
  EXPECT_FALSE(Answer(machine)->nothing_fits);
}

TEST(Recommend, WhatTheFirstLineSaysIsLeftOutOfTheReasonsWhereverItStands) {
  auto machine = testing::Processor();
  auto& memory = machine.devices.back().memory;
  memory.total_bytes = memory.free_bytes = memory.usable_bytes = 512ULL << 20U;
  auto report = testing::Decided(machine);
  for (Score& score : report.scores) score.reasons.push_back({ReasonId::kOfTheWay, "said last"});
  const auto answer = Recommend(testing::TestTables(), report, Use::kInference);
  ASSERT_TRUE(answer && answer->nothing_fits);
  EXPECT_THAT(answer->reasons, Contains("said last"));
  EXPECT_THAT(answer->reasons, Not(Contains(HasSubstr("needs 5.1 GiB"))));
}

TEST(Recommend, TheFiguresOfEqualGpusAreToldToBeOfOne) {
  const auto is_it = [](const Reason& reason) { return reason.id == ReasonId::kOneOfSeveral; };
  const auto two = Answer(testing::TwoCards());
  ASSERT_TRUE(two);
  EXPECT_TRUE(std::any_of(two->reasons.begin(), two->reasons.end(), is_it));
  const auto one = Answer(testing::Tie());
  EXPECT_TRUE(std::none_of(one->reasons.begin(), one->reasons.end(), is_it));
}

}  // namespace
}  // namespace report::recommend
