// SPDX-License-Identifier: MIT
// Machines that nobody thought of: some GPUs of some makers, reached by some runtimes and drivers, fast or
// slow, noisy or not, with figures that fail; the same for the same seed.
#pragma once

#include <cmath>
#include <random>

#include "report/core/report.h"

namespace report::testing {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int Below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(engine_); }
  bool OneIn(int cases) { return Below(cases) == 0; }
  double Between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double LogBetween(double low, double high) { return std::exp(Between(std::log(low), std::log(high))); }

 private:
  std::mt19937 engine_;
};

[[nodiscard]] Report Generated(unsigned seed);

}  // namespace report::testing
