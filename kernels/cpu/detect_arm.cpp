// SPDX-License-Identifier: MIT
#include <sys/auxv.h>

#include "kernels/cpu/architecture_arm.h"
#include "kernels/cpu/isa_limit.h"
#include "kernels/cpu/prefetch.h"
#include "kernels/cpu/quirks.h"
#include "kernels/cpu/tables.h"
#include "kernels/cpu/targets.h"

namespace kernels::cpu {
namespace {

// HWCAP_SVE and HWCAP_ASIMDDP of the kernel's ABI, Documentation/arm64/elf_hwcaps.rst.
constexpr unsigned long kHwcapSve = 1UL << 22;
constexpr unsigned long kHwcapDotprod = 1UL << 20;

}  // namespace

// NEON is part of every AArch64; the kernels use nothing of Highway's NEON target beyond it.
bool CpuRuns(std::int64_t highway_target) {
  if (highway_target == HWY_SVE) return IsAllowed("sve") && (getauxval(AT_HWCAP) & kHwcapSve) != 0;
  return highway_target == HWY_NEON;
}

bool HasNeonDotprod() { return IsAllowed("neon_dotprod") && (getauxval(AT_HWCAP) & kHwcapDotprod) != 0; }

std::span<const Implementation> ArchitectureImplementations() { return GemvDotImplementations(); }

// Not measured on any of them.
bool GainsFromPrefetch() { return true; }

bool HidesTileGeometry() { return false; }

bool AddsInt8In32Bits() { return true; }

}  // namespace kernels::cpu
