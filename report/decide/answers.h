// SPDX-License-Identifier: MIT
// The answers to a report's uses: by the ways that were judged, by those that nobody could look for, by cards
// that others fill now, and of the programs that the answer's runtime names.
#pragma once

#include <vector>

#include "report/core/record.h"
#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/targets/supposed.h"

namespace report {

struct Deciding {
  const Tables& tables;
  const Record& record;
  Basis measured;
  bool all_asked;
  bool assumed;  // a machine in the caller's words
  bool for_an_image;
};

// What is answered by ways that nobody could look for, and what they score. The report has them once its
// findings are told: of those nothing is found.
struct Supposed {
  std::vector<targets::WayBeyond> ways;
  std::vector<Score> scores;
};

void AddViews(const std::vector<targets::WayBeyond>& ways, std::vector<probe::PhysicalDevice>& devices);

// Fills in the scores and the answers of a report that has its devices, measurements and terms. It may have
// the scores of nobody's terms already.
[[nodiscard]] Supposed Answer(const Deciding& deciding, const std::vector<Use>& uses, Report& report);

// What `recommend --target` answers of the programs that the answer's runtime names, by the tables of this
// build.
[[nodiscard]] std::vector<Program> ProgramsFor(const Deciding& deciding, const Report& report,
                                               const Recommendation& answer);

}  // namespace report
