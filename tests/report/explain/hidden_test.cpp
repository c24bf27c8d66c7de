// SPDX-License-Identifier: MIT
// A variable that hides GPUs is one thing to mend, wherever it shows.
#include "probe/core/hidden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/render/faces.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using probe::Outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";
constexpr const char* kHides =
    "CUDA_VISIBLE_DEVICES=\"1\" hides 1 of 1 GPUs: Card; \"1\" names no GPU here: CUDA ignores it";

// Its maker's runtime shows nothing for a variable; `reached`: another's driver has the card.
Report Machine(bool reached) {
  auto machine = testing::Server();
  auto& gpu = machine.devices[1];
  std::erase_if(gpu.views, [&](const auto& view) { return !reached || view.device.runtime == "cuda"; });
  gpu.hardware->kernel_driver = "nvidia";
  gpu.hardware->facts.push_back({"hidden_by", kVariable});
  gpu.hardware->facts.push_back({"hidden_because", "\"1\" names no GPU here"});
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.outcome = Outcome::kHidden;
    probe.stage = probe::Stage::kInit;
    probe.error = probe::Error{"cuInit", 100, "CUDA_ERROR_NO_DEVICE",
                               "CUDA_VISIBLE_DEVICES=\"1\" leaves none of 1 GPU"};
    probe.environment = {
        {kVariable, "1"}, {"NVIDIA_VISIBLE_DEVICES", "0"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}};
    probe.warnings = {kHides};
  }
  // Another runtime's driver for the same card, which reads the same variable.
  auto& other = machine.probes.emplace_back(testing::Probe("opencl", Outcome::kOk, probe::Stage::kDone));
  other.environment = {{kVariable, "1"}};
  auto& driver = other.drivers.emplace_back();
  driver.name = "NVIDIA CUDA";
  driver.outcome = Outcome::kHidden;
  driver.error = probe::Error{"", std::nullopt, "", "CUDA_VISIBLE_DEVICES=1 hides its devices: unset it"};
  return machine;
}

std::vector<Finding> AboutVariables(const Report& report) {
  std::vector<Finding> out;
  for (const Finding& finding : report.findings) {
    std::string all = finding.summary + finding.id;
    for (const auto& evidence : finding.evidence) all += evidence.value;
    EXPECT_THAT(all, Not(HasSubstr("NVIDIA_VISIBLE_DEVICES"))) << "it hides nothing";
    EXPECT_THAT(all, Not(HasSubstr("CUDA_DEVICE_ORDER"))) << "it hides nothing";
    if (all.find(kVariable) != std::string::npos) out.push_back(finding);
  }
  return out;
}

// What is said of one maker's GPU does not say that the other maker's runtime shows none of its own.
TEST(Hidden, AVariableThatHidesTwoMakersGpusIsToldOfBoth) {
  for (const bool reached : {false, true}) {
    auto machine = Machine(reached);
    std::erase_if(machine.probes, [](const auto& probe) { return probe.module == "hip"; });
    auto& hip = machine.probes.emplace_back(testing::Probe("hip", Outcome::kHidden, probe::Stage::kInit));
    hip.error = probe::Error{"", std::nullopt, "", "CUDA_VISIBLE_DEVICES=\"1\" leaves none of 2 GPUs"};
    hip.environment = {{kVariable, "1"}};
    std::vector<std::string> runtimes;
    for (const auto& finding : AboutVariables(testing::Decided(std::move(machine))))
      runtimes.push_back(finding.runtime.value_or("of the GPU"));
    EXPECT_THAT(runtimes, ::testing::UnorderedElementsAre(reached ? "cuda" : "of the GPU", "hip"));
  }
}

TEST(Hidden, AVariableIsOneFindingOfTheGpuThatNothingElseReaches) {
  const auto found = AboutVariables(testing::Decided(Machine(false)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "unreached.pci-0000-41-00-0");
  EXPECT_THAT(found[0].summary, HasSubstr("is hidden by CUDA_VISIBLE_DEVICES=1: \"1\" names no GPU here"));
  EXPECT_EQ(found[0].evidence.back().value, kHides) << "what its runtime says of it";
  ASSERT_EQ(found[0].fix.size(), 1U);
  EXPECT_EQ(found[0].fix[0].command, "unset CUDA_VISIBLE_DEVICES");
}

TEST(Hidden, AVariableIsOneFindingOfAllGpusThatItHides) {
  auto machine = Machine(false);
  const auto add = [&](const char* id, const char* name, const char* because) {
    auto gpu = machine.devices[1];
    gpu.id = id;
    gpu.name = name;
    gpu.hardware->facts.back().value = because;
    machine.devices.push_back(std::move(gpu));
  };
  const std::string first = machine.devices[1].id;
  const std::string name = machine.devices[1].name;
  constexpr const char* kBecause = "\"1\" names no GPU here";
  add("pci:0000:42:00.0", name.c_str(), kBecause);
  add("pci:0000:43:00.0", "Other Card", kBecause);
  add("pci:0000:44:00.0", "Third Card", "another reason");
  const auto report = testing::Decided(machine);
  const auto found = AboutVariables(report);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].device_id, first);
  EXPECT_THAT(found[0].device_ids.value_or(std::vector<std::string>()),
              ElementsAre(first, "pci:0000:42:00.0", "pci:0000:43:00.0"));
  EXPECT_EQ(found[0].summary,
            "2 x " + name + ", Other Card are hidden by CUDA_VISIBLE_DEVICES=1: " + kBecause);
  EXPECT_THAT(found[0].fix.at(0).text, HasSubstr("let it name these GPUs, too"));
  EXPECT_EQ(found[1].device_id, "pci:0000:44:00.0") << "for another reason";
  EXPECT_FALSE(found[1].device_ids);
  EXPECT_EQ(std::count_if(report.advice.begin(), report.advice.end(),
                          [](const auto& step) { return step.command == "unset CUDA_VISIBLE_DEVICES"; }),
            1);
}

