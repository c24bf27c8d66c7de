// SPDX-License-Identifier: MIT
// What stands around a driver or a card rather than in it, and may be why it fails or disappoints: limits on
// this process, folders that are not mounted, variables, and how an integrated GPU shares the host's memory.
#pragma once

#include <optional>
#include <vector>

#include "report/core/report.h"

namespace report::explain {

// Whether a driver that is well may have failed so. A refusal is this tool's own, and want of memory has its
// own advice.
[[nodiscard]] bool MayComeOfCircumstances(probe::Outcome outcome, const std::optional<probe::Error>& error);
[[nodiscard]] bool MayComeOfCircumstances(const backends::Measurement& measurement);
// Puts those of this report first in what the finding means and in its fixes; where a table knows the error,
// what that says comes after them.
void BlameCircumstances(const Report& report, bool is_known, Finding& finding);

// One for every warning of a probe about a variable that is set.
void AddVariables(const Report& report, std::vector<Finding>& out);
// A note for an integrated GPU whose own part of the memory is smaller than what the kernel lends it.
void AddLentMemory(const probe::PhysicalDevice& device, std::vector<Finding>& out);

}  // namespace report::explain
