// SPDX-License-Identifier: MIT
// The clock of a core while its widest units work: some processors lower it within microseconds, so that a
// loop of additions on its own sees another one.
#pragma once

#include <string_view>

namespace bench {

// Runs about `clocks` clocks and returns how many they were; 0 for instructions that it does not know.
[[nodiscard]] double LoadedClocks(std::string_view isa, double clocks);

}  // namespace bench
