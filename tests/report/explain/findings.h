// SPDX-License-Identifier: MIT
// How tests look at findings.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "report/core/report.h"

namespace report::explain {

// nullptr without one.
inline const Finding* FindById(const Report& report, std::string_view id) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& finding) { return finding.id == id; });
  return found == report.findings.end() ? nullptr : &*found;
}

// What it means, and each step that mends it.
inline std::string TextsOf(const Finding& finding) {
  std::string all = finding.meaning;
  for (const auto& fix : finding.fix) all += "; " + fix.text;
  return all;
}

}  // namespace report::explain
