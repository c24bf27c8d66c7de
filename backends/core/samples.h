// SPDX-License-Identifier: MIT
// Times of what surrounds the kernels: a small share of the budget for each figure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "backends/core/budget.h"

namespace backends {

inline constexpr std::size_t kMaxOverheadSamples = 50;
// Of what is left of the budget, for each of these figures.
inline constexpr double kOverheadShare = 0.03;

// Repeats `run` (which returns its time in seconds, or nothing on an error) until there are enough samples or
// the time is up.
template <class F>
std::vector<double> Sample(Budget& budget, F&& run) {
  std::vector<double> times_s;
  const double end_s = budget.Now() + kOverheadShare * budget.Remaining();
  while (times_s.size() < kMaxOverheadSamples && (budget.Now() < end_s || times_s.empty())) {
    const std::optional<double> time_s = run();
    if (!time_s) break;
    times_s.push_back(std::max(*time_s, 1e-9));
  }
  return times_s;
}

}  // namespace backends
