// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/compare/compare.h"
#include "report/core/devices.h"
#include "report/core/wording.h"

namespace report::compare {
namespace {

using backends::Measurement;

// Whether a runtime or its driver went wrong when it was asked, and not this program or its run.
template <class T>
bool WentWrong(const T& asked) {
  using probe::OwnError;
  switch (asked.outcome) {
    case probe::Outcome::kFailed:
    case probe::Outcome::kCrashed:
    case probe::Outcome::kTimedOut:
    case probe::Outcome::kBadReply:
      break;
    case probe::Outcome::kOk:
    case probe::Outcome::kAbsent:
    case probe::Outcome::kNoDevice:
    case probe::Outcome::kDenied:
    case probe::Outcome::kHidden:
      return false;
  }
  constexpr std::array kUnheard = {OwnError::kInterrupted, OwnError::kNotStarted, OwnError::kLeftOut,
                                   OwnError::kOnlyAlone, OwnError::kOutOfMemory};
  return !asked.error || std::none_of(kUnheard.begin(), kUnheard.end(),
                                      [&](OwnError error) { return asked.error->Is(error); });
}

// By the manifest where both are known by one: what crashed may have no name any more.
bool AreOneDriver(const probe::DriverReport& one, const probe::DriverReport& two) {
  if (one.manifest && two.manifest) return one.manifest == two.manifest;
  return one.name && two.name ? one.name == two.name : one.manifest == two.manifest;
}

// The driver of a figure, as far as the figure or what was asked for it tells.
probe::DriverReport DriverOf(const Measurement& figure, const probe::ProbeReport* asked) {
  probe::DriverReport driver;
  driver.name = figure.driver;
  driver.manifest = figure.manifest;
  if (driver.manifest || !asked) return driver;
  const auto found = std::find_if(asked->drivers.begin(), asked->drivers.end(),
                                  [&](const auto& known) { return known.name == driver.name; });
  return found == asked->drivers.end() ? driver : *found;
}

// The driver that went wrong in `now` and was well before. Where none is the figure's for sure, any that
// newly goes wrong may be, but for one that has another manifest. A name proves nothing: a part of the
// figure's may be asked by one of its own.
const probe::DriverReport* NewlyWrongDriver(const Measurement& figure, const probe::ProbeReport* before,
                                            const probe::ProbeReport& now) {
  const auto was_wrong = [&](const probe::DriverReport& driver) {
    return before && std::any_of(before->drivers.begin(), before->drivers.end(), [&](const auto& known) {
             return AreOneDriver(known, driver) && WentWrong(known);
           });
  };
  const auto newly = [&](const probe::DriverReport& driver) {
    return WentWrong(driver) && !was_wrong(driver);
  };
  const auto figures = DriverOf(figure, before);
  const auto is_figures = [&](const probe::DriverReport& driver) {
    return driver.name == figures.name || (driver.manifest && driver.manifest == figures.manifest);
  };
  const auto may_be_figures = [&](const probe::DriverReport& driver) {
    return !(driver.manifest && figures.manifest) && newly(driver);
  };
  const auto& drivers = now.drivers;
  const auto own = std::find_if(drivers.begin(), drivers.end(), is_figures);
  if (own != drivers.end()) return newly(*own) ? &*own : nullptr;
  const auto any = std::find_if(drivers.begin(), drivers.end(), may_be_figures);
  return any == drivers.end() ? nullptr : &*any;
}

template <class T>
std::string WrongText(const std::string& name, const T& asked) {
  std::string text(probe::Row(asked.outcome).sentence);
  text.replace(text.find("{}"), 2, name);
  return asked.error ? fmt::format("{} ({})", text, probe::Describe(*asked.error)) : text;
}

}  // namespace

std::optional<std::string> NewlyWrongText(const Measurement& figure, const probe::ProbeReport* before,
                                          const probe::ProbeReport& now) {
  if (const auto* driver = NewlyWrongDriver(figure, before, now))
    return WrongText(fmt::format("{}'s driver {}", figure.runtime, DriverName(*driver)), *driver);
  if (!now.drivers.empty() || !WentWrong(now) || (before && WentWrong(*before))) return std::nullopt;
  return WrongText(figure.runtime, now);
}

}  // namespace report::compare
