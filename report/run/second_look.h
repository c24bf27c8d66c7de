// SPDX-License-Identifier: MIT
// Where the first look at a machine leaves open which of two ways is faster, because their intervals are
// wide, those two are measured again: only what decides between them, in what is left of the time.
#pragma once

#include <vector>

#include "backends/core/measurement.h"
#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/run/calibrate.h"

namespace report {

// Of the time of the ways that may compete for an answer.
inline constexpr double kSecondLookShare = 0.1;
// For one figure, half of it to ready its kernel: ten batches of the other half. With less it is not worth
// it.
inline constexpr double kLeastSecondLookSeconds = 0.12;

// Takes that share from the targets that may compete, where there are several and it is enough for one figure
// of two, and returns the seconds.
[[nodiscard]] double KeepForSecondLook(std::vector<Target>& targets);

// What to measure within `left_s`: of the first use whose order the report leaves open and for which that is
// enough time, the two ways in question, each with the figures that its score rests on. `planned`: the first
// look's targets, of the same devices. Nothing where everything is decided or the time is too short.
[[nodiscard]] std::vector<Target> PlanSecondLook(const Tables& tables, const Report& report,
                                                 const std::vector<Target>& planned, double left_s);

// Of two figures of one implementation (of a product at one shape) that was not disturbed and has an interval
// the one with the narrower interval stays. Where the intervals do not meet the rate has changed in between:
// what stays then has an interval that holds both. A wrong result refutes the figures of its kernel; whatever
// else failed the second time changes nothing.
void MergeSecondLook(const std::vector<backends::Measurement>& second,
                     std::vector<backends::Measurement>& first);

}  // namespace report
