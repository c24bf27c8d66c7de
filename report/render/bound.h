// SPDX-License-Identifier: MIT
// What of a report fits a page that somebody reads: a machine has a handful of devices, a record may claim
// thousands.
#pragma once

#include "report/core/report.h"

namespace report::render {

// The report with at most 64 devices, those recommended first, then the fastest, in their order; with what
// belongs to them, and 64 of every other list. A warning says what was left out. JSON has all.
[[nodiscard]] Report Bounded(const Report& report);

}  // namespace report::render
