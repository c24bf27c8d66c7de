// SPDX-License-Identifier: MIT
#include "report/calibrate.h"

#include <gtest/gtest.h>

namespace report {
namespace {

probe::View ViewOf(const std::string& runtime, probe::DeviceKind kind) {
  probe::View view;
  view.device.runtime = runtime;
  view.device.kind = kind;
  return view;
}

std::vector<probe::PhysicalDevice> Processor() {
  std::vector<probe::PhysicalDevice> devices(1);
  devices[0].id = "cpu:0";
  devices[0].kind = probe::DeviceKind::kCpu;
  devices[0].views = {ViewOf("vulkan", probe::DeviceKind::kSoftware), ViewOf("cpu", probe::DeviceKind::kCpu),
                      ViewOf("sysfs", probe::DeviceKind::kCpu)};
  return devices;
}

TEST(PlanTargets, NativeViewsComeFirstAndViewsWithoutABackendAreLeftOut) {
  const auto targets = PlanTargets(Processor(), Options{});
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].device.runtime, "cpu");
  EXPECT_DOUBLE_EQ(targets[0].budget_s, kCpuBudgetSeconds);
  EXPECT_EQ(targets[1].device.runtime, "vulkan");
  EXPECT_DOUBLE_EQ(targets[1].budget_s, kSoftwareBudgetSeconds);
}

TEST(PlanTargets, AGpusRuntimesShareItsBudget) {
  auto devices = Processor();
  devices[0].kind = probe::DeviceKind::kDiscrete;
  devices[0].views = {ViewOf("vulkan", probe::DeviceKind::kDiscrete), ViewOf("opencl", probe::DeviceKind::kDiscrete)};
  const auto targets = PlanTargets(devices, Options{});
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_DOUBLE_EQ(targets[0].budget_s + targets[1].budget_s, kGpuBudgetSeconds);
}

TEST(PlanTargets, EffortAndBudgetScaleEverything) {
  Options quick;
  quick.effort = Effort::kQuick;
  EXPECT_DOUBLE_EQ(PlanTargets(Processor(), quick)[0].budget_s, kCpuBudgetSeconds / 3);
  Options bounded;
  bounded.budget_s = 1.0;
  const auto targets = PlanTargets(Processor(), bounded);
  EXPECT_DOUBLE_EQ(targets[0].budget_s + targets[1].budget_s, 1.0);
}

}  // namespace
}  // namespace report
