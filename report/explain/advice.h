// SPDX-License-Identifier: MIT
// What an outcome or a status means and what to do about it, in words, and where a runtime's table knows the
// very error, in the table's. Finds nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::explain {

// What an outcome of a runtime or of one driver means, and what to do. `layer` as in the schema.
struct OutcomeAdvice {
  probe::Outcome outcome;
  std::string_view layer;
  Severity severity;
  std::string_view meaning;
  std::string_view fix;  // "" where the tables or the evidence name it
  std::string_view command;
  bool needs_root;
};
struct StatusAdvice {
  backends::MeasurementStatus status;
  std::string_view meaning;
  std::string_view fix;
};
// nullptr: there is nothing to do about it.
[[nodiscard]] const OutcomeAdvice* AdviceFor(probe::Outcome outcome);
[[nodiscard]] const OutcomeAdvice* AdviceFor(const probe::ProbeReport& probe);
[[nodiscard]] const OutcomeAdvice* AdviceFor(const probe::DriverReport& driver);
[[nodiscard]] const StatusAdvice* AdviceFor(const backends::Measurement& measurement);

// There was not enough memory to ask.
[[nodiscard]] bool IsOutOfMemoryError(const std::optional<probe::Error>& error);
// This tool itself did not let it be asked.
[[nodiscard]] bool IsRefusal(const std::optional<probe::Error>& error);

// Nothing for an empty value.
void AddEvidence(Finding& finding, std::string source, std::string value);
// What installs the runtime for any card that it reaches.
void AddInstallHints(const RuntimeFacts& facts, Finding& finding);
// The same for this very GPU, told by its kernel driver; false where the table has nothing for it. Where
// `host` has what a hint installs, the fix is to ask on the machine itself.
bool AddHintsFor(const probe::PhysicalDevice& device, const RuntimeFacts& facts, const Host& host,
                 Finding& finding);

void Advise(const OutcomeAdvice& advice, Finding& finding);
// Where the runtime's table (nullptr: there is none) knows the error, its words replace those. Whether it
// does.
bool AdviseOnError(const RuntimeFacts* facts, const std::optional<probe::Error>& error, Finding& finding);
// A measurement's reason names the vendor's error within a sentence.
bool AdviseOnReason(const RuntimeFacts* facts, const backends::Measurement& measurement, Finding& finding);

}  // namespace report::explain
