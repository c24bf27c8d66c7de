// SPDX-License-Identifier: MIT
// Ways that no probe saw: by a runtime that the program brings, and by one that this build can not look for.
#include "report/targets/supposed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "data/runtimes/runtimes.h"

#include "report/assume/assume.h"
#include "report/core/devices.h"
#include "report/decide/decide.h"

namespace report::targets {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

// Of the runtimes of data/runtimes the one whose architectures follow from the names of chips: only of such a
// runtime a device is supposed that nobody looked for.
constexpr std::string_view kUnlooked = "level_zero";

class Unlooked : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto here = data::RuntimesOfThisBuild();
    if (std::find(here.begin(), here.end(), kUnlooked) != here.end())
      GTEST_SKIP() << "this build looks for every runtime that could be supposed";
  }
};

// A GPU that the kernel calls by its maker's name of the chip, on a machine whose build of this program has
// no module for the maker's own runtime.
struct Machine {
  std::string words = "vendor=intel,memory=12GiB,runtime=none,glibc=2.39";
  std::string chip = "bmg-g21";
  bool openable = true;
};

Report Answered(const assume::Machine& imagined, const std::string& target, const RunRequest& asked) {
  Record record;
  record.created = "2026-11-25T00:00:00Z";
  record.host = imagined.host;
  record.probes = imagined.probes;
  RunRequest request = asked;
  request.command = "recommend";
  request.uses = {Use::kTraining};
  request.terms.target = *EmbeddedTarget(target);
  return Decide(request, *EmbeddedTables(), record, {imagined.devices, {}});
}

Report Answer(const Machine& machine, const std::string& target, const RunRequest& asked = {}) {
  const auto& tables = EmbeddedTables();
  auto imagined = *assume::Imagine(*tables, {machine.words});
  std::erase_if(imagined.probes, [](const auto& probe) { return probe.module == kUnlooked; });
  auto& hardware = *imagined.devices.back().hardware;
  hardware.facts.push_back({"table_target", machine.chip});
  hardware.nodes.push_back({"/dev/dri/renderD128", true, machine.openable});
  return Answered(imagined, target, asked);
}

TEST_F(Unlooked, ACardThatTheProgramCoversIsTheAnswerAndSaidToBeUnmeasured) {
  const auto report = Answer({}, "pytorch");
  ASSERT_EQ(report.recommendations.size(), 1U);
  const auto& answer = report.recommendations.front();
  EXPECT_EQ(answer.backend, kUnlooked);
  EXPECT_EQ(answer.artefact->id, "xpu");
  EXPECT_EQ(answer.confidence, Confidence::kLow);
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("this version can not look for it")));
}

TEST_F(Unlooked, OneThatTheProgramDoesNotCoverOrThatIsClosedIsNot) {
  Machine old;
  old.chip = "adls";
  const auto report = Answer(old, "pytorch");
  EXPECT_EQ(report.recommendations.front().backend, "cpu");
  EXPECT_THAT(report.recommendations.front().warnings, Each(Not(HasSubstr("can not look"))));
  Machine closed;
  closed.openable = false;
  EXPECT_EQ(Answer(closed, "pytorch").recommendations.front().backend, "cpu");
  Machine unknown;
  unknown.chip = "xyz";
  const auto answer = Answer(unknown, "pytorch").recommendations.front();
  EXPECT_EQ(answer.backend, "cpu");
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("this version can not look for it")));
  EXPECT_EQ(answer.confidence, Confidence::kLow);
}

// As a record has it that an earlier version wrote: of the source of hardware the numbers alone.
TEST_F(Unlooked, OfARecordTheNumbersTellTheChip) {
  const auto& tables = EmbeddedTables();
  auto imagined = *assume::Imagine(*tables, {"vendor=intel,name=Arc A770,runtime=vulkan,glibc=2.39"});
  std::erase_if(imagined.probes, [](const auto& probe) { return probe.module == kUnlooked; });
  auto& card = imagined.devices.back();
  card.hardware->architecture.reset();
  const auto answer = [&] { return Answered(imagined, "pytorch", {}).recommendations.front(); };
  EXPECT_EQ(answer().artefact->id, "xpu");
  card.hardware->identity.ids->device = 0;
  EXPECT_EQ(answer().artefact->id, "cpu");
}

// The card of OfARecord..., which Vulkan was measured on, and no program.
struct Card {
  double product = 60e12;
  double read = 436e9;
  bool all_asked = true;
};

