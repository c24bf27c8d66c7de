// SPDX-License-Identifier: MIT
#include "probe/system/cgroup.h"

#include "gtest/gtest.h"

#include "probe/system/limits.h"
#include "tests/probe/tree.h"

namespace probe::system {
namespace {

constexpr std::string_view kV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

TEST(Cgroup, TakesTheSmallestOfNestedGroups) {
  tests::Tree tree;
  tree.Write("/proc/self/mountinfo", kV2).Write("/proc/self/cgroup", "0::/a/b\n");
  tree.Write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n")
      .Write("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  tree.Write("/sys/fs/cgroup/a/b/memory.max", "4000000000\n")
      .Write("/sys/fs/cgroup/a/b/memory.current", "1\n");
  tree.Write("/sys/fs/cgroup/a/memory.max", "3000000000\n")
      .Write("/sys/fs/cgroup/a/memory.current", "2000000000\n");
  const auto limits = ReadCgroupLimits(tree.Files());
  EXPECT_EQ(limits.quota_cores, 1.5);
  EXPECT_EQ(limits.memory_limit_bytes, 3000000000U);
  EXPECT_EQ(limits.memory_left_bytes, 1000000000U);
}

TEST(Cgroup, FindsTheContainersOwnGroupAtTheMountPoint) {
  tests::Tree tree;  // the container's cgroup names the host's path, of which only the mount is visible
  tree.Write("/proc/self/mountinfo", kV2).Write("/proc/self/cgroup", "0::/docker/0123\n");
  tree.Write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(ReadCgroupLimits(tree.Files()).quota_cores, 0.5);
}

TEST(Cgroup, StripsTheRootOfABindMount) {
  tests::Tree tree;
  tree.Write("/proc/self/mountinfo", "30 23 0:26 /docker/0123 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.Write("/proc/self/cgroup", "0::/docker/0123/inner\n");
  tree.Write("/sys/fs/cgroup/inner/cpu.max", "200000 100000\n");
  EXPECT_EQ(ReadCgroupLimits(tree.Files()).quota_cores, 2.0);
}

TEST(Cgroup, ReadsVersionOne) {
  tests::Tree tree;
  tree.Write("/proc/self/mountinfo",
             "31 23 0:27 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
             "32 23 0:28 / /cg/mem\\040ory rw - cgroup cgroup rw,memory\n");
  tree.Write("/proc/self/cgroup", "4:cpu,cpuacct:/x\n3:memory:/x\n");
  tree.Write("/cg/cpu/x/cpu.cfs_quota_us", "-1\n").Write("/cg/cpu/x/cpu.cfs_period_us", "100000\n");
  tree.Write("/cg/cpu/cpu.cfs_quota_us", "300000\n").Write("/cg/cpu/cpu.cfs_period_us", "100000\n");
  tree.Write("/cg/mem ory/x/memory.limit_in_bytes", "9223372036854771712\n");
  tree.Write("/cg/mem ory/memory.limit_in_bytes", "1073741824\n");
  const auto limits = ReadCgroupLimits(tree.Files());
  EXPECT_EQ(limits.quota_cores, 3.0);
  EXPECT_EQ(limits.memory_limit_bytes, 1073741824U);
  EXPECT_EQ(limits.memory_left_bytes, std::nullopt);
}

TEST(Cgroup, FewProcessesAreNamed) {
  tests::Tree v2;
  v2.Write("/proc/self/mountinfo", kV2).Write("/proc/self/cgroup", "0::/a/b\n");
  v2.Write("/sys/fs/cgroup/a/b/pids.max", "max\n").Write("/sys/fs/cgroup/a/b/pids.current", "2\n");
  const auto before = ScarceLimits(v2.Files()).size();
  EXPECT_EQ(ReadCgroupLimits(v2.Files()).process_limit, std::nullopt);
  v2.Write("/sys/fs/cgroup/a/pids.max", "12\n").Write("/sys/fs/cgroup/a/pids.current", "9\n");
  EXPECT_EQ(ReadCgroupLimits(v2.Files()).processes_left, 3U);
  const auto scarce = ScarceLimits(v2.Files());
  ASSERT_EQ(scarce.size(), before + 1);
  EXPECT_EQ(scarce.back().name, "the control group's limit on processes (pids.max)");
  EXPECT_TRUE(scarce.back().sentence.starts_with(scarce.back().name + " is 12, 3 more may start"))
      << scarce.back().sentence;
  const auto key = ScarceLimitsKey(ReadCgroupLimits(v2.Files()));
  EXPECT_TRUE(key.ends_with("pids.max 12")) << key;
  v2.Write("/sys/fs/cgroup/a/pids.current", "8\n");
  EXPECT_EQ(ScarceLimitsKey(ReadCgroupLimits(v2.Files())), key)
      << "another thread changes nothing of what is set";
  v2.Write("/sys/fs/cgroup/a/pids.max", "512\n");
  EXPECT_NE(ScarceLimitsKey(ReadCgroupLimits(v2.Files())), key);
  EXPECT_EQ(ScarceLimits(v2.Files()).size(), before) << "ample";
  tests::Tree v1;
  v1.Write("/proc/self/mountinfo", "33 23 0:29 / /cg/pids rw - cgroup cgroup rw,pids\n");
  v1.Write("/proc/self/cgroup", "5:pids:/x\n").Write("/cg/pids/x/pids.max", "4\n");
  EXPECT_EQ(ReadCgroupLimits(v1.Files()).processes_left, 4U) << "nobody says how many there are";
}

TEST(Cgroup, CountsWhatTheKernelKilledInOurGroup) {
  tests::Tree v2;
  v2.Write("/proc/self/mountinfo", kV2).Write("/proc/self/cgroup", "0::/a\n");
  EXPECT_EQ(ReadOomKills(v2.Files()), std::nullopt);
  v2.Write("/sys/fs/cgroup/a/memory.events", "low 0\noom 7\noom_kill 3\noom_group_kill 1\n");
  EXPECT_EQ(ReadOomKills(v2.Files()), 3U);
  tests::Tree v1;
  v1.Write("/proc/self/mountinfo",
           std::string(kV2) + "32 23 0:28 / /cg/memory rw - cgroup cgroup rw,memory\n");
  v1.Write("/proc/self/cgroup", "3:memory:/x\n0::/\n");
  v1.Write("/cg/memory/x/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  EXPECT_EQ(ReadOomKills(v1.Files()), 5U) << "beside an empty version 2";
}

TEST(Cgroup, UseAboveTheLimitLeavesNothing) {
  tests::Tree tree;
  tree.Write("/proc/self/mountinfo", kV2).Write("/proc/self/cgroup", "0::/\n");
  tree.Write("/sys/fs/cgroup/memory.max", "100\n").Write("/sys/fs/cgroup/memory.current", "200\n");
  EXPECT_EQ(ReadCgroupLimits(tree.Files()).memory_left_bytes, 0U);
}

TEST(Cgroup, TakesNoNameThatOnlyBeginsLikeTheMountedOne) {
  tests::Tree tree;
  tree.Write("/proc/self/mountinfo", "30 23 0:26 /docker/01 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.Write("/proc/self/cgroup", "0::/docker/0123\n").Write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(ReadCgroupLimits(tree.Files()).quota_cores, 1.5);
  tree.Write("/proc/self/cgroup", "0::no-path\n");
  EXPECT_EQ(ReadCgroupLimits(tree.Files()).quota_cores, 1.5);
}

TEST(Cgroup, SurvivesHostileFiles) {
  tests::Tree tree;
  std::string deep = "0::";
  for (int i = 0; i < 2000; ++i) deep += "/d";
  tree.Write("/proc/self/mountinfo", std::string(kV2) + "garbage - \n - cgroup2\n\\\\\\9 - cgroup2 x y\n");
  tree.Write("/proc/self/cgroup", deep + "\n::\n0:\n");
  tree.Directory("/sys/fs/cgroup/cpu.max").Write("/sys/fs/cgroup/memory.max", "99999999999999999999999");
  const auto limits = ReadCgroupLimits(tree.Files());
  EXPECT_EQ(limits.quota_cores, std::nullopt);
  EXPECT_EQ(limits.memory_limit_bytes, std::nullopt);
  tests::Tree zero;
  zero.Write("/proc/self/mountinfo", kV2).Write("/proc/self/cgroup", "0::/../../..\n");
  zero.Write("/sys/fs/cgroup/cpu.max", "100000 0\n");
  EXPECT_EQ(ReadCgroupLimits(zero.Files()).quota_cores, std::nullopt);
}

}  // namespace
}  // namespace probe::system
