// SPDX-License-Identifier: MIT
// What was not asked is neither usable nor unusable.
#include "report/decide/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/render/faces.h"
#include "tests/report/machines.h"

namespace report {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Asking {
  std::string module;
  probe::Outcome outcome = probe::Outcome::kNoDevice;
};

probe::PhysicalDevice Card(const std::string& id, std::uint32_t vendor) {
  probe::PhysicalDevice card;
  card.id = id;
  card.name = "Card " + id;
  card.kind = probe::DeviceKind::kDiscrete;
  auto& hardware = card.hardware.emplace();
  hardware.source = "sysfs";
  hardware.identity.ids = probe::PciIds{vendor, 0x1234, {}, {}, {}};
  return card;
}

// A card of NVIDIA's and one of AMD's that no runtime shows, where these were asked.
Report Answer(const RunRequest& request, const std::vector<Asking>& asked) {
  Record record;
  for (const Asking& asking : asked) {
    auto& probe = record.probes.emplace_back();
    probe.module = asking.module;
    probe.outcome = asking.outcome;
  }
  probe::PhysicalDevice processor;
  processor.id = "cpu:0";
  processor.kind = probe::DeviceKind::kCpu;
  const auto& tables = EmbeddedTables();
  return Decide(request, *tables, record, {{Card("n", 0x10de), Card("a", 0x1002), processor}, {}});
}

std::string TextOf(const Report& report) {
  std::string text;
  for (const auto& answer : report.recommendations) {
    for (const auto& reason : answer.reasons) text += reason.text + "\n";
    for (const auto& option : answer.rejected) text += option.reason + "\n";
  }
  for (const auto& finding : report.findings) text += finding.id + ": " + finding.summary + "\n";
  return text;
}

TEST(NotAsked, ASysrootAsksNoRuntime) {
  RunRequest request;
  request.sysroot = "/mnt/other";
  const auto report = Answer(request, {{"cpu"}, {"sysfs"}});
  EXPECT_THAT(report.not_asked.device_ids, UnorderedElementsAre("a", "n"));
  const auto text = TextOf(report);
  EXPECT_THAT(text, HasSubstr("2 GPUs were not asked: --sysroot reads files only"));
  EXPECT_EQ(text.find("usable"), std::string::npos) << text;
  EXPECT_EQ(text.find("no runtime reaches it"), std::string::npos) << text;
  EXPECT_EQ(render::ExitCodeOf(report), render::MachineCode::kGpuNotAsked);
}

// A machine without a card on its bus, where these were asked.
Report Cardless(const std::vector<Asking>& asked) {
  Record record;
  for (const Asking& asking : asked) {
    auto& probe = record.probes.emplace_back();
    probe.module = asking.module;
    probe.outcome = asking.outcome;
    probe.error = probe::Error{"", {}, "", asking.module + " says so"};
  }
  probe::PhysicalDevice processor;
  processor.id = "cpu:0";
  processor.kind = probe::DeviceKind::kCpu;
  return Decide({}, *EmbeddedTables(), record, {{processor}, {}});
}

TEST(HiddenGpus, AreHereAndNotUsable) {
  using probe::Outcome;
  const auto hidden = Cardless({{"sysfs"}, {"opencl", Outcome::kHidden}, {"cuda", Outcome::kHidden}});
  EXPECT_EQ(render::ExitCodeOf(hidden), render::MachineCode::kUnusableGpu);
  EXPECT_THAT(TextOf(hidden), HasSubstr("cuda says so\n"));
  EXPECT_EQ(TextOf(hidden).find("no GPU"), std::string::npos);
  // What hides drivers of all makers may hide none that has a GPU.
  const auto none = Cardless({{"sysfs"}, {"opencl", Outcome::kHidden}, {"cuda"}});
  EXPECT_EQ(render::ExitCodeOf(none), render::MachineCode::kNoGpu);
  EXPECT_THAT(TextOf(none), HasSubstr("there is no GPU in this machine\n"));
}

TEST(NotAsked, ARuntimeOfAnotherMakerDoesNotAskACard) {
  RunRequest request;
  request.only = {"cuda"};
  const auto report = Answer(request, {{"cuda", probe::Outcome::kFailed}});
  EXPECT_THAT(report.not_asked.device_ids, ElementsAre("a"));
  EXPECT_THAT(TextOf(report), HasSubstr("unreached.n"));
  EXPECT_EQ(render::ExitCodeOf(report), render::MachineCode::kUnusableGpu);
}

// Of a run that measures nothing.
TEST(WrongBefore, RulesOutItsOwnWayAlone) {
  auto machine = testing::DiscreteAndIntegrated();
  const auto card = machine.devices.front().id;
  machine.devices.front().hardware.emplace().kernel_driver = "nvidia";  // facts tell of real cards alone
  Record record;
  record.probes = machine.probes;
  RunRequest request;
  request.uses = {Use::kInference};
  const auto answered = [&] {
    const auto report = Decide(request, testing::TestTables(), record, {machine.devices, {}});
    EXPECT_EQ(report.recommendations.size(), 1U);
    return report.recommendations.empty() ? Recommendation{} : report.recommendations.front();
  };
  const auto by = [](const Recommendation& answer) { return answer.device_id + " by " + answer.backend; };
  EXPECT_EQ(by(answered()), card + " by cuda");
  auto& wrong = record.measurements.emplace_back(machine.measurements.front());
  wrong.device_id = card;
  wrong.runtime = "cuda";
  wrong.driver = "NVIDIA";
  wrong.status = backends::MeasurementStatus::kWrongResult;
  const auto answer = answered();
  EXPECT_EQ(by(answer), card + " by vulkan");
  EXPECT_EQ(answer.basis, Basis::kEstimated);
  EXPECT_THAT(answer.rejected, Contains(AllOf(Field(&Rejected::runtime, "cuda"),
                                              Field(&Rejected::reason, HasSubstr("gave a wrong result")))));
  record.measurements = machine.measurements;
  EXPECT_EQ(answered().basis, Basis::kMeasured) << "an earlier run's figures stand as they are";
}

// A runtime's own release stands for the version of the interface that its driver did not tell.
TEST(Interface, IsOfTheLibrarysReleaseWhereTheDriverTellsNone) {
  const auto told = [](const std::string& runtime, const std::string& library, const std::string& driver) {
    auto card = Card("a", 0x1002);
    auto& view = card.views.emplace_back();
    view.device.runtime = runtime;
    view.device.driver_version = driver;
    Record record;
    auto& probe = record.probes.emplace_back();
    probe.module = runtime;
    probe.outcome = probe::Outcome::kOk;
    probe.library = probe::Library{"lib.so", std::nullopt, library};
    const auto report = Decide({}, *EmbeddedTables(), record, {{card}, {}});
    return report.devices[0].views[0].device.api_version;
  };
  EXPECT_EQ(told("hip", "6.2.4-147", "6.2.4-147"), "6.2.4");
  EXPECT_EQ(told("hip", "6.2.4-147", "6.1.0"), std::nullopt);
  EXPECT_EQ(told("hip", "N/A", "N/A"), std::nullopt);
  EXPECT_EQ(told("cuda", "580.65.06", "580.65.06"), std::nullopt) << "its drivers count for themselves";
}

TEST(NotAsked, WhatIsNotInstalledTellsNothingWhereOthersWereLeftOut) {
  RunRequest request;
  request.skip = {"cuda", "hip"};
  EXPECT_THAT(Answer(request, {{"vulkan", probe::Outcome::kAbsent}}).not_asked.device_ids,
              UnorderedElementsAre("a", "n"));
  EXPECT_THAT(Answer(request, {{"vulkan", probe::Outcome::kNoDevice}}).not_asked.device_ids,
              UnorderedElementsAre("a", "n"));
  EXPECT_THAT(Answer(request, {{"vulkan", probe::Outcome::kCrashed}}).not_asked.device_ids, IsEmpty());
  request.skip = {"vulkan"};
  const auto missing = Answer(request, {{"cuda", probe::Outcome::kAbsent}, {"hip", probe::Outcome::kAbsent}});
  EXPECT_THAT(missing.not_asked.device_ids, IsEmpty()) << "their makers' own were asked and are missing";
  EXPECT_EQ(render::ExitCodeOf(missing), render::MachineCode::kUnusableGpu);
}

}  // namespace
}  // namespace report