Report AnswerWithoutProgram(const Card& of, Use use) {
  const auto& tables = EmbeddedTables();
  auto imagined = *assume::Imagine(*tables, {"vendor=intel,name=Arc A770,runtime=vulkan,glibc=2.39"});
  std::erase_if(imagined.probes, [](const auto& probe) { return probe.module == kUnlooked; });
  Record record;
  record.created = "2026-11-25T00:00:00Z";
  record.calibrated = true;
  record.host = imagined.host;
  record.probes = imagined.probes;
  if (!of.all_asked) record.left_out = LeftOutBy::kOnly;
  const auto add = [&](const std::string& device, const probe::RuntimeDevice& by, kernels::Kernel kernel,
                       kernels::Dtype dtype, double rate) {
    auto& m = record.measurements.emplace_back();
    m.device_id = device;
    m.runtime = by.runtime;
    m.driver = by.driver;
    m.kernel = kernel;
    m.implementation = "own:tile";
    m.in_dtype = dtype;
    m.unit = kernels::Row(kernel).unit;
    m.rate = rate;
    m.ci95 = {0.99, 1.01};
    m.status = backends::MeasurementStatus::kOk;
    m.verified = true;
  };
  using kernels::Dtype;
  using kernels::Kernel;
  for (const auto& device : imagined.devices) {
    for (const auto& view : device.views) {
      const bool card = device.kind != probe::DeviceKind::kCpu;
      add(device.id, view.device, Kernel::kGemm, card ? Dtype::kFp16 : Dtype::kFp32,
          card ? of.product : 0.6e12);
      add(device.id, view.device, Kernel::kRead, Dtype::kU32, card ? of.read : 45e9);
    }
  }
  RunRequest request;
  request.command = std::string(kWholeReport);
  request.uses = {use};
  return Decide(request, *tables, record, {imagined.devices, {}});
}

TEST_F(Unlooked, WithoutAProgramTheAnswerIsThatOfTheProgramThatItNames) {
  const auto report = AnswerWithoutProgram({}, Use::kTraining);
  const auto& answer = report.recommendations.front();
  EXPECT_EQ(answer.backend, kUnlooked);
  EXPECT_EQ(answer.basis, Basis::kEstimated);
  EXPECT_EQ(answer.confidence, Confidence::kLow);
  EXPECT_THAT(answer.warnings, Contains(AllOf(HasSubstr("this version can not look for it"),
                                              HasSubstr("where it is missing, install"))));
  ASSERT_TRUE(answer.programs);
  EXPECT_EQ(answer.programs->front().backend, answer.backend);
  EXPECT_EQ(answer.programs->front().device_id, answer.device_id);
  ASSERT_NE(ScoreOf(report, answer), nullptr);
  EXPECT_TRUE(answer.arithmetic);
}

TEST_F(Unlooked, WithoutAProgramAWayThatWasMeasuredIsNeverPassedOver) {
  EXPECT_EQ(AnswerWithoutProgram({}, Use::kInference).recommendations.front().backend, "vulkan");
  Card card;
  card.all_asked = false;
  EXPECT_EQ(AnswerWithoutProgram(card, Use::kTraining).recommendations.front().backend, "cpu")
      << "the caller left runtimes out";
}

// What Vulkan measured of the card is what the card can do.
TEST_F(Unlooked, AnEstimateIsNoLowerThanWhatOtherRuntimesMeasured) {
  const auto tokens = [](const Card& card) {
    return *AnswerWithoutProgram(card, Use::kTraining).recommendations.front().tokens_per_s;
  };
  const auto slow = tokens({.product = 1e12});
  const auto fast = tokens({.product = 60e12});
  EXPECT_GT(fast.value, 2 * slow.value);
  EXPECT_GT(tokens({.product = 90e12}).value, fast.value);
  EXPECT_GT(slow.value, 50) << "of what is slow the data sheet tells";
}

TEST(Supposed, ARuntimeThatThisBuildLooksForIsNeverSaidToBeBeyondIt) {
  const auto& tables = EmbeddedTables();
  auto imagined = *assume::Imagine(*tables, {"vendor=nvidia,cc=8.6,runtime=vulkan,glibc=2.39"});
  std::erase_if(imagined.probes, [](const auto& probe) { return probe.module == "cuda"; });
  const auto warnings = [&] { return Answered(imagined, "pytorch", {}).recommendations.front().warnings; };
  EXPECT_THAT(warnings(), Each(Not(HasSubstr("can not look"))));
  EXPECT_THAT(warnings(), Contains(HasSubstr("its cu132 is for CUDA, which nobody looked for")));
  imagined.devices.back().hardware->architecture.reset();
  EXPECT_THAT(warnings(), Each(Not(HasSubstr("cu132")))) << "nobody knows whether it would fit";
}

TEST(Supposed, WhatTheCallerLeftOutIsNotSupposed) {
  RunRequest request;
  request.skip = {"vulkan"};
  EXPECT_EQ(Answer({}, "pytorch", request).recommendations.front().backend, "cpu");
}

TEST(Supposed, ARuntimeThatIsBroughtIsNamedAndNotRejected) {
  Machine machine{"vendor=amd,gfx=gfx1100,memory=24GiB,runtime=vulkan,glibc=2.39", "", true};
  const auto answer = Answer(machine, "pytorch").recommendations.front();
  EXPECT_EQ(answer.backend, "hip");
  EXPECT_THAT(answer.reasons.front(), HasSubstr("is not installed, and PyTorch's"));
  for (const Rejected& option : answer.rejected) EXPECT_NE(option.runtime, "hip");
  machine.openable = false;
  EXPECT_EQ(Answer(machine, "pytorch").recommendations.front().backend, "cpu");
}

}  // namespace
}  // namespace report::targets
