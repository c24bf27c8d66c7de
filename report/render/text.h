// SPDX-License-Identifier: MIT
// The report for people: the answer first, then the hardware and what was measured of it, the ranking, what
// is not used and why, and what to do. Pure: a replayed report prints the same text.
#pragma once

#include <string>

#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/render/terminal.h"

namespace report::render {

// `whichgpu`. The first three lines hold backend, device, rate and the reason at 80 columns and more, the
// first four at 60.
[[nodiscard]] std::string Text(const Tables& tables, const Report& report, const TerminalOptions& options);

// `whichgpu list`: devices, the ways to reach them, runtimes that gave nothing. No figures.
[[nodiscard]] std::string ListText(const Tables& tables, const Report& report,
                                   const TerminalOptions& options);

}  // namespace report::render
