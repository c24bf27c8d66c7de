// SPDX-License-Identifier: MIT
// The caller's program (report.terms.target): for which ways it has a build that fits, and which build is the
// answer's. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::targets {

// Fills in report.terms.unfit.
void JudgeWays(const Tables& tables, Report& report);

// Fills in the answer's artefact, command and target: of the builds that fit its way the first that fits
// every GPU that the backend reaches here and the terms do not exclude, else the first. Says which better
// ones do not fit, and warns of what it does not cover, of conditions that nobody could look at, of a table
// that is old on the day of the report and, where all runtimes of this build were asked, of backends of the
// program that it can not look for.
void AddArtefact(const Tables& tables, bool all_asked, const Report& report, Recommendation& answer);

// Why none of the programs that the table of a maker's own runtime names for the use has code for the device,
// by the tables of this build; "" where one has, where the device's architecture is not known, and of a
// runtime for all makers' GPUs or one whose builds name no architecture.
struct WithoutCode {
  std::string why;
  // The architecture is newer than all that the builds name, or than the tables: a build that they do not
  // know may have code for it.
  bool is_too_new = false;
};
[[nodiscard]] WithoutCode WhyNothingRuns(const Tables& tables, const Report& report,
                                         const probe::PhysicalDevice& device, std::string_view runtime,
                                         Use use);

// Whether a build of the program by the runtime may have code for the device, by its architecture or, where
// that is not known, by those of all cards that are called so: if none has, to ask which it is helps nobody.
[[nodiscard]] bool MayHaveCode(const TargetTable& target, const RuntimeFacts& facts,
                               const probe::PhysicalDevice& device);

}  // namespace report::targets
