// SPDX-License-Identifier: MIT
// Turns whatever came back from a probing child, or did not, into the report of its module.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "probe/core/report.h"
#include "probe/isolate/supervisor.h"
#include "report/run/tasks.h"

namespace report {

// What a child's result says of its module. Files that it streamed are appended to `files`.
[[nodiscard]] probe::ProbeReport Assemble(const std::string& module,
                                          const probe::isolate::ChildResult& result,
                                          std::vector<FileRead>& files);

// One report out of one a driver: its devices carry their manifest; ok if any driver answered.
[[nodiscard]] probe::ProbeReport MergeDrivers(
    const std::string& module, const std::vector<std::pair<std::string, probe::ProbeReport>>& drivers);

}  // namespace report
