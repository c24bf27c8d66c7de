// SPDX-License-Identifier: MIT
#include "kernels/cpu/architecture_arm.h"
#include "kernels/cpu/isa_limit.h"
#include "kernels/cpu/prefetch.h"
#include "kernels/cpu/quirks.h"
#include "kernels/cpu/tables.h"
#include "kernels/cpu/targets.h"

namespace kernels::cpu {
// NEON is part of every AArch64; the kernels use nothing of Highway's NEON target beyond it.
bool CpuRuns(std::int64_t highway_target) {
  if (highway_target == HWY_SVE) return IsAllowed("sve") && SystemNamesSve();
  return highway_target == HWY_NEON;
}

bool HasNeonDotprod() { return IsAllowed("neon_dotprod") && SystemNamesDotprod(); }

std::span<const Implementation> ArchitectureImplementations() { return GemvDotImplementations(); }

// Not measured on any of them.
bool GainsFromPrefetch() { return true; }

bool HidesTileGeometry() { return false; }

bool AddsInt8In32Bits() { return true; }

}  // namespace kernels::cpu
