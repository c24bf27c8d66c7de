// SPDX-License-Identifier: MIT
#include "backends/core/budget.h"

#include <gtest/gtest.h>

namespace backends {
namespace {

// A budget of ten seconds: two of preparations are charged, the next five given back.
class BudgetTest : public ::testing::Test {
 protected:
  // Work of that length.
  auto Take(double seconds) {
    return [this, seconds] {
      now_s_ += seconds;
      return 0;
    };
  }

  double now_s_ = 100;
  Budget budget_{10, [this] { return now_s_; }};
};

TEST_F(BudgetTest, WhatIsExcusedIsGivenBack) {
  budget_.Excused(Take(30));
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 10);
  Take(3)();
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 7);
}

TEST_F(BudgetTest, PreparationsAreChargedThenGivenBackThenCharged) {
  budget_.Preparing(Take(1.5));
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 8.5);
  budget_.Preparing(Take(1.5));
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 8) << "half a second was left to charge";
  budget_.Preparing(Take(3.5));
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 8);
  budget_.Preparing(Take(1));
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 7.5) << "half a second was left to give back";
}

TEST_F(BudgetTest, WhatIsExcusedWithinPreparationsIsNone) {
  budget_.Preparing([this] {
    budget_.Excused(Take(20));
    return Take(1)();
  });
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 9);
  budget_.Preparing(Take(1));
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 8);
  budget_.Preparing(Take(5));
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 8);
}

TEST_F(BudgetTest, EndsWithinWhatIsSaidAndNoLater) {
  budget_.EndWithin(20);
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 10);
  budget_.EndWithin(4);
  EXPECT_DOUBLE_EQ(budget_.Remaining(), 4);
}

}  // namespace
}  // namespace backends
