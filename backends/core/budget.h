// SPDX-License-Identifier: MIT
// How much of the measuring time is left. Compilation and first launches are excused: they have allowances of
// their own.
#pragma once

#include <utility>

#include "backends/core/runner.h"

namespace backends {

// What a stage is allowed beyond the budget: a busy machine may stall its last step, and contract.md section 3 lets
// a deadline add a second.
inline constexpr double kStallAllowance_s = 1.0;

class Budget {
 public:
  Budget(double total_s, MonotonicClock now) : now_(std::move(now)), end_s_(now_() + total_s) {}

  [[nodiscard]] double Now() const { return now_(); }
  [[nodiscard]] double Remaining() const { return end_s_ - now_(); }

  // Runs `work` and gives back the time that it took.
  template <class F>
  auto Excused(F&& work) {
    const double start = now_();
    auto result = std::forward<F>(work)();
    end_s_ += now_() - start;
    return result;
  }

 private:
  MonotonicClock now_;
  double end_s_;
};

}  // namespace backends
