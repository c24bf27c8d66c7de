// SPDX-License-Identifier: MIT
#include <sys/sysctl.h>

#include "kernels/cpu/feature_x86.h"

namespace kernels::cpu {

// No Mac has a processor with tiles.
bool MayUseTiles() { return false; }

// A thread gets room for the registers of 512 bits when it first uses one: until then XCR0 lacks their bits,
// and the kernel says by name that it will (xnu, osfmk/i386/fpu.c).
std::uint32_t StatesSavedOnDemand() {
  constexpr std::uint32_t kOf512Bits = 0xe0;  // Intel SDM volume 1, 13.3
  int has = 0;
  std::size_t size = sizeof has;
  return sysctlbyname("hw.optional.avx512f", &has, &size, nullptr, 0) == 0 && has != 0 ? kOf512Bits : 0;
}

}  // namespace kernels::cpu
