// SPDX-License-Identifier: MIT
#include "report/run/openings.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/core/quantity.h"

namespace report {
namespace {

double MostSeconds(Effort effort) {
  switch (effort) {
    case Effort::kQuick:
      return kMostOpeningSeconds / 2;
    case Effort::kNormal:
      return kMostOpeningSeconds;
    case Effort::kThorough:
      return kMostOpeningSeconds * 5;
  }
  return kMostOpeningSeconds;
}

double Counted(double opening_s) { return std::max(0.0, opening_s - kUncountedOpeningSeconds); }

// What a figure or an answer can do without: it is known of an equal, or measured already.
bool IsMore(const Target& target) {
  return target.scope == backends::Scope::kBrief || target.scope == backends::Scope::kAgain ||
         !target.peers.empty();
}

bool IsBy(const Target& target, const std::string& runtime, const std::string& driver) {
  return target.device.runtime == runtime && target.device.driver == driver;
}

}  // namespace

Openings::Openings(Effort effort, const std::vector<probe::ProbeReport>& probes)
    : most_s_(MostSeconds(effort)) {
  for (const auto& probe : probes) {
    if (probe.elapsed_s) found_.push_back({probe.module, "", *probe.elapsed_s});
  }
}

void Openings::Note(const Target& target, double seconds) {
  spent_s_ += Counted(seconds);
  if (!IsMore(target)) spent_on_plans_s_ += Counted(seconds);
  const auto way = std::find_if(ways_.begin(), ways_.end(),
                                [&](const Way& known) { return IsBy(target, known.runtime, known.driver); });
  if (way == ways_.end()) {
    ways_.push_back({target.device.runtime, target.device.driver, seconds});
  } else {
    way->latest_s = seconds;
  }
}

double Openings::MostFor(const Target& target) const {
  return IsMore(target) ? most_s_ : kMostFirstOpeningSeconds;
}

double Openings::SpentOn(const Target& target) const { return IsMore(target) ? spent_s_ : spent_on_plans_s_; }

double Openings::Expected(const Target& target) const {
  double expected_s = 0;
  for (const Way& known : ways_) {
    if (IsBy(target, known.runtime, known.driver)) expected_s = known.latest_s;
  }
  for (const Way& found : found_) {
    if (found.runtime == target.device.runtime) expected_s = std::min(expected_s, found.latest_s);
  }
  return expected_s;
}

std::optional<std::string> Openings::WhyNot(const Target& target, std::span<const Target> rest) const {
  const double expected_s = Expected(target);
  if (Counted(expected_s) == 0) return std::nullopt;
  const bool leaves_room = target.scope == backends::Scope::kBrief &&
                           std::any_of(rest.begin(), rest.end(), [&](const Target& other) {
                             return !other.peers.empty() && other.device.runtime == target.device.runtime;
                           });
  const double most_s = MostFor(target);
  if (SpentOn(target) + Counted(expected_s) * (leaves_room ? 2 : 1) <= most_s) return std::nullopt;
  return fmt::format(
      "left out: each process waits {} s for the driver to get ready, and a run waits longer than {} s for "
      "that for the first alone",
      SignificantText(expected_s, 2), SignificantText(most_s, 2));
}

bool Openings::MayOpenAgain(std::span<const Target> targets) const {
  double all_s = 0;
  for (const Target& target : targets) all_s += Counted(Expected(target));
  return std::all_of(targets.begin(), targets.end(), [&](const Target& target) {
    return Counted(Expected(target)) == 0 || SpentOn(target) + all_s <= MostFor(target);
  });
}

}  // namespace report
