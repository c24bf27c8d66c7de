// SPDX-License-Identifier: MIT
#include "report/run/openings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace report {
namespace {

using backends::Scope;

Target Of(const std::string& runtime, Scope scope, bool joins = false) {
  Target target;
  target.device.runtime = runtime;
  target.scope = scope;
  if (joins) target.peers.resize(2);
  return target;
}

probe::ProbeReport Found(const std::string& runtime, double elapsed_s) {
  probe::ProbeReport probe;
  probe.module = runtime;
  probe.elapsed_s = elapsed_s;
  return probe;
}

// How many of such targets, one after the other, are tried where each is opened in that time.
int Tried(Openings& openings, const Target& target, const std::vector<Target>& rest, double opening_s) {
  int tried = 0;
  while (tried < 100 && !openings.WhyNot(target, rest)) {
    openings.Note(target, opening_s);
    ++tried;
  }
  return tried;
}

TEST(Openings, TheFirstOfADriverIsWaitedForAndItsEqualsAsFarAsTheBoundGoes) {
  Openings openings(Effort::kNormal, {Found("cuda", 8.2)});
  const Target whole = Of("cuda", Scope::kWhole);
  const Target equal = Of("cuda", Scope::kBrief);
  EXPECT_EQ(openings.WhyNot(whole, {}), std::nullopt);
  openings.Note(whole, 8);
  const auto why = openings.WhyNot(equal, {});
  ASSERT_TRUE(why);
  EXPECT_EQ(*why,
            "left out: each process waits 8.0 s for the driver to get ready, and a run waits longer than 12 "
            "s for that for the first alone");
  EXPECT_EQ(openings.WhyNot(Of("vulkan", Scope::kRepeat), {}), std::nullopt) << "nothing is known of it";
  EXPECT_TRUE(openings.WhyNot(Of("cuda", Scope::kAgain), {})) << "what was measured already";
}

TEST(Openings, WhatJoinsEqualsKeepsItsPart) {
  const Target equal = Of("cuda", Scope::kBrief);
  const std::vector<Target> alone = {equal};
  const std::vector<Target> joined = {equal, Of("cuda", Scope::kWhole, true)};
  Openings of_each(Effort::kNormal, {});
  of_each.Note(Of("cuda", Scope::kWhole), 3);
  Openings of_all = of_each;
  EXPECT_EQ(Tried(of_each, equal, alone, 3), 3);
  EXPECT_EQ(Tried(of_all, equal, joined, 3), 2);
  EXPECT_TRUE(of_each.WhyNot(joined.back(), {}));
  EXPECT_EQ(of_all.WhyNot(joined.back(), {}), std::nullopt);
}

TEST(Openings, OtherModelsAreWaitedForLonger) {
  Openings openings(Effort::kQuick, {});
  EXPECT_EQ(Tried(openings, Of("cuda", Scope::kWhole), {}, 8), 4) << "30 s of 7.5 s each";
}

TEST(Openings, EqualsTakeNothingFromOtherModels) {
  Openings openings(Effort::kThorough, {});
  openings.Note(Of("cuda", Scope::kWhole), 8);
  EXPECT_EQ(Tried(openings, Of("cuda", Scope::kBrief), {}, 8), 7)
      << "60 s of 7.5 s each, the first among them";
  EXPECT_EQ(Tried(openings, Of("cuda", Scope::kWhole), {}, 8), 3) << "30 s, the first among them";
}

TEST(Openings, TheEffortSaysHowLong) {
  for (const auto& [effort, tried] :
       {std::pair(Effort::kQuick, 2), std::pair(Effort::kNormal, 4), std::pair(Effort::kThorough, 24)}) {
    Openings openings(effort, {});
    EXPECT_EQ(Tried(openings, Of("cuda", Scope::kBrief), {}, 3), tried);
  }
}

TEST(Openings, OfQuickDriversAnyNumberIsOpened) {
  Openings openings(Effort::kQuick, {Found("cuda", 0.3)});
  EXPECT_EQ(Tried(openings, Of("cuda", Scope::kBrief), {}, 0.4), 100);
  openings.Note(Of("hip", Scope::kWhole), 100);
  EXPECT_EQ(openings.WhyNot(Of("cuda", Scope::kBrief), {}), std::nullopt) << "others were slow";
}

// What compiles its first kernels when it is opened is as slow once.
TEST(Openings, ADriverThatWasReadyWhenItsDevicesWereFoundIsNotSlow) {
  Openings openings(Effort::kNormal, {Found("hip", 0.4)});
  openings.Note(Of("hip", Scope::kWhole), 20);
  EXPECT_EQ(openings.WhyNot(Of("hip", Scope::kBrief), {}), std::nullopt);
}

// Two that are held against each other are opened both or neither.
TEST(Openings, WhatIsMeasuredAgainIsCountedTogether) {
  Openings openings(Effort::kNormal, {});
  const Target whole = Of("cuda", Scope::kWhole);
  const Target again = Of("cuda", Scope::kAgain);
  openings.Note(whole, 4.5);
  EXPECT_TRUE(openings.MayOpenAgain(std::vector{again}));
  EXPECT_TRUE(openings.MayOpenAgain(std::vector{again, again}));
  openings.Note(whole, 4.5);
  EXPECT_TRUE(openings.MayOpenAgain(std::vector{again})) << "8 s of 12 are gone";
  EXPECT_FALSE(openings.MayOpenAgain(std::vector{again, again}));
  EXPECT_TRUE(openings.MayOpenAgain(std::vector{again, Of("vulkan", Scope::kAgain)})) << "that opens at once";
  EXPECT_TRUE(openings.MayOpenAgain(std::vector{Of("vulkan", Scope::kAgain)}));
}

// A child that follows another is of the same target.
TEST(Openings, WhoFollowsOnOneThatEndedHasTheTimeOfItsPlan) {
  Openings openings(Effort::kNormal, {});
  const Target whole = Of("cuda", Scope::kWhole);
  int opened = 0;
  do {
    openings.Note(whole, 8);
    ++opened;
  } while (opened < 100 && openings.MayOpenAgain(std::vector{whole}));
  EXPECT_EQ(opened, 4) << "30 s of 7.5 s each";
}

}  // namespace
}  // namespace report
