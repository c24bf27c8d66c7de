// SPDX-License-Identifier: MIT
#include "backends/core/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace backends {
namespace {

std::vector<double> Repeat(double value, std::size_t count) { return std::vector<double>(count, value); }

TEST(Statistics, PercentilesLieBetweenNeighbours) {
  const std::vector<double> times = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(Percentile(times, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(Percentile(times, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(Percentile(times, 0.1), 1.3);
  EXPECT_DOUBLE_EQ(Percentile(times, 1.0), 4.0);
  EXPECT_DOUBLE_EQ(Percentile(std::vector<double>{7}, 0.1), 7.0);
}

// The exact binomial ranks for these sizes (Conover, table A3) are 1-6, 2-9, 6-15 and 40-61.
TEST(Statistics, IntervalHasTheTabulatedRanks) {
  for (const auto& [n, low, high] : {std::array{6, 1, 6}, {10, 2, 9}, {20, 6, 15}, {100, 40, 61}}) {
    std::vector<double> times;
    for (int i = 1; i <= n; ++i) times.push_back(i);
    const auto interval = MedianInterval(times);
    ASSERT_TRUE(interval) << n;
    EXPECT_EQ((*interval)[0], low) << n;
    EXPECT_EQ((*interval)[1], high) << n;
  }
}

TEST(Statistics, FiveSamplesHaveNoInterval) {
  EXPECT_FALSE(MedianInterval(Repeat(1.0, 5)));
  EXPECT_TRUE(std::isinf(RelativeSpread(Summarise(Repeat(1.0, 5)))));
}

// Over skewed distributions as well: nothing is assumed of their form.
TEST(Statistics, IntervalCoversTheMedianInNineteenOfTwenty) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> times(0.0, 0.7);  // median 1
  for (const int n : {10, 11, 17, 30, 75}) {
    int covered = 0;
    constexpr int kTrials = 4000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> sample;
      sample.reserve(static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) sample.push_back(times(random));
      const auto interval = MedianInterval(sample);
      covered += (*interval)[0] <= 1.0 && 1.0 <= (*interval)[1] ? 1 : 0;
    }
    EXPECT_GT(covered, kTrials * 0.935) << n;
  }
}

TEST(Statistics, SummaryIsOrderedAndIgnoresTheOrderOfSamples) {
  std::mt19937 random(2);
  std::exponential_distribution<double> tail(3.0);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> times;
    times.reserve(46);
    for (int i = 0; i < 6 + trial % 40; ++i) times.push_back(1.0 + tail(random));
    const Summary summary = Summarise(times);
    EXPECT_LE(summary.best_s, summary.p10_s);
    EXPECT_LE(summary.p10_s, summary.median_s);
    EXPECT_LE((*summary.ci95_s)[0], summary.median_s);
    EXPECT_LE(summary.median_s, (*summary.ci95_s)[1]);
    std::shuffle(times.begin(), times.end(), random);
    EXPECT_EQ(Summarise(times).median_s, summary.median_s);
    EXPECT_EQ(Summarise(times).ci95_s, summary.ci95_s);
  }
}

TEST(Statistics, AnIntervalOfTimesStaysAboveZeroAndFiniteUnderAnyNoise) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> magnitude(-9, 6);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> times(6 + static_cast<std::size_t>(trial) % 40);
    for (double& time : times) time = std::pow(10, magnitude(random));
    const Summary summary = Summarise(times);
    ASSERT_TRUE(summary.ci95_s);
    for (const double bound : *summary.ci95_s) {
      const double of_rate = summary.median_s / bound;  // as measurements give it
      EXPECT_GT(of_rate, 0);
      EXPECT_TRUE(std::isfinite(of_rate));
    }
  }
}

TEST(Statistics, QualityFollowsTheHalfWidthOfTheInterval) {
  const auto with_spread = [](double spread) {
    std::vector<double> times = Repeat(1.0, 20);
    for (std::size_t i = 12; i < 20; ++i) times[i] = 1.0 + spread;
    return Summarise(times).quality;
  };
  EXPECT_EQ(with_spread(0.014), Quality::kGood);
  EXPECT_EQ(with_spread(0.016), Quality::kFair);
  EXPECT_EQ(with_spread(0.049), Quality::kFair);
  EXPECT_EQ(with_spread(0.051), Quality::kNoisy);
}

TEST(Statistics, UnderTenBatchesAreNoisy) {
  EXPECT_EQ(Summarise(Repeat(1.0, 9)).quality, Quality::kNoisy);
  EXPECT_EQ(Summarise(Repeat(1.0, 10)).quality, Quality::kGood);
}

TEST(Statistics, SlowingDownOverTheRunIsThrottling) {
  std::vector<double> times;
  times.reserve(30);
  for (int i = 0; i < 30; ++i) times.push_back(1.0 + 0.002 * i);
  EXPECT_TRUE(Summarise(times).throttled);
  std::reverse(times.begin(), times.end());
  EXPECT_FALSE(Summarise(times).throttled) << "a device that warms up is not throttled";
}

TEST(Statistics, OneSlowBatchIsNotThrottling) {
  std::vector<double> times = Repeat(1.0, 30);
  times.back() = 5.0;
  EXPECT_FALSE(Summarise(times).throttled);
  EXPECT_FALSE(Summarise(std::vector<double>{1, 1, 1, 1, 9, 9, 9, 9}).throttled) << "too few to say";
}

}  // namespace
}  // namespace backends
