// SPDX-License-Identifier: MIT
#include "probe/isolate/crash_marker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "probe/core/codec.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::isolate {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CrashMarkerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    environment_.Set("XDG_CACHE_HOME", tree_.At("/cache"));
    tree_.Write("/driver.json", "{}");
  }
  CrashMarkers Open(bool ignore_survivors = false) {
    return CrashMarkers::Open(environment_, *files_, ignore_survivors);
  }

  // A run that dies inside the step, without the chance to remove its marker.
  pid_t Crash(std::string_view description = "measuring through vulkan",
              Outlives outlives = Outlives::kMachine) {
    const pid_t pid = fork();
    if (pid == 0) {
      [[maybe_unused]] const auto guard = Open().Arm(key_, description, outlives);
      _exit(0);
    }
    waitpid(pid, nullptr, 0);
    return pid;
  }
  // As if the machine had been started again since the marker was written.
  void Reboot() {
    const auto path = MarkerFiles().at(0);
    auto text = *files_->Read(path);
    const std::string name = "\"boot_id\":\"";
    const auto at = text.find(name);
    ASSERT_NE(at, std::string::npos);
    text[at + name.size()] = text[at + name.size()] == '0' ? '1' : '0';
    std::ofstream(path) << text;
  }
  // Of the run that wrote the marker last.
  std::uint64_t StartTicks() {
    const auto marker = ParseJson(*files_->Read(Open().PathOf(key_)));
    EXPECT_TRUE(marker);
    return marker ? (*marker)["start_ticks"].get<std::uint64_t>() : 0;
  }
  // What the reaper of the step's process does after that run was killed.
  void Judge(pid_t run, StepFate fate) { JudgeMarker(Open().PathOf(key_), {run, StartTicks() + lag_}, fate); }
  bool Believes() {
    const auto survivor = Open().Survivor(key_);
    return survivor && survivor->believed;
  }
  std::vector<std::string> MarkerFiles() {
    std::vector<std::string> out;
    for (const auto& name : files_->List(tree_.At("/cache/whichgpu")))
      out.push_back(tree_.At("/cache/whichgpu/" + name));
    return out;
  }

  system::TemporaryTree tree_;
  system::Environment environment_;
  Result<system::FileSystem> files_ = system::FileSystem::Open("/");
  std::uint64_t lag_ = 0;  // ticks by which the killed run began later than the one of the marker
  CrashKey key_{"vulkan", {tree_.At("/driver.json")}, "pci:0000:01:00.0"};
};

TEST_F(CrashMarkerTest, IsGoneWhenTheStepHasEnded) {
  const auto markers = Open();
  EXPECT_EQ(markers.warning(), "");
  {
    const auto guard = markers.Arm(key_, "measuring", Outlives::kMachine);
    ASSERT_THAT(MarkerFiles(), SizeIs(1));
    EXPECT_EQ(files_->Stat(MarkerFiles()[0])->mode, 0600U);
  }
  EXPECT_THAT(*files_->Read(MarkerFiles()[0]), Each(' '));
  EXPECT_FALSE(markers.Survivor(key_));
}

TEST_F(CrashMarkerTest, OutlivesARunThatDied) {
  Crash();
  const auto survivor = Open().Survivor(key_);
  ASSERT_TRUE(survivor);
  EXPECT_EQ(survivor->description, "measuring through vulkan");
  EXPECT_THAT(survivor->created, ElementsAre(SizeIs(20)));
  EXPECT_TRUE(Open().Survivor(key_)) << "asking does not remove it";
}

TEST_F(CrashMarkerTest, OfThisBootIsBelievedAfterTheSecondTime) {
  Crash();
  EXPECT_FALSE(Believes()) << "whoever killed the run may have had another reason";
  Crash();
  const auto survivor = Open().Survivor(key_);
  ASSERT_TRUE(survivor);
  EXPECT_TRUE(survivor->believed);
  EXPECT_FALSE(survivor->rebooted);
  EXPECT_THAT(survivor->created, SizeIs(2));
  for (int i = 0; i < 8; ++i) Crash();
  EXPECT_TRUE(Believes()) << "however many there were";
}

TEST_F(CrashMarkerTest, OfAnEarlierBootIsBelievedAtOnce) {
  Crash();
  Reboot();
  const auto survivor = Open().Survivor(key_);
  ASSERT_TRUE(survivor);
  EXPECT_TRUE(survivor->believed);
  EXPECT_TRUE(survivor->rebooted);
  EXPECT_TRUE(Believes()) << "for as long as nothing has changed";
}

TEST_F(CrashMarkerTest, BlamesNoRebootThatTheMachineOutlivedTheStepBefore) {
  Crash();
  Crash();
  EXPECT_TRUE(Believes());
  Reboot();
  const auto survivor = Open().Survivor(key_);
  ASSERT_TRUE(survivor);
  EXPECT_FALSE(survivor->believed) << "a new boot is a new try";
  Crash();
  EXPECT_TRUE(Believes());
}

TEST_F(CrashMarkerTest, KeepsWhatTheMachineWentDownInThroughAnotherEndOfTheRun) {
  Crash();
  Reboot();
  Crash();  // with --retry-crashed, and killed
  EXPECT_TRUE(Believes());
}

