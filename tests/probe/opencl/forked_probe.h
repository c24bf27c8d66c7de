// SPDX-License-Identifier: MIT
// Runs the OpenCL probe in a process of its own, as the program does: libOpenCL reads its variables once.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "probe/core/report.h"

namespace tests {

// `variables` is the whole environment of the probe but for PATH. The report's exit says how the process
// ended.
[[nodiscard]] probe::ProbeReport RunOpenClProbe(
    const std::map<std::string, std::string, std::less<>>& variables,
    const std::optional<std::string>& manifest = std::nullopt);

}  // namespace tests
