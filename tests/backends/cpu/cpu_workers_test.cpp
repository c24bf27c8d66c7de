// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "backends/cpu/cpu_session.h"
#include "probe/system/processor.h"

namespace backends::cpu {
namespace {

using probe::system::FileSystem;

// A sysroot with the topology of `cores` cores of two hardware threads: i and i + cores.
class TwoThreadsACore : public ::testing::Test {
 protected:
  static constexpr int kCores = 4;
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "whichgpu_topology_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    for (int i = 0; i < 2 * kCores; ++i) {
      const auto folder = root_ / ("sys/devices/system/cpu/cpu" + std::to_string(i) + "/topology");
      std::filesystem::create_directories(folder);
      std::ofstream(folder / "thread_siblings_list") << i % kCores << "," << i % kCores + kCores << "\n";
    }
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  [[nodiscard]] std::vector<int> Place(const std::vector<int>& allowed,
                                       std::optional<double> quota = {}) const {
    const auto files = FileSystem::Open(root_.string());
    EXPECT_TRUE(files.ok());
    return PlaceWorkers(allowed, quota, *files);
  }
  std::filesystem::path root_;
};

TEST_F(TwoThreadsACore, EveryCoreGetsOneWorker) {
  EXPECT_EQ(Place({0, 1, 2, 3, 4, 5, 6, 7}), (std::vector<int>{0, 1, 2, 3}));
}

TEST_F(TwoThreadsACore, AffinityIsHonoured) {
  EXPECT_EQ(Place({5}), (std::vector<int>{5}));
  EXPECT_EQ(Place({1, 5, 6}), (std::vector<int>{1, 6}));
}

TEST_F(TwoThreadsACore, QuotaIsRoundedDownToWholeProcessors) {
  EXPECT_EQ(Place({0, 1, 2, 3}, 2.5), (std::vector<int>{0, 1}));
  EXPECT_EQ(Place({0, 1, 2, 3}, 0.3), (std::vector<int>{0}));
  EXPECT_EQ(Place({0, 1, 2, 3}, 64.0).size(), 4U);
}

TEST_F(TwoThreadsACore, UnknownTopologyAndAffinityStillYieldAWorker) {
  EXPECT_EQ(Place({90, 91}), (std::vector<int>{90, 91}));
  EXPECT_EQ(Place({}), (std::vector<int>{-1}));
}

TEST(Workers, AllRunAtOnceEachWithItsIndex) {
  Workers workers({-1, -1, -1});
  ASSERT_EQ(workers.count(), 3U);
  for (int round = 0; round < 200; ++round) {
    std::atomic<unsigned> mask{0};
    workers.Run([&](const kernels::cpu::Worker& worker) {
      EXPECT_EQ(worker.count, 3U);
      mask |= 1U << worker.index;
      worker.team->barrier.Wait();  // returns only if all three are here
    });
    ASSERT_EQ(mask, 7U);
  }
}

TEST(Workers, EachStaysOnItsProcessorAndTheCallerIsFreedAgain) {
  const std::vector<int> before = probe::system::UsableProcessors();
  ASSERT_FALSE(before.empty());
  Workers workers({before.back(), before.front()});
  std::atomic<bool> moved{false};
  workers.Run([&](const kernels::cpu::Worker& worker) {
    const int expected = worker.index == 0 ? before.back() : before.front();
    if (sched_getcpu() != expected) moved = true;
  });
  EXPECT_FALSE(moved);
  EXPECT_EQ(probe::system::UsableProcessors(), before);
}

}  // namespace
}  // namespace backends::cpu
