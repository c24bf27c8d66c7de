// SPDX-License-Identifier: MIT
// What is emulated of AMD: the kernels of every target, and planted defects.
#pragma once

#include <string_view>
#include <vector>

#include "tests/kernels/cuda/emulated_session.h"

namespace tests {

// An entry point by its name; empty for a name that is none.
using FindKernel = EmulatedKernel (*)(std::string_view name);

struct HipTarget {
  std::string_view architecture;
  FindKernel find;
};
[[nodiscard]] std::vector<HipTarget> HipTargets();

// One entry of one target as it is with the defect.
struct HipDefect {
  std::string_view name, architecture, entry;
  FindKernel find;
};
[[nodiscard]] std::vector<HipDefect> HipDefects();

}  // namespace tests
