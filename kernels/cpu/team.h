// SPDX-License-Identifier: MIT
// What the workers of one kernel share. Lives as long as the threads: kernels allocate nothing.
#pragma once

#include <vector>

#include "kernels/cpu/barrier.h"
#include "kernels/cpu/steal_queue.h"

namespace kernels::cpu {

struct Team {
  explicit Team(unsigned count) : barrier(count), queues(count) {}

  SpinBarrier barrier;
  std::vector<StealQueue> queues;  // one for each worker
};

}  // namespace kernels::cpu
