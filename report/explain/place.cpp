// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

using Words = std::vector<std::string>;

bool IsOneOf(const Words& beginnings, std::string_view path) {
  const auto file = path.substr(path.rfind('/') + 1);
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& one) { return file.starts_with(one); });
}

bool Works(const Report& report, const std::string& runtime) {
  return std::any_of(report.probes.begin(), report.probes.end(), [&](const probe::ProbeReport& probe) {
    return probe.module == runtime && probe.outcome == probe::Outcome::kOk && !probe.devices.empty();
  });
}

bool HasAny(std::string_view list, const Words& words) {
  while (!list.empty()) {
    const auto word = probe::Trim(probe::TakeUpTo(list, ','), " \t");
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
  }
  return false;
}

// Set, as any of the probes saw it, and to none of those words.
bool IsSetWithout(const Report& report, const std::string& variable, const Words& words) {
  for (const auto& probe : report.probes) {
    for (const auto& set : probe.environment) {
      if (set.name == variable) return !HasAny(set.value, words);
    }
  }
  return false;
}

}  // namespace

bool Fits(const ErrorPlace& place, const Report& report, const probe::DriverReport& driver) {
  if (place.libraries && !(driver.library && IsOneOf(*place.libraries, *driver.library))) return false;
  if (place.beside && !Works(report, *place.beside)) return false;
  if (place.container && *place.container != report.host.container.has_value()) return false;
  return !place.variable || IsSetWithout(report, *place.variable, place.without.value_or(Words()));
}

}  // namespace report::explain
