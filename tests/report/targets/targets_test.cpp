// SPDX-License-Identifier: MIT
// Machines and the builds that they should get, held against the tables.
#include "report/targets/targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "report/core/tables.h"
#include "report/targets/build.h"
#include "tests/report/targets/bounds.h"
#include "tests/report/targets/expected.h"

namespace report::targets {
namespace {

TEST(Targets, EveryMachineGetsTheBuildThatItsMakersDocument) {
  ASSERT_GE(AllExpected().size(), 200U);
  for (const Expected& expected : AllExpected()) {
    const auto table = EmbeddedTarget(expected.target);
    ASSERT_TRUE(table) << expected.target;
    const auto report = Answered(expected, *table);
    EXPECT_EQ(AnswerOf(report), Answer(expected.backend, expected.build))
        << expected.line << "\n"
        << (report.no_answer ? report.no_answer->reason : "");
  }
}

// ComfyUI runs on PyTorch: where that has a build for the GPU, so has it. But for those whose last PyTorch is
// older than ComfyUI is written for: that of CUDA 11.8 is 2.7, that of 12.4 is 2.6, that of JetPack 5 is 2.1.
TEST(Targets, ComfyUiIsNotBehindThePyTorchThatItRunsOn) {
  const auto table = *EmbeddedTarget("comfyui");
  for (const Expected& expected : AllExpected()) {
    const auto& build = expected.build;
    const bool is_old = build.starts_with("cu118") || build.starts_with("cu124") || build == "jetson-jp5";
    const bool is_for_gpu = expected.backend != "cpu" && expected.backend != "none";
    if (expected.target != "pytorch" || !is_for_gpu || is_old) continue;
    auto same = expected;
    same.use = Use::kInference;  // the only one that it has
    EXPECT_EQ(AnswerOf(Answered(same, table)).first, expected.backend) << expected.line;
  }
}

// The report's word and that of `recommend --target` are one.
TEST(Programs, AreTheBuildsThatRecommendNames) {
  std::size_t compared = 0;
  std::size_t other_way = 0;
  for (const Expected& expected : AllExpected()) {
    if (expected.policy != Policy::kMinimum) continue;
    const auto report = Reported(expected);
    ASSERT_EQ(report.recommendations.size(), 1U) << expected.line;
    const auto& answer = report.recommendations.front();
    ASSERT_TRUE(answer.programs) << expected.line;
    for (const Program& program : *answer.programs) {
      EXPECT_EQ(program.artefact.has_value(), !program.reason.has_value()) << expected.line;
      if (program.target != expected.target) continue;
      EXPECT_EQ(Answer(program.backend.value_or("none"), program.artefact.value_or("")),
                Answer(expected.backend, expected.build))
          << expected.line;
      ++compared;
      if (program.backend != answer.backend) ++other_way;
    }
  }
  EXPECT_GE(compared, 60U);
  EXPECT_GE(other_way, 2U) << "the program runs by another way than the fastest";
}

TEST(Programs, SayForWhichGpusTheyAreNot) {
  Expected both;
  both.machine = {"name=RTX 5090", "name=GTX 1080"};
  both.use = Use::kTraining;
  const auto report = Reported(both);
  ASSERT_EQ(report.recommendations.size(), 1U);
  const auto& programs = *report.recommendations.front().programs;
  const auto torch = std::find_if(programs.begin(), programs.end(),
                                  [](const Program& program) { return program.target == "pytorch"; });
  ASSERT_NE(torch, programs.end());
  EXPECT_EQ(torch->device_id, report.recommendations.front().device_id);
  EXPECT_EQ(torch->left_out, std::vector<std::string>{"GTX 1080"});
  ASSERT_TRUE(torch->warnings);
  EXPECT_TRUE(std::any_of(torch->warnings->begin(), torch->warnings->end(), [](const std::string& warning) {
    return warning.find("does not cover GTX 1080") != std::string::npos;
  }));
}

TEST(Programs, OfEveryRuntimeHaveATableWithABuildForIt) {
  for (const RuntimeFacts& facts : EmbeddedTables()->runtimes) {
    for (const auto& [names, use] : {std::pair(facts.advice.inference, Use::kInference),
                                     std::pair(facts.advice.training, Use::kTraining)}) {
      for (const std::string& name : names) {
        const auto table = EmbeddedTarget(name);
        ASSERT_TRUE(table) << facts.name << " " << name;
        EXPECT_TRUE(std::any_of(table->builds.begin(), table->builds.end(),
                                [&](const Build& build) {
                                  return Serves(*EmbeddedTables(), build, OfRuntime(facts.name)) &&
                                         IsFor(*table, build, use);
                                }))
            << facts.name << " " << name;
      }
    }
  }
}

TEST(Targets, EveryBuildHasALineOfBoundsAndKeepsThem) {
  std::size_t builds = 0;
  for (const std::string& name : TargetNames()) builds += EmbeddedTarget(name)->builds.size();
  EXPECT_EQ(AllBounds().size(), builds);
  for (const Bounds& bounds : AllBounds()) {
    const auto table = EmbeddedTarget(bounds.target);
    ASSERT_TRUE(table) << bounds.target;
    const auto build = std::find_if(table->builds.begin(), table->builds.end(),
                                    [&](const Build& one) { return one.id == bounds.build; });
    ASSERT_NE(build, table->builds.end()) << bounds.target << " " << bounds.build;
    EXPECT_EQ(Difference(bounds, *build), "") << bounds.target << " " << bounds.build;
  }
}

}  // namespace
}  // namespace report::targets
