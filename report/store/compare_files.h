// SPDX-License-Identifier: MIT
// `whichgpu compare`: reads two reports and holds them against each other.
#pragma once

#include <string>

#include "probe/core/result.h"
#include "report/core/comparison.h"

namespace report {

// What `whichgpu --json` printed into this file. The error is one line that names the file and what is wrong
// with it.
[[nodiscard]] probe::Result<MeasuredReport> ReadReport(const std::string& file);

// Both files, compared; `created` is now.
[[nodiscard]] probe::Result<Comparison> CompareFiles(const std::string& base, const std::string& other,
                                                     const std::string& tool_version);

}  // namespace report
