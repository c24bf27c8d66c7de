// SPDX-License-Identifier: MIT
#include "kernels/cpu/targets.h"

namespace kernels::cpu {

bool CpuRuns(std::int64_t highway_target) { return highway_target == HWY_BASELINE_SCALAR; }

}  // namespace kernels::cpu
