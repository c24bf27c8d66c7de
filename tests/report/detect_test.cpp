// SPDX-License-Identifier: MIT
#include "report/detect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/core/fields.h"
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

ChildResult Ended(ChildEnd end, std::vector<probe::ProbeEvent> events) {
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

TEST(Deadline, IsLongerWhereAModuleSetsUpSeveralGpus) {
  tests::Tree tree;
  const auto add = [&](const std::string& address, const char* vendor, const char* code) {
    tree.Write("/sys/bus/pci/devices/" + address + "/vendor", vendor)
        .Write("/sys/bus/pci/devices/" + address + "/class", code);
  };
  probe::Module module;
  module.gpu_vendor = probe::vendor_id::kAmd;
  add("0000:03:00.0", "0x1002\n", "0x030000\n");
  add("0000:03:00.1", "0x1002\n", "0x040300\n");  // its sound
  add("0000:04:00.0", "0x10de\n", "0x030200\n");
  EXPECT_EQ(DetectionDeadline(module, tree.Files()), kDetectionDeadlineSeconds);
  add("0000:05:00.0", "0x1002\n", "0x120000\n");
  EXPECT_EQ(DetectionDeadline(module, tree.Files()), kSeveralGpusDeadlineSeconds);
  EXPECT_EQ(DetectionDeadline(probe::Module{}, tree.Files()), kDetectionDeadlineSeconds) << "of no vendor";
}

TEST(Assemble, ADoneChildWithADeviceIsOk) {
  const auto report = Assembled(Ended(ChildEnd::kDone, {Device("a")}));
  EXPECT_EQ(report.outcome, Outcome::kOk);
  EXPECT_EQ(report.stage, probe::Stage::kDone);
  EXPECT_EQ(report.devices.size(), 1U);
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

}  // namespace
}  // namespace report