TEST_F(CrashMarkerTest, ForgetsEarlierTriesWhenOneWasSeenToEnd) {
  Crash();
  {
    const auto guard = Open().Arm(key_, "again", Outlives::kMachine);
  }
  EXPECT_FALSE(Open().Survivor(key_));
  Crash();
  EXPECT_FALSE(Believes()) << "the count begins anew";
}

TEST_F(CrashMarkerTest, IsBlankedWhenTheRunIsToldToEndAtOnce) {
  const pid_t pid = fork();
  if (pid == 0) {
    [[maybe_unused]] const auto guard = Open().Arm(key_, "measuring", Outlives::kMachine);
    BlankHeldMarkers();
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
  ASSERT_THAT(MarkerFiles(), SizeIs(1));
  EXPECT_FALSE(Open().Survivor(key_));
}

TEST_F(CrashMarkerTest, IsWeakOfARunThatWasKilledAlone) {
  Crash();
  const pid_t second = Crash();
  EXPECT_TRUE(Believes());
  Judge(getpid(), StepFate::kWentOn);
  EXPECT_TRUE(Believes()) << "only of the run that wrote it";
  lag_ = 1000;
  Judge(second, StepFate::kWentOn);
  EXPECT_TRUE(Believes()) << "nor of an earlier one that had its number";
  lag_ = 0;
  Judge(second, StepFate::kWentOn);
  const auto survivor = Open().Survivor(key_);
  ASSERT_TRUE(survivor) << "the first end stays";
  EXPECT_FALSE(survivor->believed);
  EXPECT_THAT(survivor->created, SizeIs(2));
}

TEST_F(CrashMarkerTest, IsWeakOfARunThatWasKilledAloneAlsoOnceTheNextHasBegun) {
  const KilledRun first{Crash(), StartTicks()};
  const KilledRun second{Crash(), StartTicks()};
  EXPECT_TRUE(Believes());
  JudgeMarker(Open().PathOf(key_), first, StepFate::kWentOn);
  EXPECT_FALSE(Believes());
  JudgeMarker(Open().PathOf(key_), first, StepFate::kDied);
  EXPECT_TRUE(Believes()) << "another process of that step died";
  Reboot();
  Crash();
  const auto before = files_->Read(Open().PathOf(key_));
  for (const KilledRun& run : {first, second}) JudgeMarker(Open().PathOf(key_), run, StepFate::kWentOn);
  EXPECT_EQ(*files_->Read(Open().PathOf(key_)), *before) << "in another boot its number is another's";
}

TEST_F(CrashMarkerTest, HasRoomForAllItsTries) {
  for (int i = 0; i < 7; ++i) {
    Crash(std::string(2000, '\\'));
    EXPECT_EQ(Believes(), i > 0) << i;
  }
}

TEST_F(CrashMarkerTest, OfRunsThatWereKilledAloneIsBelievedAfterTheFourthTimeInOneBoot) {
  for (int i = 0; i < 3; ++i) {
    Judge(Crash(), StepFate::kWentOn);
    EXPECT_FALSE(Believes()) << i << ": somebody may end his runs with kill -9";
  }
  Judge(Crash(), StepFate::kWentOn);
  EXPECT_TRUE(Believes()) << "what kills the tool itself must not do so for ever";
  EXPECT_FALSE(Open().Survivor(key_)->rebooted);
  Reboot();
  EXPECT_FALSE(Open().Survivor(key_));
  Judge(Crash(), StepFate::kWentOn);
  EXPECT_FALSE(Believes()) << "those of the last boot do not count";
}

TEST_F(CrashMarkerTest, CountsNoEndOfAnEarlierBootToTheFour) {
  Crash();
  Judge(Crash(), StepFate::kWentOn);
  Reboot();
  for (int i = 0; i < 3; ++i) {
    Judge(Crash(), StepFate::kWentOn);
    EXPECT_FALSE(Believes()) << i << ": the machine outlived the first";
  }
  Judge(Crash(), StepFate::kWentOn);
  EXPECT_TRUE(Believes()) << "the fourth of this boot";
  Judge(Crash(), StepFate::kWentOn);
  EXPECT_TRUE(Believes()) << "however many there were";
}

TEST_F(CrashMarkerTest, IsNotBelievedOfTheLastBootAgainForARunThatWasKilledAlone) {
  Crash();
  Crash();
  EXPECT_TRUE(Believes());
  Reboot();
  Judge(Crash(), StepFate::kWentOn);
  EXPECT_FALSE(Believes()) << "a new boot is a new try";
  Crash();
  EXPECT_TRUE(Believes());
}

TEST_F(CrashMarkerTest, CountsAWeakTryNeitherForNorAgainstTheOthers) {
  Crash();
  Judge(Crash(), StepFate::kWentOn);
  EXPECT_FALSE(Believes()) << "one of either kind";
  Crash();
  EXPECT_TRUE(Believes());
}

TEST_F(CrashMarkerTest, BlamesNoRebootAfterARunThatWasKilledAlone) {
  Judge(Crash(), StepFate::kWentOn);
  Reboot();
  EXPECT_FALSE(Believes());
}

TEST_F(CrashMarkerTest, KeepsWhatTheMachineWentDownInThroughARunThatWasKilledAlone) {
  Crash();
  Reboot();
  Judge(Crash(), StepFate::kWentOn);
  EXPECT_TRUE(Believes());
}

TEST_F(CrashMarkerTest, StaysWhereOneOfTheStepsProcessesDiedWithTheRun) {
  for (const bool dies_first : {false, true}) {
    const pid_t run = Crash();
    Judge(run, dies_first ? StepFate::kDied : StepFate::kWentOn);
    Judge(run, dies_first ? StepFate::kWentOn : StepFate::kDied);
    EXPECT_EQ(Believes(), dies_first) << "the second of them";
    EXPECT_TRUE(Open().Survivor(key_));
  }
}

TEST_F(CrashMarkerTest, OutlivesAProcessWithoutBeingForcedToTheDisk) {
  Crash("looking for devices", Outlives::kProcess);
  EXPECT_TRUE(Open().Survivor(key_));
  {
    const auto guard = Open(true).Arm(key_, "again", Outlives::kProcess);
  }
  EXPECT_FALSE(Open().Survivor(key_));
}

TEST_F(CrashMarkerTest, IsOfOneStepOnly) {
  Crash();
  auto other = key_;
  other.device = "pci:0000:02:00.0";
  EXPECT_FALSE(Open().Survivor(other));
  other = key_;
  other.runtime = "opencl";
  EXPECT_FALSE(Open().Survivor(other));
}

TEST_F(CrashMarkerTest, IsForgottenWhenTheDriverChanges) {
  Crash();
  tree_.Write("/driver.json", "{\"changed\": true}");
  EXPECT_FALSE(Open().Survivor(key_));
  Crash();
  EXPECT_TRUE(Open().Survivor(key_));
  EXPECT_FALSE(Believes()) << "the first driver's do not count";
  EXPECT_THAT(MarkerFiles(), SizeIs(1)) << "the first driver's is replaced";
}

TEST_F(CrashMarkerTest, IsIgnoredOnRequestAndReplacedByTheNextAttempt) {
  Crash();
  const auto markers = Open(true);
  EXPECT_FALSE(markers.Survivor(key_));
  {
    const auto guard = markers.Arm(key_, "again", Outlives::kMachine);
  }
  EXPECT_FALSE(Open().Survivor(key_));
}

TEST_F(CrashMarkerTest, OfALivingRunIsNoCrash) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    [[maybe_unused]] const auto guard = Open().Arm(key_, "measuring", Outlives::kMachine);
    if (write(ends[1], "x", 1) < 0) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  EXPECT_FALSE(Open().Survivor(key_));
  {
    const auto guard = Open().Arm(key_, "second run", Outlives::kMachine);
  }
  ASSERT_THAT(MarkerFiles(), SizeIs(1)) << "the second run leaves the first one's marker alone";
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_TRUE(Open().Survivor(key_));
  EXPECT_FALSE(Believes()) << "two at once are one try";
}

