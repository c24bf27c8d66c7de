// SPDX-License-Identifier: MIT
#include "probe/system/host.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/probe/tree.h"

namespace probe::system {
namespace {

class HostTest : public ::testing::Test {
 protected:
  void WriteStat(const std::string& text) { tree_.Write("/proc/stat", text); }
  [[nodiscard]] std::optional<double> Busy(const std::vector<int>& usable) const {
    return BusySeconds(tree_.Files(), usable);
  }
  tests::Tree tree_;
};

TEST_F(HostTest, BusyTimeIsThatOfTheUsableProcessors) {
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  WriteStat("cpu  111 0 0 0\ncpu0 10 20 30 1000 500 1 2 3 9 9\ncpu1 100 0 0 7 0 0 0 0 0 0\nintr 5\n");
  EXPECT_DOUBLE_EQ(*Busy({}), 166 * tick_s);
  EXPECT_DOUBLE_EQ(*Busy({0}), 66 * tick_s) << "idle, waiting and guests apart";
  EXPECT_DOUBLE_EQ(*Busy({1}), 100 * tick_s);
  EXPECT_FALSE(Busy({7}));
}

TEST_F(HostTest, NonsenseIsUnknown) {
  EXPECT_FALSE(Busy({})) << "no file";
  WriteStat("cpuX 1 2 3\ncpu\ncpu0x 5\n\n");
  EXPECT_FALSE(Busy({}));
  WriteStat("cpu0 words\n");
  EXPECT_DOUBLE_EQ(Busy({}).value_or(-1), 0);
}

TEST_F(HostTest, MemoryIsWhatTheKernelSaysOfIt) {
  EXPECT_FALSE(ReadMemory(tree_.Files()).total_bytes);
  tree_.Write("/proc/meminfo", "MemTotal:  2048 kB\nMemFree: 1 kB\nMemAvailable:  1024 kB\n");
  EXPECT_EQ(ReadMemory(tree_.Files()).total_bytes, 2U << 20U);
  EXPECT_EQ(ReadMemory(tree_.Files()).available_bytes, 1U << 20U);
}

}  // namespace
}  // namespace probe::system
