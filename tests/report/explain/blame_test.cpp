// SPDX-License-Identifier: MIT
// What is to blame for figures that failed, by what else is known of the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "report/core/warning.h"
#include "report/explain/explain.h"
#include "tests/report/explain/findings.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCard = "pci:0000:01:00.0";

// A variable by which a driver claims hardware says nothing of a card that is on the bus.
TEST(Blame, APretenceIsToBlameForWhatIsNotThereAlone) {
  const auto told = [](bool is_there) {
    auto machine = testing::DiscreteAndIntegrated();
    auto& card = machine.devices.front();
    testing::AddView(card, "vulkan", "radv", probe::DeviceKind::kDiscrete);
    if (!is_there) card.hardware.reset();
    std::erase_if(machine.measurements, [](const auto& m) { return m.device_id == kCard; });
    auto& failed = testing::Measure(machine, kCard, "vulkan", "radv", Kernel::kGemm, 1, Dtype::kFp32);
    failed.status = MeasurementStatus::kWrongResult;
    failed.verified = false;
    for (auto& probe : machine.probes) {
      if (probe.module == "vulkan") probe.environment = {{"RADV_FORCE_FAMILY", "navi21"}};
    }
    std::string all;
    for (const auto& finding : testing::Decided(machine).findings) all += TextsOf(finding) + "; ";
    return all;
  };
  EXPECT_THAT(told(false), HasSubstr("unset RADV_FORCE_FAMILY, by which the driver claims hardware"));
  EXPECT_THAT(told(true), Not(HasSubstr("by which the driver claims hardware")));
}

TEST(Blame, WhatIsWrongWhereAnEqualGpuIsRightIsTheDevice) {
  const auto told = [](bool is_right_beside) {
    auto machine = testing::TwoCards();
    const std::string bad = "pci:0000:c1:00.0";
    for (auto& m : machine.measurements) {
      if (m.device_id != bad && is_right_beside) continue;
      if (m.runtime == "cpu") continue;
      m.status = MeasurementStatus::kWrongResult;
      m.verified = false;
    }
    std::string all;
    for (const auto& finding : testing::Decided(machine).findings) {
      if (finding.device_id == bad && finding.id.starts_with("measure.")) all += TextsOf(finding) + "; ";
    }
    return all;
  };
  EXPECT_THAT(told(true),
              ::testing::AllOf(HasSubstr("suspect this one"), Not(HasSubstr("update the driver"))));
  EXPECT_THAT(told(false), Not(HasSubstr("suspect this one")));
}

// What both do wrong is no defect of one of them, though the other is of use for the rest.
TEST(Blame, WhatEqualGpusDoWrongAlikeIsNotOneOfThem) {
  auto machine = testing::TwoCards();
  const std::string bad = "pci:0000:c1:00.0";
  const auto worst = std::find_if(machine.measurements.begin(), machine.measurements.end(),
                                  [&](const auto& m) { return m.device_id == bad; });
  ASSERT_NE(worst, machine.measurements.end());
  const auto [kernel, type] = std::pair(worst->kernel, worst->in_dtype);
  for (auto& m : machine.measurements) {
    if (m.runtime == "cpu" || (m.device_id != bad && (m.kernel != kernel || m.in_dtype != type))) continue;
    m.status = MeasurementStatus::kWrongResult;
    m.verified = false;
  }
  std::string all;
  for (const auto& finding : testing::Decided(machine).findings) {
    if (finding.device_id == bad && finding.id.starts_with("measure.")) all += TextsOf(finding) + "; ";
  }
  EXPECT_THAT(all, Not(::testing::IsEmpty()));
  EXPECT_THAT(all, Not(HasSubstr("suspect this one")));
}

// What keeps every driver from working does not let it work for another device.
TEST(Blame, WhatTheMachineLacksIsNoReasonWhereAnotherDeviceWorksByTheSameDriver) {
  const auto told = [](bool works_beside) {
    auto machine = testing::DiscreteAndIntegrated();
    machine.warnings.push_back(NotMountedWarning("/sys"));
    std::erase_if(machine.measurements, [](const auto& m) { return m.device_id == kCard; });
    auto other = machine.devices.front();
    other.id = "pci:0000:09:00.0";
    auto& failed = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1, Dtype::kFp32);
    failed.status = MeasurementStatus::kCrashed;
    failed.verified = false;
    if (works_beside)
      testing::Measure(machine, other.id, "cuda", "NVIDIA", Kernel::kGemm, 1e12, Dtype::kFp32);
    machine.devices.push_back(std::move(other));
    std::string all;
    for (const auto& finding : testing::Decided(machine).findings) {
      if (finding.id.starts_with("measure.")) all += TextsOf(finding) + "; ";
    }
    return all;
  };
  EXPECT_THAT(told(false), HasSubstr("mount /sys"));
  EXPECT_THAT(told(true), ::testing::AllOf(Not(HasSubstr("mount /sys")), HasSubstr("driver")));
}

}  // namespace
}  // namespace report::explain
