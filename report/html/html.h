// SPDX-License-Identifier: MIT
// The faces of a report and of a comparison that a browser shows: one page each, which asks for nothing
// beside it, and the rooflines as a picture. Pure: a replayed report has the same page.
#pragma once

#include <string>

#include "report/core/comparison.h"
#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::html {

// `whichgpu --html`: the answer, what to do, the ways, devices with their rooflines and figures, and the
// stack; within it the object of `whichgpu --json` (the element with the id "report").
[[nodiscard]] std::string ReportPage(const Tables& tables, const Report& report);

// `whichgpu compare --html`: the verdict and every row; within it the object of `compare --json`
// ("comparison").
[[nodiscard]] std::string ComparisonPage(const Comparison& comparison);

// `whichgpu --svg`: the roofline of each device that was measured, of equal ones of one; of none a picture
// that says so.
[[nodiscard]] std::string RooflinePicture(const Tables& tables, const Report& report);

}  // namespace report::html
