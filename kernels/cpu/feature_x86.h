// SPDX-License-Identifier: MIT
// Which instructions this x86 processor has and the system saves the registers of, as CPUID and XCR0 tell it.
// Compilers answer the same by __builtin_cpu_supports, from a table in their runtime library: zig's is empty.
#pragma once

#include <cstdint>
#include <string_view>

namespace kernels::cpu {

// Bits of XCR0 that it does not show yet and that the system will set for the thread that first uses those
// registers.
[[nodiscard]] std::uint32_t StatesSavedOnDemand();
// Whether the system lets this process use tile registers; asking may be what allows it.
[[nodiscard]] bool MayUseTiles();

// A name of kFeatures in feature_x86.cpp, which are the compilers'. False for any other.
[[nodiscard]] bool HasFeature(std::string_view name);

}  // namespace kernels::cpu
