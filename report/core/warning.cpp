// SPDX-License-Identifier: MIT
#include "report/core/warning.h"

#include <algorithm>

namespace report {
namespace {

constexpr std::string_view kOwnLimit = "the limit on ";
constexpr std::string_view kGroupLimit = "the control group's limit on ";
constexpr std::string_view kIs = " is ";
constexpr std::string_view kNotMounted = " is not mounted: much of the machine cannot be seen";
constexpr std::string_view kLeftOut = "left out: ";

Warning Recognised(std::string text) {
  if (text.ends_with(kNotMounted)) return NotMountedWarning(text.substr(0, text.size() - kNotMounted.size()));
  if (text.starts_with(kLeftOut)) return LeftOutWarning(text.substr(kLeftOut.size()));
  if (text.starts_with(kOwnLimit) || text.starts_with(kGroupLimit))
    return {WarningKind::kLimit, text.substr(0, text.find(kIs)), text};
  return text;
}

}  // namespace

Warning NotMountedWarning(const std::string& folder) {
  return {WarningKind::kNotMounted, folder, std::string(folder).append(kNotMounted)};
}

Warning LeftOutWarning(const std::string& sentence) {
  return {WarningKind::kLeftOut, sentence, std::string(kLeftOut).append(sentence)};
}

std::vector<std::string> SubjectsOf(const std::vector<Warning>& warnings, WarningKind kind) {
  std::vector<std::string> subjects;
  for (const Warning& warning : warnings) {
    if (warning.kind == kind) subjects.push_back(warning.subject);
  }
  return subjects;
}

bool HasAny(const std::vector<Warning>& warnings, WarningKind kind) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const Warning& one) { return one.kind == kind; });
}

}  // namespace report

probe::detail::MaybeError probe::Codec<report::Warning>::Decode(const Json& json, const std::string& path,
                                                                report::Warning& warning) {
  std::string text;
  auto error = Codec<std::string>::Decode(json, path, text);
  warning = report::Recognised(std::move(text));
  return error;
}
