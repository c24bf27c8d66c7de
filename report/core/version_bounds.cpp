// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <optional>

#include "probe/core/parse.h"
#include "report/core/architecture.h"
#include "report/core/target_check.h"

namespace report {
namespace {

struct Bound {
  std::string_view version;
  bool included = true;
};

struct Sign {
  std::string_view text;
  bool below;  // bounds from below
  bool above;
  bool included;
};
// The longer first. "!=" and "~=" bound nothing, or by a part of the version.
constexpr std::array kSigns = {Sign{"==", true, true, true},  Sign{"!=", false, false, true},
                               Sign{"~=", true, false, true}, Sign{">=", true, false, true},
                               Sign{"<=", false, true, true}, Sign{">", true, false, false},
                               Sign{"<", false, true, false}};

bool IsPlain(std::string_view version) {
  return !version.empty() && version.find_first_not_of("0123456789.") == std::string_view::npos;
}

// The one of both that leaves less; `sign`: 1 of bounds from below, -1 from above.
void Narrow(std::optional<Bound>& known, const Bound& bound, int sign) {
  const auto order = known ? CompareVersions(bound.version, known->version) : std::strong_ordering::equal;
  const bool is_narrower = sign > 0 ? order > 0 : order < 0;
  if (!known || is_narrower || (order == 0 && !bound.included)) known = bound;
}

}  // namespace

bool AreContradictory(std::string_view bounds) {
  std::optional<Bound> least;
  std::optional<Bound> most;
  bounds.remove_prefix(std::min(bounds.find_first_of("<>=!~"), bounds.size()));
  while (!bounds.empty()) {
    auto clause = probe::TakeUpTo(bounds, ',');
    const auto sign = std::find_if(kSigns.begin(), kSigns.end(),
                                   [&](const Sign& one) { return clause.starts_with(one.text); });
    if (sign == kSigns.end()) continue;
    clause.remove_prefix(sign->text.size());
    if (!IsPlain(clause)) continue;
    if (sign->below) Narrow(least, {clause, sign->included}, 1);
    if (sign->above) Narrow(most, {clause, sign->included}, -1);
  }
  if (!least || !most) return false;
  const auto order = CompareVersions(least->version, most->version);
  return order > 0 || (order == 0 && !(least->included && most->included));
}

}  // namespace report
