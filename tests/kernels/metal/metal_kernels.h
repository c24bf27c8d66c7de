// SPDX-License-Identifier: MIT
// What is emulated of Metal: its kernels, and the defects that defects.py plants.
#pragma once

#include <ostream>
#include <string_view>
#include <vector>

#include "tests/kernels/cuda/emulated_session.h"

namespace tests {

// An entry point of kernels/metal by its name; empty for a name that is none.
[[nodiscard]] EmulatedKernel FindMetalEntry(std::string_view name);

struct MetalDefect {
  std::string_view name;
  std::string_view entry;
  EmulatedKernel kernel;
};
// For the tests' names.
inline void PrintTo(const MetalDefect& defect, std::ostream* out) { *out << defect.name; }
[[nodiscard]] std::vector<MetalDefect> MetalDefects();

}  // namespace tests
