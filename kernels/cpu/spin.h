// SPDX-License-Identifier: MIT
// How workers wait for each other: by spinning, because a kernel's phases last microseconds; the core is
// yielded after a bounded spin, so that more workers than cores still make progress.
#pragma once

#include <hwy/cache_control.h>
#include <sched.h>

namespace kernels::cpu {

class Spin {
 public:
  void Once() {
    if (spins_ < kSpins) {
      ++spins_;
      hwy::Pause();
    } else {
      sched_yield();
    }
  }

 private:
  // About 10 to 100 us of pauses, depending on the core: longer than an undisturbed wait, far shorter than a
  // time slice.
  static constexpr int kSpins = 2000;
  int spins_ = 0;
};

}  // namespace kernels::cpu
