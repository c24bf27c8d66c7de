// SPDX-License-Identifier: MIT
#include <cpuid.h>

#include "probe/system/processor.h"

namespace probe::system {

std::optional<CpuidRegisters> Cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  CpuidRegisters out;
  if (__get_cpuid_count(leaf, subleaf, &out.eax, &out.ebx, &out.ecx, &out.edx) == 0) return std::nullopt;
  return out;
}

std::optional<std::uint64_t> SavedStates() {
  const auto basic = Cpuid(1);
  constexpr std::uint32_t kOsXsave = 1U << 27U;  // CPUID.1:ECX, Intel SDM volume 2
  if (!basic || (basic->ecx & kOsXsave) == 0) return std::nullopt;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32U | low;
}

}  // namespace probe::system
