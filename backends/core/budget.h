// SPDX-License-Identifier: MIT
// How much of the measuring time is left. Compilation and first launches are excused: they have allowances of
// their own. So is, up to half of the budget, what readies a kernel for timing: memory, operands,
// checks.
#pragma once

#include <algorithm>
#include <utility>

#include "backends/core/runner.h"

namespace backends {

// How long a stage may outlast the budget before it counts as hung. The runner itself stops at the budget;
// this is what a step in flight may take on a machine so busy that it runs many times slower.
inline constexpr double kStallAllowanceSeconds = 4.0;

class Budget {
 public:
  Budget(double total_s, MonotonicClock now)
      : now_(std::move(now)), end_s_(now_() + total_s), preparation_s_(kPreparationShare * total_s) {}

  [[nodiscard]] double Now() const { return now_(); }
  [[nodiscard]] double Remaining() const { return end_s_ - now_(); }

  // Leaves that much at most.
  void EndWithin(double seconds) { end_s_ = std::min(end_s_, now_() + seconds); }

  // Runs `work` and gives back the time that it took.
  template <class F>
  auto Excused(F&& work) {
    const double start = now_();
    auto result = std::forward<F>(work)();
    end_s_ += now_() - start;
    return result;
  }

  // Runs `work` and gives back the time that it took as far as the allowance for preparations lasts.
  template <class F>
  auto Preparing(F&& work) {
    const double start = now_();
    const double end_before = end_s_;
    auto result = std::forward<F>(work)();
    const double excused = end_s_ - end_before;
    const double given_back = std::clamp(now_() - start - excused, 0.0, preparation_s_);
    preparation_s_ -= given_back;
    end_s_ += given_back;
    return result;
  }

 private:
  static constexpr double kPreparationShare = 0.5;
  MonotonicClock now_;
  double end_s_;
  double preparation_s_;
};

}  // namespace backends