TEST(Hidden, ElseOfTheRuntime) {
  auto machine = Machine(true);
  for (auto& probe : machine.probes) {
    if (probe.module == "cuda")
      probe.hardware = {probe::HiddenHardware("cuda", {}, kVariable, "\"1\" names no GPU here")};
  }
  const auto found = AboutVariables(testing::Decided(std::move(machine)));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "runtime.cuda.hidden");
  EXPECT_TRUE(found[0].summary.ends_with("(CUDA_VISIBLE_DEVICES=1): \"1\" names no GPU here"))
      << found[0].summary;
  EXPECT_EQ(found[0].evidence.at(0).value, "CUDA_VISIBLE_DEVICES=1");
  EXPECT_EQ(found[0].evidence.at(1).value, kHides);
  ASSERT_EQ(found[0].fix.size(), 1U);
  EXPECT_EQ(found[0].fix[0].command, "unset CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(found[0].fix[0].text, HasSubstr("let it name a GPU that is here"));
}

TEST(Hidden, AVariableThatHidesNothingIsToldAsBefore) {
  auto machine = Machine(false);
  for (auto& probe : machine.probes) {
    if (probe.module == "cuda") probe.warnings.emplace_back("NVIDIA_VISIBLE_DEVICES=\"x\" is odd");
  }
  std::vector<std::string> ids;
  for (const Finding& finding : testing::Decided(machine).findings) {
    if (finding.id.starts_with("variable.")) ids.push_back(finding.id);
  }
  EXPECT_THAT(ids, ElementsAre("variable.cuda.NVIDIA_VISIBLE_DEVICES"));
}

// A machine without a usable GPU, too, has nothing of it.
TEST(Hidden, SoftwareThatAVariableHidesIsANote) {
  for (const bool of_driver : {false, true}) {
    auto machine = testing::Server();
    for (auto& score : machine.measurements) score.status = backends::MeasurementStatus::kFailed;
    std::erase_if(machine.probes, [](const auto& probe) { return probe.module == "opencl"; });
    auto& probe =
        machine.probes.emplace_back(testing::Probe("opencl", Outcome::kHidden, probe::Stage::kLoad));
    probe.environment = {{"OCL_ICD_VENDORS", "/nowhere"}};
    probe.error = probe::Error{"", std::nullopt, "hides_software", "OCL_ICD_VENDORS=/nowhere leads past"};
    if (of_driver) {
      auto& driver = probe.drivers.emplace_back();
      driver.name = "PoCL";
      driver.outcome = Outcome::kHidden;
      driver.error = probe.error;
    }
    const auto report = testing::Decided(machine);
    const auto* id = of_driver ? "driver.opencl.pocl.hidden" : "runtime.opencl.hidden";
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [&](const auto& one) { return one.id == id; });
    ASSERT_NE(found, report.findings.end()) << id;
    EXPECT_EQ(found->severity, Severity::kNote) << id;
    EXPECT_THAT(found->meaning, HasSubstr("no GPU is lost")) << id;
    ASSERT_EQ(found->fix.size(), 1U) << id;
    EXPECT_THAT(found->fix[0].text, HasSubstr("unset")) << id;
  }
}

TEST(Hidden, WhatOtherProgramsDoNotSeeHasTheCommandThatShowsIt) {
  auto machine = testing::Server();
  machine.devices[1].views[0].environment_hidden = kVariable;
  const auto report = testing::Decided(machine);
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const auto& one) { return one.id.starts_with("hidden."); });
  ASSERT_NE(found, report.findings.end());
  ASSERT_EQ(found->fix.size(), 1U);
  EXPECT_EQ(found->fix[0].text, "unset CUDA_VISIBLE_DEVICES, unless it is meant");
  EXPECT_EQ(found->fix[0].command, "unset CUDA_VISIBLE_DEVICES");
}

TEST(Hidden, AVariableThatMayHideIsTheFirstToTry) {
  auto machine = Machine(false);
  std::erase_if(machine.devices[1].hardware->facts,
                [](const auto& fact) { return fact.key.starts_with("hidden_"); });
  for (auto& probe : machine.probes) {
    if (probe.module != "cuda") continue;
    probe.outcome = Outcome::kNoDevice;
    probe.error->text = "no device; CUDA_VISIBLE_DEVICES=\"1\" may name no GPU of this machine";
    probe.warnings.clear();
  }
  const auto report = testing::Decided(machine);
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const auto& one) { return one.id == "unreached.pci-0000-41-00-0"; });
  ASSERT_NE(found, report.findings.end());
  ASSERT_EQ(found->fix.size(), 2U);
  EXPECT_EQ(found->fix[0].command, "unset CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(found->fix[1].text, HasSubstr("does not show this GPU"));
}

// Nothing shows the GPU, so that no step is a GPU's.
TEST(Hidden, WhatBringsBackGpusThatNothingShowsIsAStepOfTheAnswer) {
  auto machine = Machine(false);
  std::erase_if(machine.devices, [](const auto& device) { return device.kind != probe::DeviceKind::kCpu; });
  const auto report = testing::Decided(std::move(machine));
  ASSERT_FALSE(report.recommendations.empty());
  EXPECT_THAT(render::Why(testing::TestTables(), report, {}),
              ::testing::ContainsRegex("Do .*unset CUDA_VISIBLE_DEVICES, or let it name"));
}

}  // namespace
}  // namespace report::explain
