// SPDX-License-Identifier: MIT
// One run of the program: its output, and how it ended. Leaves neither a child nor a descriptor behind.
#pragma once

#include <string>
#include <vector>

#include "probe/core/report.h"
#include "probe/core/result.h"

namespace api {

struct Ended {
  std::string out;           // of standard output
  std::string err;           // the last of standard error
  bool is_too_long = false;  // it was ended for what it printed
  bool is_late = false;      // it was ended at its deadline
  probe::ProcessExit exit;   // neither where somebody else waited for it
};

// An error is one of the start, with errno in its code.
[[nodiscard]] probe::Result<Ended> RunProgram(const std::string& program,
                                              const std::vector<std::string>& arguments, double deadline_s);

// Where whichgpu is, by the variable, beside this library, or in PATH; empty where it is not.
[[nodiscard]] std::string FindProgram();

}  // namespace api
