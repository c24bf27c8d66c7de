// SPDX-License-Identifier: MIT
#include "report/html/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace report::html {
namespace {

std::vector<std::string> Labels(const LogScale& scale) {
  std::vector<std::string> labels;
  for (const Tick& tick : Ticks(scale)) {
    if (tick.labelled) labels.push_back(TickText(tick.value));
  }
  return labels;
}

TEST(Plot, EachDecadeIsAsWide) {
  const LogScale scale{1, 1000, 0, 300};
  EXPECT_DOUBLE_EQ(scale.At(1), 0);
  EXPECT_DOUBLE_EQ(scale.At(10), 100);
  EXPECT_DOUBLE_EQ(scale.At(1000), 300);
  EXPECT_DOUBLE_EQ(scale.Decade(), 100);
  const LogScale down{1, 100, 200, 0};  // as y is counted
  EXPECT_DOUBLE_EQ(down.At(10), 100);
  EXPECT_DOUBLE_EQ(down.Decade(), -100);
}

TEST(Plot, AScaleHoldsItsValuesWithAirAndEnoughDecades) {
  const auto wide = ScaleOver({1, 1e4}, 0.25, 2, 0, 1);
  EXPECT_NEAR(wide.low, 0.1, 1e-9);
  EXPECT_NEAR(wide.high, 1e5, 1e-3);
  const auto narrow = ScaleOver({10}, 0.1, 2, 0, 1);
  EXPECT_NEAR(narrow.low, 1, 1e-9);
  EXPECT_NEAR(narrow.high, 100, 1e-9);
}

TEST(Plot, WhatIsNoRateMovesNoScale) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto inf = std::numeric_limits<double>::infinity();
  const auto scale = ScaleOver({nan, inf, -5, 0, 10, 1000}, 0, 1, 0, 1);
  EXPECT_DOUBLE_EQ(scale.low, 10);
  EXPECT_DOUBLE_EQ(scale.high, 1000);
  const auto none = ScaleOver({nan}, 0.1, 2, 0, 1);
  EXPECT_GT(none.low, 0);
  EXPECT_GT(none.high, none.low);
}

TEST(Plot, TicksArePowersOfTen) {
  EXPECT_EQ(Labels({0.5, 2e4, 0, 1}), (std::vector<std::string>{"1", "10", "100", "1 k", "10 k"}));
}

TEST(Plot, AShortScaleHasTwosAndFives) {
  EXPECT_EQ(Labels({1.5e11, 1.2e12, 0, 1}), (std::vector<std::string>{"200 G", "500 G", "1 T"}));
}

TEST(Plot, AnEndlessScaleHasFewLabels) {
  EXPECT_LE(Labels({1e-30, 1e60, 0, 1}).size(), 13U);
  EXPECT_GE(Labels({1e-30, 1e60, 0, 1}).size(), 6U);
}

TEST(Plot, TheRoofBendsAtItsRidge) {
  EXPECT_DOUBLE_EQ(RoofAt(1, 1000, 10), 10);
  EXPECT_DOUBLE_EQ(RoofAt(100, 1000, 10), 1000);
  EXPECT_DOUBLE_EQ(RoofAt(1e6, 1000, 10), 1000);
}

}  // namespace
}  // namespace report::html
