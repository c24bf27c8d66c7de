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

TEST_F(HostTest, TheBootAndTheKernelAreThoseOfTheTree) {
  EXPECT_FALSE(BootId(tree_.Files())) << "this machine's would be another's";
  EXPECT_EQ(KernelText(tree_.Files()), "");
  tree_.Write("/proc/sys/kernel/random/boot_id", "5f0c\n");
  tree_.Write("/proc/version", "Linux version 6.1.0\n");
  EXPECT_EQ(BootId(tree_.Files()), "5f0c");
  EXPECT_EQ(KernelText(tree_.Files()), "Linux version 6.1.0");
}

TEST_F(HostTest, TheDistributionIsWhatItSaysOfItself) {
  EXPECT_FALSE(DescribeHost(tree_.Files(), {}).os_release);
  // As Linux Mint 22 has it, the parent's codename in a key of the parent's.
  tree_.Write("/etc/os-release",
              "NAME=\"Linux Mint\"\nVERSION=\"22 (Wilma)\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"
              "PRETTY_NAME=\"Linux Mint 22\"\nVERSION_ID=\"22\"\nVERSION_CODENAME=wilma\n"
              "UBUNTU_CODENAME=noble\n# ID=comment\nVARIANT_ID=''\nnonsense\n");
  const auto host = DescribeHost(tree_.Files(), {});
  EXPECT_EQ(host.os, "Linux Mint 22");
  const OsRelease mint{"linuxmint", {"ubuntu", "debian"}, "22", std::nullopt, "wilma", "noble"};
  EXPECT_EQ(host.os_release, mint);
}

TEST_F(HostTest, TheSecondFileServesWhereTheFirstIsMissingAndIdHasADefault) {
  tree_.Write("/usr/lib/os-release", "PRETTY_NAME='Own Linux'\nVARIANT_ID=silverblue\n");
  const auto host = DescribeHost(tree_.Files(), {});
  EXPECT_EQ(host.os, "Own Linux");
  const OsRelease own{"linux", {}, std::nullopt, "silverblue", std::nullopt, std::nullopt};
  EXPECT_EQ(host.os_release, own);
}

}  // namespace
}  // namespace probe::system
