// SPDX-License-Identifier: MIT
// What only Intel's processors have, or do in another way: the tiles of AMX, and a prefetcher that stops at
// page borders.
#include <cpuid.h>

#include "kernels/cpu/architecture_x86.h"
#include "kernels/cpu/feature_x86.h"
#include "kernels/cpu/isa_limit.h"
#include "kernels/cpu/prefetch.h"
#include "kernels/cpu/quirks.h"

namespace kernels::cpu {
namespace {

// Bits of CPUID leaf 7, EDX (Intel SDM volume 2A, CPUID).
constexpr unsigned kAmxBf16 = 1U << 22U, kAmxTile = 1U << 24U, kAmxInt8 = 1U << 25U;

bool HasAmx(unsigned bit) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAmxTile) != 0 && (edx & bit) != 0 &&
         IsAllowed("amx") && HasAvx512() && HasFeature("avx512vbmi") && MayUseTiles();
}

}  // namespace

bool GainsFromPrefetch() {
  static const bool gains = [] {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0, &eax, &ebx, &ecx, &edx) != 0 && ebx == signature_INTEL_ebx &&
           edx == signature_INTEL_edx && ecx == signature_INTEL_ecx;
  }();
  return gains;
}

bool HidesTileGeometry() {
  constexpr unsigned kTileLeaf = 0x1d;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (edx & kAmxTile) == 0) return false;
  return __get_cpuid_count(kTileLeaf, 0, &eax, &ebx, &ecx, &edx) == 0 || eax == 0;
}

bool HasAmxBf16() { return HasAmx(kAmxBf16); }
bool HasAmxInt8() { return HasAmx(kAmxInt8); }

}  // namespace kernels::cpu
