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
