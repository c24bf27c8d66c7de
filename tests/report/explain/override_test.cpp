// SPDX-License-Identifier: MIT
// What is said of a variable that makes a driver take its chip for another, where a kernel hangs or dies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

// Every figure of the card's way did not end.
std::string OfAHang(std::string runtime, std::string driver) {
  auto machine = testing::DiscreteAndIntegrated();
  auto& device = machine.devices.front();
  testing::AddView(device, runtime, driver, probe::DeviceKind::kDiscrete);
  auto& hung = testing::Measure(machine, device.id, runtime, driver, Kernel::kGemm, 1);
  hung.status = MeasurementStatus::kTimedOut;
  hung.verified = false;
  const auto report = testing::Decided(machine);
  for (const auto& finding : report.findings) {
    if (finding.runtime == runtime && finding.id.ends_with(".timed_out")) return TextsOf(finding);
  }
  return "";
}

TEST(Override, AHangNamesTheOverrideOfThoseDriversAloneThatReadOne) {
  constexpr std::string_view kVariable = "HSA_OVERRIDE_GFX_VERSION";
  EXPECT_THAT(OfAHang("hip", "ROCm"), HasSubstr(kVariable));
  EXPECT_THAT(OfAHang("opencl", "AMD Accelerated Parallel Processing"), HasSubstr(kVariable));
  for (const auto& other :
       {OfAHang("opencl", "rusticl"), OfAHang("vulkan", "another"), OfAHang("cuda", "another")}) {
    EXPECT_THAT(other, HasSubstr("idle machine"));
    EXPECT_THAT(other, Not(HasSubstr("HSA_")));
  }
}

// One of the card's kernels hangs by HIP where another for the same types is right.
Report WithAHangBesideARightOne(std::optional<std::string> override_value,
                                std::string_view implementation = "own:new",
                                const char* variable = "HSA_OVERRIDE_GFX_VERSION") {
  auto machine = testing::DiscreteAndIntegrated();
  testing::AddView(machine.devices.front(), "hip", "ROCm", probe::DeviceKind::kDiscrete);
  testing::Measure(machine, kCard, "hip", "ROCm", Kernel::kGemm, 1e12, Dtype::kFp16);
  auto& hung = testing::Measure(machine, kCard, "hip", "ROCm", Kernel::kGemm, 1, Dtype::kFp16);
  hung.implementation = implementation;
  hung.status = MeasurementStatus::kTimedOut;
  hung.verified = false;
  auto probe = testing::Probe("hip", probe::Outcome::kOk, probe::Stage::kDone);
  if (override_value) probe.environment.push_back({variable, *override_value});
  machine.probes.push_back(probe);
  return testing::Decided(machine);
}

TEST(Override, AnOverrideGoesBeforeTheKernelThatHangs) {
  constexpr auto kId = "kernel.hip.rocm.own-new.pci-0000-01-00-0";
  const auto set = WithAHangBesideARightOne("10.3.0");
  const auto* of_it = FindById(set, kId);
  ASSERT_NE(of_it, nullptr);
  EXPECT_EQ(of_it->severity, Severity::kNote);
  EXPECT_THAT(of_it->meaning, HasSubstr("HSA_OVERRIDE_GFX_VERSION is set"));
  EXPECT_THAT(of_it->meaning, Not(HasSubstr("this tool's own")));
  EXPECT_EQ(of_it->fix.front().command, "unset HSA_OVERRIDE_GFX_VERSION");
  EXPECT_THAT(of_it->fix.front().text, HasSubstr("unless it is known to work with this GPU"));
  EXPECT_THAT(TextsOf(*of_it), Not(HasSubstr("if it is set")));
  EXPECT_THAT(TextsOf(*of_it), HasSubstr("report it"));

  const auto of_one = WithAHangBesideARightOne("11.0.0", "own:new", "HSA_OVERRIDE_GFX_VERSION_1");
  EXPECT_EQ(FindById(of_one, kId)->fix.front().command, "unset HSA_OVERRIDE_GFX_VERSION_1");
  const auto of_library = WithAHangBesideARightOne("11.0.0", "rocblas");
  const auto* library = FindById(of_library, "library.hip.rocm.rocblas.pci-0000-01-00-0");
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->fix.front().command, "unset HSA_OVERRIDE_GFX_VERSION");

  for (const auto& report : {WithAHangBesideARightOne(std::nullopt), WithAHangBesideARightOne("")}) {
    const auto* unset = FindById(report, kId);
    ASSERT_NE(unset, nullptr);
    EXPECT_THAT(unset->meaning, HasSubstr("this tool's own"));
    EXPECT_THAT(TextsOf(*unset), Not(HasSubstr("HSA_"))) << "its runtime would have told";
  }
}

