// SPDX-License-Identifier: MIT
#include "backends/core/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace backends {
namespace {

constexpr std::size_t kMinForInterval = 6;

std::vector<double> Sorted(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double PercentileOfSorted(std::span<const double> sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

std::optional<std::array<double, 2>> IntervalOfSorted(std::span<const double> sorted) {
  if (sorted.size() < kMinForInterval) return std::nullopt;
  const double n = static_cast<double>(sorted.size());
  const double reach = 0.98 * std::sqrt(n);
  const double low_rank = std::max(1.0, std::round(n / 2 - reach));
  const double high_rank = std::min(n, std::round(1 + n / 2 + reach));
  return {{sorted[static_cast<std::size_t>(low_rank) - 1], sorted[static_cast<std::size_t>(high_rank) - 1]}};
}

Quality Judge(const Summary& summary) {
  const double spread = RelativeSpread(summary);
  if (summary.samples < kMinBatches || spread > kFairSpread) return Quality::kNoisy;
  return spread <= kGoodSpread ? Quality::kGood : Quality::kFair;
}

// With under three samples a third nothing can be said.
bool SlowedDown(std::span<const double> times_s) {
  const std::size_t third = times_s.size() / 3;
  if (third < 3) return false;
  return Percentile(times_s.last(third), 0.5) > kThrottleRatio * Percentile(times_s.first(third), 0.5);
}

}  // namespace

double Percentile(std::span<const double> times_s, double fraction) {
  return PercentileOfSorted(Sorted(times_s), fraction);
}

std::optional<std::array<double, 2>> MedianInterval(std::span<const double> times_s) {
  return IntervalOfSorted(Sorted(times_s));
}

double RelativeSpread(const Summary& summary) {
  if (!summary.ci95_s) return std::numeric_limits<double>::infinity();
  const auto [low, high] = *summary.ci95_s;
  return std::max(high - summary.median_s, summary.median_s - low) / summary.median_s;
}

Summary Summarise(std::span<const double> times_s, std::size_t late) {
  const auto early_s = times_s.first(times_s.size() - late);
  const std::vector<double> sorted = Sorted(early_s);
  Summary summary;
  summary.samples = static_cast<std::uint32_t>(times_s.size());
  summary.median_s = PercentileOfSorted(sorted, 0.5);
  summary.p10_s = PercentileOfSorted(sorted, 0.1);
  summary.best_s = *std::min_element(times_s.begin(), times_s.end());
  summary.ci95_s = IntervalOfSorted(sorted);
  if (late > 0 && summary.ci95_s) {
    auto& [low, high] = *summary.ci95_s;
    const double late_s = Percentile(times_s.last(late), 0.5);
    summary.drifted = late_s < low || late_s > high;
    low = std::min(low, late_s);
    high = std::max(high, late_s);
  }
  summary.quality = Judge(summary);
  summary.throttled = SlowedDown(early_s);
  return summary;
}

}  // namespace backends
