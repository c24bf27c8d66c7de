// SPDX-License-Identifier: MIT
// How much of the measuring time is left. Compilation and first launches are excused: they have allowances of
// their own. What readies a kernel for timing, memory, operands and checks, is taken from the budget first;
// what is beyond a share of it is excused up to half of the budget, so that a machine with much to ready
// still times.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace backends {

using MonotonicClock = std::function<double()>;  // seconds from any start

// How long a stage may outlast the budget before it counts as hung. The runner itself stops at the budget;
// this is what a step in flight may take on a machine so busy that it runs many times slower.
inline constexpr double kStallAllowanceSeconds = 4.0;

// Beyond the budget a child may need this long for compiling and first launches together; each of those is
// bounded by an allowance of its own as well. One that took longer would be killed with all that it has found
// out. So after the first part of that time every further figure is by the first of its kernels that works,
// after the second no further figure is begun, and after the third one that has begun is tried no further.
// All of CUDA's modules take 12 s to compile for an H100 on one busy core of an EPYC 7003 (ptxas 13.0): a
// driver that does so for the first time is not in the way.
inline constexpr double kUntimedSeconds = 60.0;
inline constexpr double kUntimedForChoice = kUntimedSeconds / 3;
inline constexpr double kUntimedForFigures = kUntimedSeconds / 2;
inline constexpr double kUntimedForRight = kUntimedSeconds * 2 / 3;

class Budget {
 public:
  Budget(double total_s, MonotonicClock now)
      : now_(std::move(now)),
        start_s_(now_()),
        end_s_(start_s_ + total_s),
        charged_s_(kChargedShare * total_s),
        excused_s_(kExcusedShare * total_s) {}

  [[nodiscard]] double Now() const { return now_(); }
  [[nodiscard]] double Remaining() const {
    const double left_s = end_s_ - now_();
    return given_up_.empty() ? left_s : std::min(left_s, 0.0);
  }
  // Whatever it was for.
  [[nodiscard]] double Spent() const { return now_() - start_s_; }

  // What was excused whole: compilation and first launches.
  [[nodiscard]] double Untimed() const { return untimed_s_; }

  // Leaves that much at most.
  void EndWithin(double seconds) { end_s_ = std::min(end_s_, now_() + seconds); }

  // Leaves nothing, whatever is given back afterwards: nothing more is to be begun, for this reason.
  void GiveUp(std::string because) { given_up_ = std::move(because); }
  [[nodiscard]] const std::string& given_up() const { return given_up_; }  // empty: it is not

  // Runs `work` with so much less to spend, which is there again afterwards.
  template <class F>
  void Keeping(double seconds, F&& work) {
    end_s_ -= seconds;
    std::forward<F>(work)();
    end_s_ += seconds;
  }

  // Runs `work` and gives back the time that it took.
  template <class F>
  auto Excused(F&& work) {
    const double start = now_();
    auto result = std::forward<F>(work)();
    const double taken_s = now_() - start;
    end_s_ += taken_s;
    untimed_s_ += taken_s;
    return result;
  }

  // Runs `work` and gives back the time that it took beyond the share that preparations are charged, as far
  // as the allowance lasts.
  template <class F>
  auto Preparing(F&& work) {
    const double start = now_();
    const double end_before = end_s_;
    auto result = std::forward<F>(work)();
    const double taken_s = std::max(0.0, now_() - start - (end_s_ - end_before));
    const double charged_s = std::min(taken_s, charged_s_);
    const double given_back_s = std::min(taken_s - charged_s, excused_s_);
    charged_s_ -= charged_s;
    excused_s_ -= given_back_s;
    end_s_ += given_back_s;
    return result;
  }

 private:
  static constexpr double kChargedShare = 0.2;
  static constexpr double kExcusedShare = 0.5;
  MonotonicClock now_;
  double start_s_;
  double end_s_;
  double charged_s_;  // what preparations will still be charged, and
  double excused_s_;  // what they will be given back after that
  double untimed_s_ = 0;
  std::string given_up_;
};

}  // namespace backends
