// SPDX-License-Identifier: MIT
#include "report/assume/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "probe/core/parse.h"

namespace report::assume {
namespace {

// Generation, minor version, step.
using Place = std::array<std::uint32_t, 3>;

// "gfx90a" is 9, 0, 10: the last two are one hexadecimal digit each. Of a release two numbers count.
std::optional<Place> PlaceOf(const TargetFacts& target, std::string_view architecture) {
  if (target.form != TargetForm::kWord) {
    const auto major = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(architecture, '.'), 10);
    const auto minor = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(architecture, '.'), 10);
    return major ? std::optional(Place{*major, minor.value_or(0), 0}) : std::nullopt;
  }
  if (!architecture.starts_with(target.prefix)) return std::nullopt;
  architecture.remove_prefix(target.prefix.size());
  if (architecture.size() < 3) return std::nullopt;
  const auto last = architecture.size() - 1;
  const auto major = probe::ParseNumber<std::uint32_t>(architecture.substr(0, last - 1), 10);
  const auto minor = probe::ParseNumber<std::uint32_t>(architecture.substr(last - 1, 1), 16);
  const auto step = probe::ParseNumber<std::uint32_t>(architecture.substr(last), 16);
  if (!major || !minor || !step) return std::nullopt;
  return Place{*major, *minor, *step};
}

constexpr std::uint32_t kTimesAhead = 2;  // generations beyond twice the newest are a slip of the finger

}  // namespace

Standing StandingOf(const TargetFacts& target, std::string_view architecture) {
  if (!target.known || target.known->empty()) return {};
  const auto place = PlaceOf(target, architecture);
  if (!place) return {false, fmt::format("the newest that is known is {}", target.known->back())};
  std::optional<std::pair<Place, std::string_view>> below;
  std::optional<std::pair<Place, std::string_view>> above;
  for (const std::string& known : *target.known) {
    const auto at = PlaceOf(target, known);
    if (!at) continue;
    if (*at == *place) return {};
    if (*at < *place && (!below || below->first < *at)) below = {*at, known};
    if (*at > *place && (!above || above->first > *at)) above = {*at, known};
  }
  if (!below) return {false, fmt::format("the oldest that is known is {}", target.known->front())};
  if (above) return {false, fmt::format("none was made between {} and {}", below->second, above->second)};
  if ((*place)[0] > kTimesAhead * below->first[0])
    return {false, fmt::format("the newest that is known is {}", below->second)};
  return {true, ""};
}

}  // namespace report::assume
