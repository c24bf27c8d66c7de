// SPDX-License-Identifier: MIT
// What an answer says of memory that does not hold the work, or of which nobody says how much there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/core/devices.h"
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

// What brings the layers that the card lacks nobody measured.
TEST(Recommend, AnAssumedRateIsNoHighConfidence) {
  auto report = testing::Server();
  for (auto& m : report.measurements) {
    if (m.device_id == kProcessorId) *m.rate /= 20;
  }
  const auto tables = testing::TestTables();
  report.scores = score::ScoreAll(tables, report.devices, report.measurements);
  const auto confidence = [&](bool assumes) {
    for (Score& score : report.scores) score.assumes_upload = assumes;
    const auto answer = Recommend(tables, report, Use::kPrefill);
    return answer ? std::optional(answer->confidence) : std::nullopt;
  };
  EXPECT_EQ(confidence(false), Confidence::kHigh);
  EXPECT_EQ(confidence(true), Confidence::kMedium);
}

TEST(Recommend, TheFiguresOfEqualGpusAreToldToBeOfOne) {
  const auto is_it = [](const Reason& reason) { return reason.id == ReasonId::kOneOfSeveral; };
  const auto two = Answer(testing::TwoCards());
  ASSERT_TRUE(two);
  EXPECT_TRUE(std::any_of(two->reasons.begin(), two->reasons.end(), is_it));
  const auto one = Answer(testing::Tie());
  EXPECT_TRUE(std::none_of(one->reasons.begin(), one->reasons.end(), is_it));
}

// Of a step that needs 21 GiB.
TEST(Recommend, EqualGpusHoldTogetherWhatIsFreeOfThoseThatMayBeTaken) {
  const auto together = [](double gib_of_first, double gib_of_second, auto change) {
    auto machine = testing::TwoCards();
    const auto bytes = [](double gib) { return static_cast<std::uint64_t>(gib * (1U << 30U)); };
    machine.devices.at(0).memory.free_bytes = bytes(gib_of_first);
    machine.devices.at(1).memory.free_bytes = bytes(gib_of_second);
    change(machine);
    const auto answer = Answer(machine, Use::kTraining);
    EXPECT_TRUE(answer);
    return answer &&
           std::any_of(answer->warnings.begin(), answer->warnings.end(), [](const Warning& warning) {
             return warning ==
                    "2 of these GPUs together hold training: what a program makes of several is not "
                    "predicted";
           });
  };
  const auto as_it_is = [](Report&) {};
  EXPECT_TRUE(together(12, 12, as_it_is));
  EXPECT_FALSE(together(12, 0.2, as_it_is));
  EXPECT_FALSE(together(60, 60, as_it_is)) << "one holds it";
  EXPECT_FALSE(together(12, 12, [](Report& report) { report.terms.excluded_ids = {"pci:0000:c1:00.0"}; }));
  EXPECT_FALSE(together(12, 12, [](Report& report) {
    for (auto& device : report.devices) {
      for (auto& view : device.views) view.device.identity.partition = "1g.10gb";
    }
  })) << "a process sees one";
  EXPECT_FALSE(together(12, 12, [](Report& report) {
    for (auto& m : report.measurements) {
      if (m.device_id != "pci:0000:c1:00.0") continue;
      m.status = backends::MeasurementStatus::kFailed;
      m.verified = false;
    }
  })) << "it failed";
}

// A way that can not do the work holds nothing.
TEST(Recommend, WhatNothingHoldsThatDoesItFitsNowhere) {
  auto machine = testing::DiscreteAndIntegrated();
  for (auto& device : machine.devices) {
    std::erase_if(device.views, [](const auto& view) { return view.device.runtime == "cuda"; });
    if (device.kind != probe::DeviceKind::kCpu) continue;
    device.memory.total_bytes = device.memory.free_bytes = device.memory.usable_bytes = 4ULL << 30U;
  }
  machine.devices.at(0).memory.total_bytes = machine.devices.at(0).memory.free_bytes = 80ULL << 30U;
  machine.command = "recommend";
  const auto answer = Answer(machine, Use::kTraining);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  EXPECT_TRUE(answer->nothing_fits) << "Vulkan on the card has the memory and does not train";
  EXPECT_THAT(answer->warnings, Not(Contains(HasSubstr("its speed is told as if it had"))));
}

}  // namespace
}  // namespace report::recommend
