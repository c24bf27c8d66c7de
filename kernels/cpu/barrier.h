// SPDX-License-Identifier: MIT
// The barrier between the workers of one kernel.
#pragma once

#include <atomic>

namespace kernels::cpu {

// Sense-reversing: reusable at once, without a reset between rounds. A cache line for each counter.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
class SpinBarrier {
 public:
  explicit SpinBarrier(unsigned count) : count_(count), missing_(count) {}
  SpinBarrier(const SpinBarrier&) = delete;
  SpinBarrier& operator=(const SpinBarrier&) = delete;

  // Returns once `count` workers have called it. Everything they wrote before is visible to all after.
  void Wait();

 private:
  const unsigned count_;
  alignas(64) std::atomic<unsigned> missing_;
  alignas(64) std::atomic<unsigned> round_{0};
};

}  // namespace kernels::cpu
