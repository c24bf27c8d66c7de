// SPDX-License-Identifier: MIT
// What the pages for people tell a reader to do: the fixes of findings as they are typed, each once, and what
// comes next.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::render {

// As it is typed here: by root where it must be. "" of a fix that no command is.
[[nodiscard]] std::string CommandLine(const Report& report, const Fix& fix);

// What is printed once, however many findings it mends.
using FixKey = std::pair<std::string, std::string>;
using FixKeys = std::set<FixKey>;
[[nodiscard]] FixKey KeyOf(const Fix& fix);

struct GpuFix {
  const probe::PhysicalDevice* gpu;
  const Fix* fix;
};

// What makes a GPU usable that is not, and brings a card the runtime that is made for it. The report must
// outlive it.
[[nodiscard]] std::vector<GpuFix> FixesOfGpus(const Report& report);

struct NextStep {
  std::string text;
  std::string command;   // "": the text says it all
  std::string needs{};   // what it wants to find and does not bring: "a virtual environment"
  std::string asking{};  // the command that tells the whole of it
  bool operator==(const NextStep&) const = default;
};

// With what it needs in its text.
[[nodiscard]] NextStep WithNeeds(NextStep step);

// FixesOfGpus in words, once for all GPUs that it mends, but for those that are told elsewhere.
[[nodiscard]] std::vector<NextStep> StepsForGpus(const Report& report, const FixKeys& told = {});

// What brings back the GPUs that a variable hides and nothing else shows.
[[nodiscard]] std::vector<NextStep> StepsForHidden(const Tables& tables, const Report& report);

// What follows from the answers: the variable that selects a driver, the builds of programs that are asked
// for most, and where there is no GPU, where to find one.
[[nodiscard]] std::vector<NextStep> StepsOfAnswers(const Tables& tables, const Report& report);

// The same finding of other GPUs that are equal to the finding's, later in the report's list: one line tells
// of all.
[[nodiscard]] std::vector<const Finding*> AlikeAfter(const Report& report, const Finding& finding);

}  // namespace report::render
