// SPDX-License-Identifier: MIT
#include "report/core/report_fields.h"

#include <gtest/gtest.h>

#include "report/core/clean.h"
#include "tests/report/machines.h"

namespace report {
namespace {

TEST(ReportFields, EveryMachineSurvivesEncodingAndDecoding) {
  for (const auto& machine : testing::Machines()) {
    const auto json = probe::Encode(Cleaned(testing::Decided(machine.build())));
    const auto decoded = probe::Decode<Report>(json);
    ASSERT_TRUE(decoded.ok()) << machine.name << ": " << Describe(decoded.error());
    EXPECT_EQ(probe::ToText(probe::Encode(*decoded)), probe::ToText(json)) << machine.name;
  }
}

TEST(ReportFields, UnknownIsAnAbsentKey) {
  const auto json = probe::Encode(Score{});
  EXPECT_FALSE(json.contains("tokens_per_s"));
  EXPECT_TRUE(json.contains("reasons"));
}

TEST(ReportFields, ReasonsOfVersionsThatToldNoIdsAreRead) {
  auto json = probe::Encode(testing::Decided(testing::Tie()));
  ASSERT_EQ(json["recommendations"][0]["why"][0]["id"], "equal");
  for (auto& answer : json["recommendations"]) {
    answer.erase("why");
    for (auto& option : answer["rejected"]) option.erase("id");
  }
  const auto decoded = probe::Decode<Report>(json);
  ASSERT_TRUE(decoded.ok()) << Describe(decoded.error());
  const auto& reasons = decoded->recommendations.at(0).reasons;
  ASSERT_FALSE(reasons.empty());
  EXPECT_EQ(reasons.front().id, ReasonId::kOther);
  EXPECT_EQ(reasons.front().text, json["recommendations"][0]["reasons"][0].get<std::string>());
}

TEST(ReportFields, ReasonsOfLaterVersionsAreOthers) {
  auto json = probe::Encode(testing::Decided(testing::Tie()));
  json["recommendations"][0]["why"][0]["id"] = "brand_new";
  json["recommendations"][0]["rejected"][0]["id"] = "brand_new";
  const auto decoded = probe::Decode<Report>(json);
  ASSERT_TRUE(decoded.ok()) << Describe(decoded.error());
  EXPECT_EQ(decoded->recommendations.at(0).reasons.front().id, ReasonId::kOther);
  EXPECT_EQ(decoded->recommendations.at(0).rejected.front().id, ReasonId::kOther);
}

TEST(ReportFields, EveryReasonOfEveryMachineHasItsId) {
  for (const auto& machine : testing::Machines()) {
    const auto report = testing::Decided(machine.build());
    for (const auto& answer : report.recommendations) {
      for (const auto& reason : answer.reasons) EXPECT_NE(reason.id, ReasonId::kOther) << reason.text;
      for (const auto& option : answer.rejected) EXPECT_NE(option.id, ReasonId::kOther) << option.reason;
    }
  }
}

TEST(ReportFields, DecodingNamesThePlaceThatIsWrong) {
  auto json = probe::Encode(testing::Decided(testing::Processor()));
  json["scores"][1]["use"] = "gaming";
  const auto decoded = probe::Decode<Report>(json);
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(Describe(decoded.error()).find("scores[1].use"), std::string::npos);
  EXPECT_NE(Describe(decoded.error()).find("inference"), std::string::npos);
}

TEST(Cleaned, ReachesEveryStringOfANestedValue) {
  Report report;
  auto& view = report.devices.emplace_back().views.emplace_back();
  view.device.name = "\x1b[2J";
  view.device.facts.push_back({"key\n", "value\r"});
  view.environment_hidden = "\x07";
  report.findings.emplace_back().fix.push_back({"a\tb", "rm\n-rf", false, false});
  const auto clean = Cleaned(report);
  const auto& cleaned = clean.devices[0].views[0];
  EXPECT_EQ(cleaned.device.name, "\\x1b[2J");
  EXPECT_EQ(cleaned.device.facts[0].key, "key");
  EXPECT_EQ(cleaned.environment_hidden, "\\x07");
  EXPECT_EQ(clean.findings[0].fix[0].text, "a\\x09b");
  EXPECT_EQ(clean.findings[0].fix[0].command, "rm\\x0a-rf");
}

TEST(Cleaned, BoundsEachText) {
  Report report;
  report.warnings.emplace_back(std::string(1000, 'a'));
  EXPECT_EQ(Cleaned(report, 100).warnings[0].text.size(), 100U);
}

}  // namespace
}  // namespace report
