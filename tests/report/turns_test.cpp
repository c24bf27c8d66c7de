// SPDX-License-Identifier: MIT
#include "report/turns.h"

#include <gtest/gtest.h>

#include <atomic>

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
  int waited_ = 0;
  const std::function<void()> waits_ = [this] { ++waited_; };
};

TEST_F(TurnsTest, OneRunAtATimeMeasuresADevice) {
  auto turn = Open().ToMeasure("pci:0000:01:00.0", waits_);
  EXPECT_NE(turn, nullptr);
  EXPECT_EQ(waited_, 0);
  EXPECT_EQ(Open().ToMeasure("pci:0000:01:00.0", waits_), nullptr) << "goes on beside it after its limit";
  EXPECT_EQ(waited_, 1);
  EXPECT_NE(Open().ToMeasure("pci:0000:02:00.0", waits_), nullptr) << "another device";
  EXPECT_NE(Open().ToAnswer(), nullptr);
  turn.reset();
  EXPECT_NE(Open().ToMeasure("pci:0000:01:00.0", waits_), nullptr);
  EXPECT_EQ(waited_, 1);
}

TEST_F(TurnsTest, OneRunAtATimeAnswers) {
  auto turn = Open().ToAnswer();
  EXPECT_EQ(Open().ToAnswer(), nullptr);
  turn.reset();
  EXPECT_NE(Open().ToAnswer(), nullptr);
}

TEST_F(TurnsTest, ASignalEndsTheWait) {
  const auto turn = Open().ToMeasure("cpu:0", waits_);
  std::atomic<int> signal{2};
  EXPECT_EQ(Open(1e6, {.signal = &signal}).ToMeasure("cpu:0", waits_), nullptr);
}

TEST_F(TurnsTest, WithoutADirectoryNobodyWaits) {
  environment_ = {};
  EXPECT_EQ(Open(1e6).ToMeasure("cpu:0", waits_), nullptr);
  EXPECT_EQ(Open(1e6).ToAnswer(), nullptr);
  EXPECT_EQ(waited_, 0);
}

}  // namespace
}  // namespace report
