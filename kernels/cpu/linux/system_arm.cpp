// SPDX-License-Identifier: MIT
#include <sys/auxv.h>

#include "kernels/cpu/architecture_arm.h"

namespace kernels::cpu {
namespace {

// HWCAP_SVE and HWCAP_ASIMDDP of the kernel's ABI, Documentation/arm64/elf_hwcaps.rst.
constexpr unsigned long kHwcapSve = 1UL << 22;
constexpr unsigned long kHwcapDotprod = 1UL << 20;

}  // namespace

bool SystemNamesDotprod() { return (getauxval(AT_HWCAP) & kHwcapDotprod) != 0; }
bool SystemNamesSve() { return (getauxval(AT_HWCAP) & kHwcapSve) != 0; }

}  // namespace kernels::cpu
