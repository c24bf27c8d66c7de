// SPDX-License-Identifier: MIT
#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/cpu/feature_x86.h"

namespace kernels::cpu {

// Tile registers belong to a process once it has asked for them: ARCH_REQ_XCOMP_PERM of XFEATURE_XTILEDATA
// (Documentation/arch/x86/xstate.rst). Kernels that cannot save them refuse.
bool MayUseTiles() {
  static const bool may = syscall(SYS_arch_prctl, 0x1023, 18) == 0;
  return may;
}

std::uint32_t StatesSavedOnDemand() { return 0; }

}  // namespace kernels::cpu
