// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/cpu/team.h"
#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

TEST(StealQueue, IsEmptyUntilItIsOpened) {
  StealQueue queue;
  EXPECT_EQ(queue.TakeFirst(), std::nullopt);
  EXPECT_FALSE(queue.Steal([](const auto&, std::uint32_t) { FAIL(); }));
  queue.Close();
}

TEST(StealQueue, GivesTheOwnerTheFirstAndOthersTheLast) {
  StealQueue queue;
  const int product = 0;
  queue.Open({&product, 3, 5}, 1, 4);
  EXPECT_EQ(queue.TakeFirst(), 1U);
  EXPECT_TRUE(queue.Steal([&](const StealQueue::Step& step, std::uint32_t item) {
    EXPECT_EQ(step.product, &product);
    EXPECT_EQ(step.depth, 3U);
    EXPECT_EQ(step.block, 5U);
    EXPECT_EQ(item, 3U);
  }));
  EXPECT_EQ(queue.TakeFirst(), 2U);
  EXPECT_EQ(queue.TakeFirst(), std::nullopt);
  EXPECT_FALSE(queue.Steal([](const auto&, std::uint32_t) { FAIL(); }));
}

TEST(StealQueue, CountsWhatItsOwnerHasFinished) {
  StealQueue queue;
  EXPECT_FALSE(queue.HasFinished(1));
  EXPECT_EQ(queue.Finish(), 1U);
  EXPECT_TRUE(queue.HasFinished(1));
  EXPECT_FALSE(queue.HasFinished(2));
  EXPECT_EQ(queue.Finish(), 2U);
  EXPECT_TRUE(queue.HasFinished(1));
}

// More workers than cores. What a step writes must be there when it is closed, for whoever reads it then.
TEST(StealQueue, HasEveryItemOfEveryStepDoneOnceByItsClose) {
  constexpr unsigned kWorkers = 4;
  constexpr std::uint32_t kSteps = 300, kItems = 50;
  std::vector<int> done(kItems);
  int missed = 0;
  OnWorkers(kWorkers, [&](const Worker& worker) {
    StealQueue& queue = worker.team->queues[0];
    if (worker.index != 0) {
      while (!queue.HasFinished(1)) {
        queue.Steal([&](const StealQueue::Step& step, std::uint32_t item) {
          done[item] += static_cast<int>(step.depth);
        });
      }
      return;
    }
    for (std::uint32_t step = 1; step <= kSteps; ++step) {
      std::fill(done.begin(), done.end(), 0);
      queue.Open({nullptr, step, 0}, 0, kItems);
      while (const auto item = queue.TakeFirst()) done[*item] += static_cast<int>(step);
      queue.Close();
      for (const int value : done) missed += value != static_cast<int>(step) ? 1 : 0;
    }
    queue.Finish();
  });
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace kernels::cpu::testing
