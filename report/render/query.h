// SPDX-License-Identifier: MIT
// Answers for scripts: one token, one number.
#pragma once

#include <string>

#include "report/core/report.h"

namespace report::render {

// The backend alone, of the closed set of runtime names: lower-case letters, digits and underscores, for use
// in a shell without quoting. "unknown" for anything else, which no runtime of the build is called.
[[nodiscard]] std::string Token(const Recommendation& recommendation);

enum class MachineCode : int { kUsableGpu = 0, kNoGpu = 10, kUnusableGpu = 11 };

// For --exit-code. Usable: a kernel of a GPU was verified there, and it may be recommended. Needs scores.
[[nodiscard]] MachineCode ExitCodeOf(const Report& report);

}  // namespace report::render
