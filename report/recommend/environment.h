// SPDX-License-Identifier: MIT
// The variables that make software use the device and the driver of an answer.
#pragma once

#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::recommend {

// What selects the answer's device, where the runtime's table has a variable for it, then what selects its
// driver, where several drivers of the runtime reach the device. Left out: what nobody knows an identifier
// for, and a path that a shell or the variable's reader would take for something else.
[[nodiscard]] std::vector<Selection> EnvironmentOf(const Tables& tables, const Report& report,
                                                   const Recommendation& answer);

}  // namespace report::recommend
