// SPDX-License-Identifier: MIT
#include <mach/machine.h>
#include <sys/sysctl.h>

#include <cstdint>

#include "kernels/cpu/architecture_arm.h"

namespace kernels::cpu {
namespace {

// 0 for a name that this kernel does not know.
std::uint32_t Control(const char* name) {
  std::uint32_t value = 0;
  std::size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && size == sizeof value ? value : 0;
}

}  // namespace

// macOS 12 was the first to name features as Arm does; before it the only processors were the M1's, which
// have it.
bool SystemNamesDotprod() {
  return Control("hw.optional.arm.FEAT_DotProd") != 0 ||
         Control("hw.cpufamily") == CPUFAMILY_ARM_FIRESTORM_ICESTORM;
}

bool SystemNamesSve() { return false; }  // no processor of a Mac runs it outside of its matrix unit's mode

}  // namespace kernels::cpu
