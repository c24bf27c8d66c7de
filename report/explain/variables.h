// SPDX-License-Identifier: MIT
// Findings of what the environment's own variables do to a runtime, in the words of its probe.
#pragma once

#include <vector>

#include "report/core/report.h"

namespace report::explain {

// One for every warning of a probe that names a variable which is set.
void AddVariables(const Report& report, std::vector<Finding>& out);

}  // namespace report::explain
