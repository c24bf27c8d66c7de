// SPDX-License-Identifier: MIT
// What is said of several equal GPUs: of which of them, or of all at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "probe/core/note.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using ::testing::HasSubstr;

constexpr const char* kVariable = "HSA_OVERRIDE_GFX_VERSION";

std::vector<Finding> Of(const Report& machine, const std::string& prefix) {
  std::vector<Finding> out;
  for (auto& finding : testing::Decided(machine).findings) {
    if (finding.id.starts_with(prefix)) out.push_back(std::move(finding));
  }
  return out;
}

TEST(Equal, OfTwoThatFailEachIsNamedByItsAddress) {
  auto machine = testing::TwoCards();
  for (auto& m : machine.measurements) {
    if (m.runtime != "cuda") continue;
    m.status = backends::MeasurementStatus::kTimedOut;
    m.verified = false;
    m.peer_id.reset();
  }
  const auto found = Of(machine, "measure.cuda.nvidia.timed_out");
  ASSERT_EQ(found.size(), 2U);
  for (const auto& finding : found) EXPECT_THAT(finding.summary, HasSubstr("(" + *finding.device_id + "): "));
}

TEST(Equal, OfTwoThatNothingReachesEachIsNamedByItsAddress) {
  auto machine = testing::TwoCards();
  for (auto& device : machine.devices) {
    if (device.kind != probe::DeviceKind::kCpu) device.views.clear();
  }
  const auto found = Of(machine, "unreached.");
  ASSERT_EQ(found.size(), 2U);
  for (const auto& finding : found) EXPECT_THAT(finding.summary, HasSubstr("(" + *finding.device_id + ")"));
}

TEST(Equal, WhatAVariableMakesOfSeveralIsOneFinding) {
  auto machine = testing::TwoCards();
  std::vector<std::string> ids;
  for (auto& device : machine.devices) {
    for (auto& view : device.views) {
      if (view.device.runtime != "cuda") continue;
      view.device.facts.push_back({std::string(probe::kTakenForAnotherFact), kVariable});
      ids.push_back(device.id);
    }
  }
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.environment = {{kVariable, "9"}};
    probe.warnings = {std::string(kVariable) + " makes it take A for B", std::string(kVariable) + " C for D"};
  }
  const auto found = Of(machine, "variable.");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].summary, std::string(kVariable) + " makes it take A for B; " + kVariable + " C for D");
  EXPECT_EQ(found[0].device_id, ids.front());
  EXPECT_EQ(found[0].device_ids, ids);
  EXPECT_EQ(found[0].fix.size(), 1U);
  EXPECT_EQ(found[0].evidence.size(), 1U);
}

}  // namespace
}  // namespace report::explain
