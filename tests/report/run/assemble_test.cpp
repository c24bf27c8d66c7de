// SPDX-License-Identifier: MIT
#include "report/run/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "probe/core/fields.h"
#include "report/run/teams.h"
#include "tests/probe/tree.h"

namespace report {
namespace {

using probe::Outcome;
using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;
using ::testing::HasSubstr;

probe::RuntimeDevice Device(const std::string& name) {
  probe::RuntimeDevice device;
  device.runtime = "r";
  device.driver = "d";
  device.name = name;
  return device;
}

ChildResult Ended(ChildEnd end, const std::vector<probe::ProbeEvent>& events) {
  ChildResult result;
  result.end = end;
  result.elapsed_s = 1.5;
  for (const auto& event : events) result.records.push_back(probe::EncodeEvent(event));
  return result;
}

probe::ProbeReport Assembled(const ChildResult& result) {
  std::vector<FileRead> files;
  return Assemble("r", result, files);
}

TEST(Assemble, ADoneChildWithADeviceIsOk) {
  const auto report = Assembled(Ended(ChildEnd::kDone, {Device("a")}));
  EXPECT_EQ(report.outcome, Outcome::kOk);
  EXPECT_EQ(report.stage, probe::Stage::kDone);
  EXPECT_EQ(report.devices.size(), 1U);
}

TEST(Assemble, ADeviceInAnotherModulesNameIsABadReplyAndWhatWasItsOwnStays) {
  auto forged = Device("forged");
  forged.runtime = "neighbour";
  probe::HardwareDevice card;
  card.source = "sysfs";
  for (const probe::ProbeEvent& event : {probe::ProbeEvent(forged), probe::ProbeEvent(card)}) {
    const auto report = Assembled(Ended(ChildEnd::kDone, {Device("a"), event}));
    EXPECT_EQ(report.outcome, Outcome::kBadReply);
    ASSERT_EQ(report.devices.size(), 1U);
    EXPECT_EQ(report.devices[0].name, "a");
    EXPECT_TRUE(report.hardware.empty());
  }
}

TEST(Assemble, WhatArrivedBeforeADeathIsKeptAndTheLastStageNamed) {
  auto result = Ended(ChildEnd::kSignalled, {probe::StageEntered{probe::Stage::kEnumerate}, Device("a")});
  result.exit.signal = 11;
  const auto report = Assembled(result);
  EXPECT_EQ(report.outcome, Outcome::kCrashed);
  EXPECT_EQ(report.stage, probe::Stage::kEnumerate);
  EXPECT_EQ(report.devices.size(), 1U);
  EXPECT_THAT(report.error->text, HasSubstr("signal 11"));
}

TEST(Assemble, EveryEndHasItsOwnOutcome) {
  EXPECT_EQ(Assembled(Ended(ChildEnd::kTimedOut, {})).outcome, Outcome::kTimedOut);
  EXPECT_EQ(Assembled(Ended(ChildEnd::kAbandoned, {})).outcome, Outcome::kTimedOut);
  const auto multiplied = Assembled(Ended(ChildEnd::kMultiplied, {}));
  EXPECT_EQ(multiplied.outcome, Outcome::kTimedOut);
  EXPECT_THAT(multiplied.error->text, HasSubstr("starts others as fast as they are killed"));
  EXPECT_EQ(Assembled(Ended(ChildEnd::kFlooded, {})).outcome, Outcome::kBadReply);
  EXPECT_EQ(Assembled(Ended(ChildEnd::kNotStarted, {})).outcome, Outcome::kFailed);
  auto silent = Ended(ChildEnd::kExited, {});
  silent.exit.code = 0;
  EXPECT_EQ(Assembled(silent).outcome, Outcome::kBadReply);
  silent.exit.code = 7;
  EXPECT_EQ(Assembled(silent).outcome, Outcome::kCrashed);
}

TEST(Assemble, AMalformedEventIsABadReply) {
  ChildResult result = Ended(ChildEnd::kDone, {Device("a")});
  result.records.push_back(probe::Json{{"event", "device"}, {"value", 7}});
  EXPECT_EQ(Assembled(result).outcome, Outcome::kBadReply);
}

ChildResult OfTeam(ChildEnd end, const std::vector<std::string>& names) {
  ChildResult result;
  result.end = end;
  result.elapsed_s = 10;
  for (const auto& name : names) {
    result.records.push_back(probe::Json{{kModuleKey, name}});
    result.records.push_back(probe::EncodeEvent(Device("of " + name)));
  }
  return result;
}

std::vector<probe::system::SteadyTime> Seconds(std::initializer_list<int> times) {
  std::vector<probe::system::SteadyTime> out;
  for (const int time : times) out.emplace_back(std::chrono::seconds(time));
  return out;
}

TEST(Teams, KeepWhatMayLoadVendorCodeApart) {
  std::array<probe::Module, 4> modules;
  modules[0].loads_vendor_code = false;
  modules[1].kind = probe::ModuleKind::kHardware;
  modules[2].loads_nothing = [](const probe::ProbeContext&) { return true; };
  modules[3].loads_nothing = [](const probe::ProbeContext&) { return false; };
  const std::vector<const probe::Module*> all = {&modules[0], &modules[1], &modules[2], &modules[3]};
  tests::Tree tree;
  const auto files = tree.Files();
  EXPECT_EQ(MakeTeams(all, {files, {}, std::nullopt, nullptr}), (std::vector<Team>{{3}, {1}, {0, 2}}));
}

TEST(Teams, BeginWithWhatTakesLongest) {
  std::array<probe::Module, 4> modules;
  modules[1].usual_s = 0.02;
  modules[2].usual_s = 0.03;
  const std::vector<const probe::Module*> all = {&modules[0], &modules[1], &modules[2], &modules[3]};
  tests::Tree tree;
  const auto files = tree.Files();
  EXPECT_EQ(MakeTeams(all, {files, {}, std::nullopt, nullptr}), (std::vector<Team>{{2}, {1}, {0}, {3}}));
}

TEST(Share, GivesEachModuleItsOwnPartAndTime) {
  std::vector<ChildResult> results(3);
  const auto left = Share({2, 0}, OfTeam(ChildEnd::kDone, {"c", "a"}), Seconds({100, 103}), results);
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(Assembled(results[2]).devices[0].name, "of c");
  EXPECT_EQ(Assembled(results[0]).devices[0].name, "of a");
  EXPECT_EQ(results[2].elapsed_s, 3);
  EXPECT_EQ(results[0].elapsed_s, 7);
  EXPECT_EQ(Assembled(results[0]).outcome, Outcome::kOk);
}

TEST(Share, BlamesTheModuleWhoseTurnItWasAndReturnsTheRest) {
  std::vector<ChildResult> results(4);
  const auto left =
      Share({0, 1, 2, 3}, OfTeam(ChildEnd::kTimedOut, {"a", "b"}), Seconds({100, 101}), results);
  EXPECT_EQ(left, (Team{2, 3}));
  EXPECT_EQ(results[0].end, ChildEnd::kDone);
  EXPECT_EQ(results[1].end, ChildEnd::kTimedOut);
  EXPECT_EQ(results[1].records.size(), 1U);
}

TEST(Share, LeavesNobodyWhenNoTurnBeganOrTheRunIsInterrupted) {
  std::vector<ChildResult> results(2);
  EXPECT_TRUE(Share({0, 1}, OfTeam(ChildEnd::kNotStarted, {}), {}, results).empty());
  EXPECT_EQ(results[1].end, ChildEnd::kNotStarted);
  EXPECT_TRUE(Share({0, 1}, OfTeam(ChildEnd::kInterrupted, {"a"}), Seconds({1}), results).empty());
  EXPECT_EQ(results[1].end, ChildEnd::kInterrupted);
}

TEST(MergeDrivers, OneGoodDriverMakesTheModuleOkAndTheBadOneIsNamed) {
  auto good = Assembled(Ended(ChildEnd::kDone, {Device("a")}));
  const auto bad = Assembled(Ended(ChildEnd::kTimedOut, {probe::StageEntered{probe::Stage::kInit}}));
  const auto merged = MergeDrivers("r", {{"/bad.json", bad}, {"/good.json", good}});
  EXPECT_EQ(merged.outcome, Outcome::kOk);
  ASSERT_EQ(merged.drivers.size(), 2U);
  EXPECT_EQ(merged.drivers[0].manifest, "/bad.json");
  EXPECT_EQ(merged.drivers[0].outcome, Outcome::kTimedOut);
  EXPECT_EQ(merged.drivers[0].stage, probe::Stage::kInit);
  EXPECT_EQ(merged.drivers[1].outcome, Outcome::kOk);
  ASSERT_EQ(merged.devices.size(), 1U);
  EXPECT_EQ(merged.devices[0].manifest, "/good.json");
}

TEST(MergeDrivers, WithNoGoodDriverTheFirstFailureSpeaks) {
  const auto bad = Assembled(Ended(ChildEnd::kTimedOut, {}));
  const auto merged = MergeDrivers("r", {{"/bad.json", bad}});
  EXPECT_EQ(merged.outcome, Outcome::kTimedOut);
  EXPECT_TRUE(merged.error.has_value());
}

// Its devices are the module's: what ended it speaks before one that found nothing.
TEST(MergeDrivers, AFailureWithDevicesSpeaksBeforeOneWithout) {
  const auto none = Assembled(Ended(ChildEnd::kDone, {}));
  const auto died =
      Assembled(Ended(ChildEnd::kSignalled, {Device("a"), probe::StageEntered{probe::Stage::kDone}}));
  const auto merged = MergeDrivers("r", {{"/none.json", none}, {"/died.json", died}});
  EXPECT_EQ(merged.outcome, Outcome::kCrashed);
  EXPECT_NE(merged.stage, probe::Stage::kDone);
  EXPECT_EQ(merged.devices.size(), 1U);
}

}  // namespace
}  // namespace report