TEST_F(CrashMarkerTest, IsNotBelievedWhenItIsNonsense) {
  for (const std::string content :
       {"", "nonsense", "{}", "[]", R"({"format":99})", R"({"format":6,"pid":"x"})",
        R"({"format":5,"files":"","description":"of an older version","created":"","pid":1})"}) {
    Crash();
    ASSERT_THAT(MarkerFiles(), SizeIs(1));
    std::ofstream(MarkerFiles()[0]) << content;
    EXPECT_FALSE(Open().Survivor(key_)) << content;
  }
}

TEST_F(CrashMarkerTest, ShowsNoControlCharactersOfAForgedOne) {
  Crash("red \x1b[31m");
  EXPECT_EQ(Open().Survivor(key_)->description, "red \\x1b[31m");
}

TEST_F(CrashMarkerTest, IsNotReadWhenOthersCouldHaveWrittenIt) {
  Crash();
  chmod(MarkerFiles()[0].c_str(), 0666);
  EXPECT_FALSE(Open().Survivor(key_));
}

TEST_F(CrashMarkerTest, NeverFollowsALink) {
  Crash();
  const auto marker = MarkerFiles()[0];
  const auto victim = tree_.Write("/victim", "precious");
  std::filesystem::remove(marker);
  std::filesystem::create_symlink(victim, marker);
  EXPECT_FALSE(Open().Survivor(key_));
  {
    const auto guard = Open().Arm(key_, "measuring", Outlives::kMachine);
  }
  EXPECT_EQ(*files_->Read(victim), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(marker));
}

TEST_F(CrashMarkerTest, IsDoneWithoutWhereThereIsNoCache) {
  environment_.Unset("XDG_CACHE_HOME");
  const auto markers = Open();
  EXPECT_THAT(markers.warning(), HasSubstr("XDG_CACHE_HOME"));
  const auto guard = markers.Arm(key_, "measuring", Outlives::kMachine);
  EXPECT_FALSE(markers.Survivor(key_));
}

}  // namespace
}  // namespace probe::isolate
