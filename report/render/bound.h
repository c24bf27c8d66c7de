// SPDX-License-Identifier: MIT
// What of a report fits a page that somebody reads: a machine has a handful of devices, a record may claim
// thousands.
#pragma once

#include <cstddef>
#include <vector>

#include "report/core/report.h"

namespace report::render {

// Each once, in their order, and of many the first; where some are left out a last one says how many.
[[nodiscard]] std::vector<Warning> ToldWarnings(const std::vector<Warning>& warnings);
// How many those leave out.
[[nodiscard]] std::size_t UntoldWarnings(const std::vector<Warning>& warnings);

// The report with at most 64 devices, those recommended first, then the fastest, in their order; with what
// belongs to them, ToldWarnings, and 64 of every other list. A warning says what was left out. JSON has all.
[[nodiscard]] Report Bounded(const Report& report);

}  // namespace report::render
