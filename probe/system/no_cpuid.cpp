// SPDX-License-Identifier: MIT
// For processors that are no x86.
#include "probe/system/processor.h"

namespace probe::system {

std::optional<CpuidRegisters> Cpuid(std::uint32_t, std::uint32_t) { return std::nullopt; }
std::optional<std::uint64_t> SavedStates() { return std::nullopt; }

}  // namespace probe::system
