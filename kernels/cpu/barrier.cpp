// SPDX-License-Identifier: MIT
#include "kernels/cpu/barrier.h"

#include <hwy/cache_control.h>
#include <sched.h>

namespace kernels::cpu {
namespace {

// About 10 to 100 us of pauses, depending on the core: longer than an undisturbed wait, far shorter than a
// time slice.
constexpr int kSpins = 2000;

}  // namespace

void SpinBarrier::Wait() {
  const unsigned round = round_.load(std::memory_order_relaxed);
  if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    missing_.store(count_, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins) {
    if (spins < kSpins) {
      hwy::Pause();
    } else {
      sched_yield();
    }
  }
}

}  // namespace kernels::cpu
