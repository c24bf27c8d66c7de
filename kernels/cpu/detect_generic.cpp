// SPDX-License-Identifier: MIT
#include "kernels/cpu/prefetch.h"
#include "kernels/cpu/quirks.h"
#include "kernels/cpu/tables.h"
#include "kernels/cpu/targets.h"

namespace kernels::cpu {

bool CpuRuns(std::int64_t highway_target) { return highway_target == HWY_BASELINE_SCALAR; }

std::span<const Implementation> ArchitectureImplementations() { return {}; }

bool GainsFromPrefetch() { return false; }

bool HidesTileGeometry() { return false; }

bool AddsInt8In32Bits() { return true; }

}  // namespace kernels::cpu
