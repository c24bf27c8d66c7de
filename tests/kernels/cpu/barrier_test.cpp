// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "kernels/cpu/team.h"
#include "tests/kernels/cpu/launch.h"

namespace kernels::cpu::testing {
namespace {

// More workers than cores here, so that the yielding path runs as well.
TEST(SpinBarrier, HoldsEveryWorkerUntilTheLastOneArrives) {
  constexpr unsigned kWorkers = 5;
  constexpr int kRounds = 200;
  std::vector<int> rounds(kWorkers, 0);
  std::atomic<int> torn{0};
  OnWorkers(kWorkers, [&](const Worker& worker) {
    for (int round = 1; round <= kRounds; ++round) {
      rounds[worker.index] = round;
      worker.team->barrier.Wait();
      for (const int seen : rounds) torn += seen != round ? 1 : 0;
      worker.team->barrier.Wait();
    }
  });
  EXPECT_EQ(torn, 0);
}

TEST(SpinBarrier, OfOneWorkerNeverWaits) {
  SpinBarrier barrier(1);
  barrier.Wait();
  barrier.Wait();
}

}  // namespace
}  // namespace kernels::cpu::testing
