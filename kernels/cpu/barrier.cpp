// SPDX-License-Identifier: MIT
#include "kernels/cpu/spin.h"
#include "kernels/cpu/team.h"

namespace kernels::cpu {

void SpinBarrier::Wait() {
  const unsigned round = round_.load(std::memory_order_relaxed);
  if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    missing_.store(count_, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  Spin spin;
  while (round_.load(std::memory_order_acquire) == round) spin.Once();
}

}  // namespace kernels::cpu
