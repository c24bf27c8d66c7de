// SPDX-License-Identifier: MIT
// Machines and the builds that they should get, written by hand from what the makers of programs document:
// tests/report/targets/{python,engines}.csv.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/core/report.h"
#include "report/core/targets.h"

namespace report::targets {

// One line of a file: "machine",target,use,policy,backend,build,rule
struct Expected {
  std::vector<std::string> machine;  // a text of --assume for each device
  std::string target;
  Use use = Use::kInference;
  Policy policy = Policy::kMinimum;
  std::string backend;  // or "none"
  std::string build;
  std::string line;
};

// Of every file of the folder that ctest names.
[[nodiscard]] const std::vector<Expected>& AllExpected();

[[nodiscard]] Report Answered(const Expected& expected, const TargetTable& target);

// The same machine's report, which names no program.
[[nodiscard]] Report Reported(const Expected& expected);

// Backend and build of the first answer; "none" without.
using Answer = std::pair<std::string, std::string>;
[[nodiscard]] Answer AnswerOf(const Report& report);

}  // namespace report::targets
