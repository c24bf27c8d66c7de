// SPDX-License-Identifier: MIT
// What a user is told of a machine that saves power.
#include "probe/core/power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/report/machines.h"

namespace report::explain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Facts = std::vector<std::pair<std::string_view, std::string>>;

// The findings of power, of a processor with these facts.
std::vector<Finding> Of(const Facts& facts, const std::string& governor = "",
                        Report machine = testing::Processor()) {
  for (auto& device : machine.devices) {
    if (device.kind != probe::DeviceKind::kCpu) continue;
    if (!device.hardware) device.hardware.emplace();
    if (!device.hardware->processor) device.hardware->processor.emplace();
    if (!governor.empty()) device.hardware->processor->governor = governor;
    for (const auto& [key, value] : facts) device.hardware->facts.push_back({std::string(key), value});
  }
  std::vector<Finding> found;
  for (auto& finding : testing::Decided(machine).findings) {
    if (finding.id.starts_with("power.")) found.push_back(finding);
  }
  return found;
}

std::vector<std::string> Ids(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const auto& finding : findings) ids.push_back(finding.id);
  return ids;
}

TEST(Power, NothingIsSaidOfAMachineThatSavesNone) {
  EXPECT_THAT(Of({}), IsEmpty());
  EXPECT_THAT(Of({{probe::kPowerSourceFact, "mains"}, {probe::kPowerProfileFact, "balanced"}}), IsEmpty());
}

TEST(Power, ABatteryIsNamed) {
  const auto findings = Of({{probe::kPowerSourceFact, "battery"}});
  ASSERT_THAT(Ids(findings), ElementsAre("power.battery"));
  EXPECT_EQ(findings[0].fix.at(0).command, "whichgpu --measure");
  EXPECT_EQ(findings[0].device_id, "cpu:0");
}

TEST(Power, AProfileThatSavesIsNamed) {
  EXPECT_THAT(Ids(Of({{probe::kPowerProfileFact, "low-power"}})), ElementsAre("power.profile"));
  EXPECT_THAT(Ids(Of({{probe::kPowerProfileFact, "quiet"}})), ElementsAre("power.profile"));
}

TEST(Power, WhatHoldsTheClockIsNamed) {
  const auto governor =
      Of({{probe::kClockHeldByFact, "governor"}, {probe::kBetterGovernorFact, "ondemand"}}, "powersave");
  ASSERT_THAT(Ids(governor), ElementsAre("power.governor"));
  EXPECT_TRUE(governor[0].fix.at(0).needs_root);
  EXPECT_EQ(governor[0].fix.at(0).command,
            "sh -c 'echo ondemand | tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor'");
  const auto alone = Of({{probe::kClockHeldByFact, "governor"}}, "powersave");
  EXPECT_EQ(alone.at(0).fix.at(0).command, std::nullopt) << "the kernel has no other governor";
  const auto preference =
      Of({{probe::kClockHeldByFact, "preference"}, {probe::kBetterPreferenceFact, "default"}});
  ASSERT_THAT(Ids(preference), ElementsAre("power.preference"));
  EXPECT_EQ(preference[0].fix.at(0).command,
            "sh -c 'echo default | tee "
            "/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference'");
  EXPECT_THAT(Of({}, "powersave"), IsEmpty()) << "which is the usual way of some drivers";
}

TEST(Power, NeverBlocksAGpu) {
  const auto findings = Of({{probe::kPowerSourceFact, "battery"}}, "", testing::BrokenDriver());
  ASSERT_THAT(Ids(findings), ElementsAre("power.battery"));
  EXPECT_EQ(findings[0].severity, Severity::kDegraded);
}

}  // namespace
}  // namespace report::explain
