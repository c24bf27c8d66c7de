// SPDX-License-Identifier: MIT
// What a list of batch times says: its middle, how sure that is, and whether the device slowed down
// meanwhile. Knows nothing of kernels or units beyond the second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "backends/core/measurement.h"

namespace backends {

inline constexpr double kGoodSpread = 0.015;  // half width of the interval, relative to the median
inline constexpr double kFairSpread = 0.05;
inline constexpr std::uint32_t kMinBatches = 10;  // fewer are noisy whatever they say
inline constexpr double kThrottleRatio = 1.03;    // median of the last third over that of the first

// Times of one execution each, in seconds.
struct Summary {
  std::uint32_t samples = 0;
  double median_s = 0;
  double p10_s = 0;
  double best_s = 0;
  std::optional<std::array<double, 2>> ci95_s;  // of the median: lower and upper time
  Quality quality = Quality::kNoisy;
  bool throttled = false;
  bool drifted = false;  // the middle of the late times is beyond the interval of the others, which holds it
};

// The value below which `fraction` of the samples lie, linear between neighbours (Hyndman & Fan, "Sample
// Quantiles in Statistical Packages", 1996, definition 7). `times_s` is not empty; fraction in [0, 1].
[[nodiscard]] double Percentile(std::span<const double> times_s, double fraction);

// The distribution-free 95 % interval of the median: the order statistics of ranks n/2 -+ 0.98 sqrt(n), from
// the normal approximation of the binomial (Conover, "Practical Nonparametric Statistics", 3rd ed.,
// section 3.2). nullopt under six samples, of which even the extremes cover less than 95 %.
[[nodiscard]] std::optional<std::array<double, 2>> MedianInterval(std::span<const double> times_s);

// The larger half width of the interval, relative to the median; infinite where there is no interval.
[[nodiscard]] double RelativeSpread(const Summary& summary);

// `times_s` in the order of measuring, not empty, each finite and positive. The last `late` of them were
// taken long after the others, to see what has changed meanwhile: the interval holds their middle too.
[[nodiscard]] Summary Summarise(std::span<const double> times_s, std::size_t late = 0);

}  // namespace backends
