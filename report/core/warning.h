// SPDX-License-Identifier: MIT
// A sentence of warning that also says, to code, what it warns of. JSON holds the sentence alone: what it is
// of is recognised when a record is read, by the words that it was made of, and nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/codec.h"

namespace report {

enum class WarningKind {
  kOther,
  kLimit,       // of this process or its group, so low that a driver that is well may fail of it
  kNotMounted,  // a folder of the system's
  kLeftOut,     // a step of which earlier runs never saw the end
  // Of an answer: no JSON that is read again tells them.
  kNothingFits,   // the memory of nothing here holds the work
  kMemoryUntold,  // nobody says how much memory there is that has to hold the work, or a part of it
  kHeldByOther,   // it does not hold the work as it is: what does is not for this caller, or is several
                  // together, or the device itself once others leave its memory
  kUnseenHere,    // the answer is by a way that this tool did not see work
  kEstimated,     // its rates are estimated from facts
  kFailsBeside,   // programs see another device by the answer's runtime, which failed here
};

struct Warning {
  Warning() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most warn of what no code asks for
  Warning(std::string sentence) : text(std::move(sentence)) {}
  Warning(WarningKind its_kind, std::string its_subject, std::string sentence)
      : kind(its_kind), subject(std::move(its_subject)), text(std::move(sentence)) {}

  WarningKind kind = WarningKind::kOther;
  std::string subject;  // "the limit on open files (ulimit -n)", "/sys", the sentence that says what and why
  std::string text;

  // NOLINTNEXTLINE(google-explicit-constructor): it stands where its sentence does
  operator const std::string&() const { return text; }
  bool operator==(std::string_view sentence) const { return text == sentence; }
  bool operator==(const Warning& other) const { return text == other.text; }
};

// That nothing below this folder ("/sys") can be seen.
[[nodiscard]] Warning NotMountedWarning(const std::string& folder);
[[nodiscard]] Warning LeftOutWarning(const std::string& sentence);

// The subjects of those of a kind.
[[nodiscard]] std::vector<std::string> SubjectsOf(const std::vector<Warning>& warnings, WarningKind kind);
[[nodiscard]] bool HasAny(const std::vector<Warning>& warnings, WarningKind kind);

}  // namespace report

template <>
struct probe::Codec<report::Warning> {
  static constexpr bool kOptional = false;
  static Json Encode(const report::Warning& warning) { return warning.text; }
  static detail::MaybeError Decode(const Json& json, const std::string& path, report::Warning& warning);
};
