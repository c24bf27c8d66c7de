// SPDX-License-Identifier: MIT
#include "report/render/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace report::render {
namespace {

constexpr std::size_t kMost = 64;
constexpr std::size_t kMostMeasurements = 4096;

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

}  // namespace

Report Bounded(const Report& report) {
  const auto ids = ShownIds(report);
  const auto shown = [&](const std::optional<std::string>& id) { return !id || ids.contains(*id); };
  Report out;
  out.other_gpus = report.other_gpus;
  out.not_asked = report.not_asked;
  out.schema_version = report.schema_version;
  out.tool_version = report.tool_version;
  out.command = report.command;
  out.created = report.created;
  out.interrupted = report.interrupted;
  out.host = report.host;
  out.request = report.request;
  out.recommendations = report.recommendations;
  out.warnings = report.warnings;
  for (const probe::ProbeReport& probe : report.probes) {
    // The devices that a probe holds are told of as the report's own.
    probe::ProbeReport& kept = out.probes.emplace_back();
    kept.module = probe.module;
    kept.outcome = probe.outcome;
    kept.stage = probe.stage;
    kept.error = probe.error;
    kept.library = probe.library;
    kept.drivers = probe.drivers;
    kept.environment = probe.environment;
    kept.warnings = probe.warnings;
    kept.elapsed_s = probe.elapsed_s;
    kept.exit = probe.exit;
    kept.stderr_tail = probe.stderr_tail;
    Cut(kept.environment);
    Cut(kept.warnings);
    Cut(kept.drivers);
  }
  const auto keep = [](const auto& all, auto& into, std::size_t most, const auto& wanted) {
    for (const auto& one : all) {
      if (into.size() < most && wanted(one)) into.push_back(one);
    }
  };
  keep(report.devices, out.devices, kMost, [&](const auto& device) { return shown(device.id); });
  for (auto& device : out.devices) CutDevice(device);
  const auto of_shown = [&](const auto& one) { return shown(one.device_id); };
  keep(report.measurements, out.measurements, kMostMeasurements, of_shown);
  keep(report.scores, out.scores, kMostMeasurements, of_shown);
  keep(report.findings, out.findings, kMost, of_shown);
  for (Recommendation& answer : out.recommendations) {
    std::erase_if(answer.rejected, [&](const Rejected& option) { return !shown(option.device_id); });
    Cut(answer.rejected);
    Cut(answer.tie);
    Cut(answer.reasons);
    Cut(answer.warnings);
  }
  Cut(out.warnings);
  if (out.devices.size() < report.devices.size()) {
    out.warnings.push_back(fmt::format("{} of {} devices are shown: --json has all, --device shows one",
                                       out.devices.size(), report.devices.size()));
  }
  return out;
}

}  // namespace report::render
