// SPDX-License-Identifier: MIT
#include "report/render/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace report::render {
namespace {

constexpr std::size_t kMost = 64;
constexpr std::size_t kMostMeasurements = 4096;
constexpr std::size_t kMostWarnings = 16;

template <class T>
void Cut(std::vector<T>& list, std::size_t most = kMost) {
  if (list.size() > most) list.erase(list.begin() + static_cast<std::ptrdiff_t>(most), list.end());
}

// Those whose part in the answer is greatest.
std::set<std::string> ShownIds(const Report& report) {
  std::set<std::string> ids;
  for (const Recommendation& answer : report.recommendations) ids.insert(answer.device_id);
  std::vector<std::pair<double, const std::string*>> ranked;
  for (const Score& score : report.scores) {
    if (score.use == Use::kInference && score.eligible && score.tokens_per_s)
      ranked.emplace_back(-score.tokens_per_s->value, &score.device_id);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [speed, id] : ranked) {
    if (ids.size() < kMost) ids.insert(*id);
  }
  for (const probe::PhysicalDevice& device : report.devices) {
    if (ids.size() < kMost) ids.insert(device.id);
  }
  return ids;
}

void CutDevice(probe::PhysicalDevice& device) {
  Cut(device.views);
  Cut(device.conflicts);
  if (device.hardware) Cut(device.hardware->facts);
  for (probe::View& view : device.views) Cut(view.device.facts);
}

// Their places, each text once: of a record there may be any number.
std::vector<std::size_t> Different(const std::vector<Warning>& warnings) {
  std::set<std::string_view> texts;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    if (texts.insert(warnings[i].text).second) places.push_back(i);
  }
  return places;
}

}  // namespace

std::vector<Warning> ToldWarnings(const std::vector<Warning>& warnings) {
  auto places = Different(warnings);
  Cut(places, kMostWarnings);
  std::vector<Warning> told;
  for (const std::size_t place : places) told.push_back(warnings[place]);
  if (const auto more = UntoldWarnings(warnings); more > 0)
    told.emplace_back(fmt::format("{} more warning{}: --json has all", more, more == 1 ? "" : "s"));
  return told;
}

std::size_t UntoldWarnings(const std::vector<Warning>& warnings) {
  const std::size_t all = Different(warnings).size();
  return all - std::min(all, kMostWarnings);
}

Report Bounded(const Report& report) {
  const auto ids = ShownIds(report);
  const auto is_cut = [&](const std::optional<std::string>& id) { return id && !ids.contains(*id); };
  const auto of_cut = [&](const auto& one) { return is_cut(one.device_id); };
  Report out = report;
  for (probe::ProbeReport& probe : out.probes) {
    // The devices that a probe holds are told of as the report's own.
    probe.devices.clear();
    probe.hardware.clear();
    Cut(probe.environment);
    Cut(probe.warnings);
    Cut(probe.drivers);
  }
  std::erase_if(out.devices, [&](const auto& device) { return is_cut(device.id); });
  std::erase_if(out.measurements, of_cut);
  std::erase_if(out.scores, of_cut);
  std::erase_if(out.findings, [&](const Finding& finding) {
    if (!finding.device_ids) return of_cut(finding);
    return std::all_of(finding.device_ids->begin(), finding.device_ids->end(), is_cut);
  });
  Cut(out.devices);
  Cut(out.measurements, kMostMeasurements);
  Cut(out.scores, kMostMeasurements);
  Cut(out.findings);
  Cut(out.advice);
  for (auto& device : out.devices) CutDevice(device);
  for (Recommendation& answer : out.recommendations) {
    std::erase_if(answer.rejected, of_cut);
    Cut(answer.rejected);
    Cut(answer.tie);
    Cut(answer.reasons);
    Cut(answer.warnings);
  }
  if (out.no_answer) {
    std::erase_if(out.no_answer->rejected, of_cut);
    Cut(out.no_answer->rejected);
  }
  out.warnings = ToldWarnings(report.warnings);
  if (out.devices.size() < report.devices.size()) {
    out.warnings.push_back(fmt::format("{} of {} devices are shown: --json has all, --device shows one",
                                       out.devices.size(), report.devices.size()));
  }
  return out;
}

}  // namespace report::render
