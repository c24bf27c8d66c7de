// SPDX-License-Identifier: MIT
// Why a run ends without what was asked for.
#pragma once

#include <string>

#include "probe/core/result.h"

namespace report {

inline constexpr int kExitUsage = 2;
inline constexpr int kExitInternal = 3;

// What went wrong, and the exit code that says so.
struct Problem {
  int exit_code = kExitInternal;
  std::string text;
};

[[nodiscard]] inline Problem BadInput(const probe::Error& error) {
  return {kExitUsage, probe::Describe(error)};
}

}  // namespace report
