// SPDX-License-Identifier: MIT
// What --html and --svg keep in files, beside what is printed.
#pragma once

#include <optional>

#include "report/cli/options.h"
#include "report/core/comparison.h"
#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/run/problem.h"

namespace report {

// Before anything is looked at: why such a file could not be written.
[[nodiscard]] std::optional<Problem> CheckPages(const Options& options);

// Writes those that were asked for; or says which could not be, and why.
[[nodiscard]] std::optional<Problem> WritePages(const Options& options, const Tables& tables,
                                                const Report& report);
[[nodiscard]] std::optional<Problem> WritePages(const Options& options, const Comparison& comparison);

}  // namespace report
