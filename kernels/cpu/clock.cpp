// SPDX-License-Identifier: MIT
// Kernels that measure no unit: the clock, by additions that wait for each other, and an empty launch.
#include <array>

#include "kernels/cpu/tables.h"

namespace kernels::cpu {
namespace {

constexpr unsigned kUnrolled = 16;

// One addition a clock on every processor. The addend is in a register that the compiler cannot see through,
// because some processors add small constants while renaming.
void ClockAdds(const Arguments& arguments, const Worker& worker) {
  std::uint64_t sum = 0, addend = 3;
  const std::uint64_t rounds = (std::uint64_t{arguments.scalars[0]} << 14U) / kUnrolled;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < kUnrolled; ++i) {
      sum += addend;
      asm volatile("" : "+r"(sum), "+r"(addend));
    }
  }
  static_cast<std::uint32_t*>(arguments.buffers[0])[worker.index] = static_cast<std::uint32_t>(sum);
}

void Empty(const Arguments&, const Worker&) {}

bool Always() { return true; }

}  // namespace

std::span<const Implementation> ClockImplementations() {
  static constexpr std::array kAll{Implementation{"clock_adds", "generic", Always, ClockAdds},
                                   Implementation{"empty", "generic", Always, Empty}};
  return kAll;
}

}  // namespace kernels::cpu
