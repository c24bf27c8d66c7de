// SPDX-License-Identifier: MIT
// Machines and the builds that they should get, held against the tables.
#include "report/targets/targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

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
