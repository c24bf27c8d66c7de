// SPDX-License-Identifier: MIT
// How a probe can end, and how far it came: one table each. Nothing else spells these words.
#pragma once

#include <span>
#include <string_view>

namespace probe {

enum class Outcome { kOk, kAbsent, kNoDevice, kDenied, kHidden, kFailed, kCrashed, kTimedOut, kBadReply };

// The last stage that was entered. Detection uses the first five, measuring the rest.
enum class Stage { kStart, kLoad, kSymbols, kInit, kEnumerate, kCompile, kLaunch, kVerify, kTime, kDone };

struct OutcomeRow {
  Outcome outcome;
  std::string_view name;      // in JSON
  std::string_view meaning;   // for documentation
  std::string_view sentence;  // what a person reads; "{}" stands for the runtime's title
};
[[nodiscard]] std::span<const OutcomeRow> Outcomes();
[[nodiscard]] const OutcomeRow& Row(Outcome outcome);

}  // namespace probe
