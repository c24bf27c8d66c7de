// SPDX-License-Identifier: MIT
// One comparison: two sides that do the same work, timed in turn, so that a machine that slows down for a
// while slows both.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Side {
  std::string name;
  std::function<double()> rate;  // one sample, in the row's unit
};

// The work a second of `run`, over one execution or as many as fit in a sample's time; the first of several
// does not count.
[[nodiscard]] double Rate(double work, const std::function<void()>& run);

struct Spread {
  double median, low, high;  // low, high: the quartiles
};
[[nodiscard]] Spread SpreadOf(std::vector<double> values);

struct Comparison {
  Spread ours, peer, ratio;  // ratio: of the sides of each pair, ours over the peer's
};
[[nodiscard]] Comparison Compare(const Side& ours, const Side& peer, int pairs);

// One sample of both sides, where they can only be taken together.
using Pair = std::function<std::pair<double, double>()>;
[[nodiscard]] Comparison Compare(const Pair& pair, int pairs);

}  // namespace bench
