// SPDX-License-Identifier: MIT
// The geometry of a plot with logarithmic axes. Knows numbers alone.
#pragma once

#include <string>
#include <vector>

namespace report::html {

// Maps values, which are above 0, to a coordinate.
struct LogScale {
  double low = 1;    // the value at `from`
  double high = 10;  // the value at `to`
  double from = 0;
  double to = 1;

  [[nodiscard]] double At(double value) const;
  // Pixels a decade.
  [[nodiscard]] double Decade() const;
};

// From the smallest to the largest value, with `air` of the distance on both sides, and at least so many
// decades. Values that are no positive finite number do not count; without any it is from 1 to 10.
[[nodiscard]] LogScale ScaleOver(const std::vector<double>& values, double air, double least_decades,
                                 double from, double to);

struct Tick {
  double value = 1;
  bool labelled = true;  // a power of ten, or of a short scale twice and five times that, too
};
// From low to high, at most about a dozen with a label.
[[nodiscard]] std::vector<Tick> Ticks(const LogScale& scale);

// "1", "100", "2 G", "50 T": of a value that is 1, 2 or 5 times a power of ten; "0.1" below 1.
[[nodiscard]] std::string TickText(double value);

// A point on the roof: what `flop_per_byte` reaches at best.
[[nodiscard]] double RoofAt(double flop_per_byte, double flop_per_s, double bytes_per_s);

}  // namespace report::html
