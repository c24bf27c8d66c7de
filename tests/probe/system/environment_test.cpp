// SPDX-License-Identifier: MIT
#include "probe/system/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "probe/system/clock.h"

namespace probe::system {
namespace {

TEST(Environment, TellsUnsetFromEmpty) {
  Environment environment;
  environment.Set("EMPTY", "");
  EXPECT_EQ(environment.Get("EMPTY"), "");
  EXPECT_EQ(environment.Get("UNSET"), std::nullopt);
  environment.Unset("EMPTY");
  EXPECT_EQ(environment.Get("EMPTY"), std::nullopt);
}

TEST(Environment, KeepsTheFirstOfEqualNamesAndSkipsWhatIsNoAssignment) {
  const char* const block[] = {"A=1", "nonsense", "=x", "A=2", "B=x=y", nullptr};
  const auto environment = Environment::FromBlock(block, false);
  EXPECT_EQ(environment.Assignments(), (std::vector<std::string>{"A=1", "B=x=y"}));
}

TEST(Environment, IgnoresEverythingThatSteersLoadingWhenTheProgramIsSetUid) {
  const char* const block[] = {
      "LANG=C.UTF-8", "LC_ALL=C",      "TERM=xterm",        "NO_COLOR=1",
      "HOME=/home/x", "LD_PRELOAD=/x", "VK_DRIVER_FILES=x", "WHICHGPU_LIBRARY_PATH=/x",
      "LANGUAGE=x",   nullptr};
  const auto environment = Environment::FromBlock(block, true);
  EXPECT_EQ(environment.Assignments(),
            (std::vector<std::string>{"LANG=C.UTF-8", "LC_ALL=C", "NO_COLOR=1", "TERM=xterm"}));
}

TEST(Environment, AcceptsAProcessWithoutAnyEnvironment) {
  EXPECT_TRUE(Environment::FromBlock(nullptr, false).Assignments().empty());
}

TEST(Environment, ReadsThatOfTheProcess) {
  ASSERT_EQ(setenv("WHICHGPU_TEST_VARIABLE", "here", 1), 0);
  EXPECT_EQ(Environment::OfProcess().Get("WHICHGPU_TEST_VARIABLE"), "here");
}

TEST(Clock, WritesTheCalendarAsUtc) {
  const auto now = CalendarNow();
  ASSERT_EQ(now.size(), 20U);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
  EXPECT_GE(now, "2024-01-01T00:00:00Z");
}

}  // namespace
}  // namespace probe::system
