// SPDX-License-Identifier: MIT
#include "report/store/turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "probe/system/clock.h"
#include "tests/probe/tree.h"

namespace report {
namespace {

class TurnsTest : public ::testing::Test {
 protected:
  TurnsTest() { environment_.Set("XDG_CACHE_HOME", tree_.Path("")); }

  [[nodiscard]] Turns Open(double longest_s = 0.05, probe::isolate::Interrupt interrupt = {}) const {
    const auto files = probe::system::FileSystem::Open("/");
    return {environment_, *files, interrupt, longest_s};
  }

  tests::Tree tree_;
  probe::system::Environment environment_;
  // Another process that has the turn to measure cpu:0, until the end of the test.
  void StartHolder(bool stopped) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    holder_ = fork();
    if (holder_ == 0) {
      auto turns = Open();
      const auto turn = turns.ToMeasure("cpu:0", "it", waits_);
      if (write(ends[1], turn.held ? "x" : "-", 1) < 0) _exit(1);
      for (;;) pause();
    }
    char byte = 0;
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
    ASSERT_EQ(byte, 'x');
    for (const int end : ends) close(end);
    if (!stopped) return;
    kill(holder_, SIGSTOP);
    ASSERT_EQ(waitpid(holder_, nullptr, WUNTRACED), holder_);
  }
  ~TurnsTest() override {
    if (holder_ <= 0) return;
    kill(holder_, SIGKILL);
    waitpid(holder_, nullptr, 0);
  }

  pid_t holder_ = -1;
  int waited_ = 0;
  const std::function<void()> waits_ = [this] { ++waited_; };
};

TEST_F(TurnsTest, OneRunAtATimeMeasuresADevice) {
  auto first = Open();
  auto turn = first.ToMeasure("pci:0000:01:00.0", "it", waits_);
  EXPECT_NE(turn.held, nullptr);
  EXPECT_EQ(waited_, 0);
  auto second = Open();
  EXPECT_EQ(second.ToMeasure("pci:0000:01:00.0", "it", waits_).held, nullptr) << "beside it, after its limit";
  EXPECT_EQ(waited_, 1);
  EXPECT_NE(second.ToMeasure("pci:0000:02:00.0", "it", waits_).held, nullptr) << "another device";
  EXPECT_NE(second.ToAnswer().held, nullptr);
  turn = {};
  EXPECT_NE(second.ToMeasure("pci:0000:01:00.0", "it", waits_).held, nullptr);
  EXPECT_EQ(waited_, 1);
}

TEST_F(TurnsTest, OneRunAtATimeAnswers) {
  auto first = Open();
  auto turn = first.ToAnswer();
  EXPECT_EQ(Open().ToAnswer().held, nullptr);
  turn = {};
  EXPECT_NE(Open().ToAnswer().held, nullptr);
}

TEST_F(TurnsTest, ARunThatGoesOnIsNamedOnceAndAllWaitsHaveOneLimit) {
  StartHolder(false);
  auto turns = Open(0.3);
  const auto start = probe::system::Now();
  const auto turn = turns.ToMeasure("cpu:0", "the processor", waits_);
  EXPECT_TRUE(turn.beside);
  EXPECT_EQ(turn.warning,
            "another whichgpu (process " + std::to_string(holder_) +
                ") is still measuring the processor after 0 s of waiting in all: measured beside it");
  EXPECT_GE(probe::system::SecondsSince(start), 0.3);
  const auto again = probe::system::Now();
  EXPECT_EQ(turns.ToMeasure("cpu:0", "the processor", waits_).warning, "");
  EXPECT_LT(probe::system::SecondsSince(again), 0.3) << "its patience is spent";
}

TEST_F(TurnsTest, NobodyWaitsForOneThatIsStopped) {
  StartHolder(true);
  auto turns = Open(1e6);
  const auto turn = turns.ToMeasure("cpu:0", "the processor", waits_);
  EXPECT_EQ(turn.held, nullptr);
  EXPECT_FALSE(turn.beside) << "it disturbs nothing";
  EXPECT_THAT(turn.warning, ::testing::HasSubstr("is stopped while measuring the processor: not waited for"));
}

TEST_F(TurnsTest, ASignalEndsTheWait) {
  auto first = Open();
  const auto turn = first.ToMeasure("cpu:0", "it", waits_);
  std::atomic<int> signal{2};
  const auto ended = Open(1e6, {.signal = &signal}).ToMeasure("cpu:0", "it", waits_);
  EXPECT_EQ(ended.held, nullptr);
  EXPECT_EQ(ended.warning, "");
}

TEST_F(TurnsTest, WithoutADirectoryNobodyWaits) {
  environment_ = {};
  EXPECT_EQ(Open(1e6).ToMeasure("cpu:0", "it", waits_).held, nullptr);
  EXPECT_EQ(Open(1e6).ToAnswer().held, nullptr);
  EXPECT_EQ(waited_, 0);
}

}  // namespace
}  // namespace report
