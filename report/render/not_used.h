// SPDX-License-Identifier: MIT
// What was not taken, in the words that every page for people has for it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/core/report.h"

namespace report::render {

struct NotUsedLine {
  std::string label;                 // "opencl on Radeon RX 6800 XT"
  std::string reason;                // why not
  std::set<std::string> device_ids;  // of equal devices, of which one speaks for all
  std::set<std::string> drivers{};   // that reach it by this runtime
};

// But for what stands in the ranking, and what a finding tells in full. `verbose`: notes are told, too.
[[nodiscard]] std::vector<NotUsedLine> NotUsedLines(const Report& report, bool verbose);

}  // namespace report::render
