// SPDX-License-Identifier: MIT
// The caller's program (report.terms.target): for which ways it has a build that fits, and which build is the
// answer's. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::targets {

// Fills in report.terms.unfit.
void JudgeWays(const Tables& tables, Report& report);
// The same where the caller names no program: ways by which every program that states a use, and that has
// code for the device, computes through a runtime that the terms exclude.
void JudgeExclusions(const Tables& tables, Report& report);

// Fills in the answer's artefact, command and target: of the builds that fit its way the first that fits
// every GPU that the backend reaches here and the terms do not exclude, else the first. Says which better
// ones do not fit, and warns of what it does not cover, of conditions that nobody could look at, of a table
// that is old on the day of the report and, where all runtimes of this build were asked, of backends of the
// program that it can not look for.
void AddArtefact(const Tables& tables, bool all_asked, const Report& report, Recommendation& answer);

// Why none of the programs that are known here, and state the use, has code for the device by a maker's own
// runtime; "" where one has, where the device's architecture is not known, and of a
// runtime for all makers' GPUs or one whose builds name no architecture. Builds through a runtime that
// `terms` exclude count for none.
struct WithoutCode {
  std::string why;
  // The architecture is newer than all that the builds name, or than the tables: a build that they do not
  // know may have code for it.
  bool is_too_new = false;
};
[[nodiscard]] WithoutCode WhyNothingRuns(const Tables& tables, const Report& report,
                                         const probe::PhysicalDevice& device, std::string_view runtime,
                                         Use use, const Terms* terms = nullptr);

// That none of the programs which the runtime's table names for the use has code for the device, and which
// other has; "" where one of them has or may have, or none does.
[[nodiscard]] std::string ServedByOthers(const Tables& tables, const Report& report,
                                         const probe::PhysicalDevice& device, std::string_view runtime,
                                         Use use);

// Of a device whose architecture nobody says: those of all cards that are called so, as people write them
// (empty: any), and the first of the program's builds by the runtime that has code for some of them alone.
// nullopt where each has for all of them or for none: to ask which it is helps nobody.
struct Apart {
  std::vector<std::string> architectures;
  std::string build;
};
[[nodiscard]] std::optional<Apart> TellsApart(const TargetTable& target, const RuntimeFacts& facts,
                                              const probe::PhysicalDevice& device);

}  // namespace report::targets
