// SPDX-License-Identifier: MIT
// Answers for scripts: one token, assignments for a shell, one number.
#pragma once

#include <string>

#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/render/terminal.h"

namespace report::render {

// The backend alone, of the closed set of runtime names: lower-case letters, digits and underscores, for use
// in a shell without quoting. "unknown" for anything else, which no runtime of the build is called.
[[nodiscard]] std::string Token(const Recommendation& recommendation);

// Five assignments, in this order, to be given to `eval` or sourced:
//   WHICHGPU_STATUS   measured, cached, estimated, assumed, or none: there is no answer
//   WHICHGPU_BACKEND  as Token; empty without an answer
//   WHICHGPU_DEVICE   the device's id
//   WHICHGPU_VISIBLE  NAME=VALUE of the variable that shows this device alone; empty where none is needed or
//   known
//   WHICHGPU_DRIVER   NAME=VALUE of the variable that makes the runtime take this driver; empty where it has
//   one driver for the device
// Values consist of letters, digits and _ . : , # = - / alone; whatever else a driver may say becomes "_".
// Shell quotes them all the same; Env does not, so that it is also an environment file.
[[nodiscard]] std::string Shell(const Report& report);
[[nodiscard]] std::string Env(const Report& report);

// The reasons of the first recommendation, and what was not taken, for a person.
[[nodiscard]] std::string Why(const Report& report, const TerminalOptions& options);

enum class MachineCode : int { kUsableGpu = 0, kNoGpu = 10, kUnusableGpu = 11, kGpuNotAsked = 12 };

// For --exit-code. Usable: a kernel of a GPU was verified there, and it may be recommended. Needs scores.
[[nodiscard]] MachineCode ExitCodeOf(const Report& report);

}  // namespace report::render
