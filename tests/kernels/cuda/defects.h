// SPDX-License-Identifier: MIT
// The defects that defects.py plants.
#pragma once

#include <ostream>
#include <vector>

#include "tests/kernels/cuda/emulated_session.h"

namespace tests {

struct Defect {
  std::string_view name;
  std::string_view entry;
  EmulatedKernel kernel;
};
// For the tests' names.
inline void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }
[[nodiscard]] std::vector<Defect> Defects();

}  // namespace tests