// A variable is the process's own, whatever of the same error is to be done on a container's host.
TEST(Override, AnOverrideGoesBeforeTheKernelThatDiesWhereItIsSet) {
  const auto of = [](const std::string& value) {
    auto machine = testing::DiscreteAndIntegrated();
    machine.host.container = "docker";
    testing::AddView(machine.devices.front(), "hip", "ROCm", probe::DeviceKind::kDiscrete);
    auto& died = testing::Measure(machine, kCard, "hip", "ROCm", Kernel::kGemm, 1);
    died.status = MeasurementStatus::kFailed;
    died.verified = false;
    died.reason = "hipModuleLaunchKernel x: hipErrorLaunchFailure (719): the kernel died";
    auto probe = testing::Probe("hip", probe::Outcome::kOk, probe::Stage::kDone);
    probe.environment = {{"HSA_OVERRIDE_GFX_VERSION", value}};
    machine.probes.push_back(probe);
    return testing::Decided(machine);
  };
  const auto set = of("10.3.0"), unset = of("");
  const auto* with = FindById(set, "measure.hip.rocm.failed");
  ASSERT_NE(with, nullptr);
  ASSERT_EQ(with->fix.size(), 2U);
  EXPECT_THAT(with->meaning, HasSubstr("a kernel may fail of it"));
  EXPECT_EQ(with->fix[0].command, "unset HSA_OVERRIDE_GFX_VERSION");
  EXPECT_THAT(with->fix[0].text, ::testing::StartsWith("unset HSA_OVERRIDE_GFX_VERSION, unless"));
  const auto* without = FindById(unset, "measure.hip.rocm.failed");
  ASSERT_NE(without, nullptr);
  EXPECT_THAT(TextsOf(*without), Not(HasSubstr("HSA_")));
  for (const auto* finding : {with, without})
    EXPECT_THAT(finding->fix.back().text, HasSubstr("on the host, not in this container: the kernel's log"));
}

// Nothing is to be removed that is not there.
TEST(Override, WhatMakesADriverClaimHardwareIsNamedWhereItIsSet) {
  const auto of = [](const char* variable) {
    auto machine = testing::Phantom();
    for (auto& probe : machine.probes) {
      if (probe.module == "opencl") probe.environment = {{variable, "1"}};
    }
    const auto report = testing::Decided(machine);
    const auto found = std::find_if(report.findings.begin(), report.findings.end(), [](const Finding& one) {
      return one.id.starts_with("measure.opencl.") && one.id.ends_with(".wrong_result");
    });
    return found == report.findings.end() ? Finding() : *found;
  };
  const auto set = of("ProductFamilyOverride");
  ASSERT_FALSE(set.fix.empty());
  EXPECT_EQ(set.fix.front().command, "unset ProductFamilyOverride");
  EXPECT_THAT(set.fix.front().text, HasSubstr("claims hardware"));
  const auto unset = of("CUDA_VISIBLE_DEVICES");
  ASSERT_FALSE(unset.fix.empty());
  EXPECT_THAT(TextsOf(unset), Not(HasSubstr("unset")));
  EXPECT_THAT(TextsOf(unset), Not(HasSubstr("variables")));
}

TEST(Override, AWrongResultMayComeOfCodeForAnotherChip) {
  auto machine = testing::DiscreteAndIntegrated();
  testing::AddView(machine.devices.front(), "hip", "ROCm", probe::DeviceKind::kDiscrete);
  auto& wrong = testing::Measure(machine, kCard, "hip", "ROCm", Kernel::kGemm, 1);
  wrong.status = MeasurementStatus::kWrongResult;
  wrong.verified = false;
  auto probe = testing::Probe("hip", probe::Outcome::kOk, probe::Stage::kDone);
  probe.environment = {{"HSA_OVERRIDE_GFX_VERSION", "10.3.0"}};
  machine.probes.push_back(probe);
  const auto report = testing::Decided(machine);
  const auto* found = FindById(report, "measure.hip.rocm.wrong_result");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->fix.at(0).command, "unset HSA_OVERRIDE_GFX_VERSION");
  EXPECT_THAT(found->fix.at(0).text, HasSubstr("may compute wrong"));
}

}  // namespace
}  // namespace report::explain
