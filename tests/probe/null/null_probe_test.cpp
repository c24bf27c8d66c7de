// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "probe/core/module.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::null {
Module Describe();

namespace {

ProbeReport Survey(const system::Environment& environment) {
  const auto files = system::FileSystem::Open("/");
  EXPECT_TRUE(files.ok());
  ProbeReport report;
  Describe().probe(
      {*files, environment, std::nullopt, [&](const ProbeEvent& event) { Apply(event, report); }});
  Conclude(report);
  return report;
}

TEST(NullProbe, IsInstalledAndHasNoDevice) {
  const ProbeReport report = Survey({});
  EXPECT_EQ(report.outcome, Outcome::kNoDevice);
  EXPECT_TRUE(report.devices.empty());
}

TEST(NullProbe, ReportsTheVariablesThatHideDevices) {
  system::Environment environment;
  environment.Set("NULL_VISIBLE_DEVICES", "0\n");
  const ProbeReport report = Survey(environment);
  ASSERT_EQ(report.environment.size(), 1U);
  EXPECT_EQ(report.environment.front().name, "NULL_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace probe::null
