// SPDX-License-Identifier: MIT
#include "report/decide/decide.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/advise/advise.h"
#include "report/core/devices.h"
#include "report/decide/answers.h"
#include "report/explain/explain.h"
#include "report/peaks/peaks.h"

namespace report {
namespace {

// The option, of this run or of the recorded one, that leaves runtimes out.
std::string WhatLeavesOut(const RunRequest& request, const Record& record) {
  const auto here = request.LeavesOut();
  const auto by = here ? here : record.left_out;
  if (!by) return "no runtime was asked that could reach them";
  switch (*by) {
    case LeftOutBy::kSysroot:
      return "--sysroot reads files only";
    case LeftOutBy::kOnly:
      return "--only leaves their runtimes out";
    case LeftOutBy::kSkip:
      return "--skip leaves their runtimes out";
  }
  return "";
}

// Whether the runtime reaches GPUs, and those of this maker, by itself.
bool CanReach(const RuntimeFacts& facts, const probe::PhysicalDevice& gpu) {
  const auto vendor = VendorOf(gpu);
  return facts.name != kProcessorRuntime && !facts.stands_on &&
         (!facts.vendor || !vendor || IsOfVendor(facts, *vendor));
}

bool LeavesOutOne(const RunRequest& request, const Tables& tables, const Record& record,
                  const probe::PhysicalDevice& gpu) {
  const auto left_out = [&](const std::string& runtime) {
    return !request.Asks(runtime) ||
           (record.left_out && std::none_of(record.probes.begin(), record.probes.end(),
                                            [&](const auto& probe) { return probe.module == runtime; }));
  };
  return std::any_of(tables.runtimes.begin(), tables.runtimes.end(),
                     [&](const RuntimeFacts& facts) { return CanReach(facts, gpu) && left_out(facts.name); });
}

// That a runtime for all makers' cards is not installed, or shows no such card, tells nothing of one that
// others might reach.
bool IsNotAsked(const RunRequest& request, const Tables& tables, const Record& record,
                const probe::PhysicalDevice& device) {
  if (!IsGpu(device) || !device.views.empty()) return false;
  const bool leaves_out = LeavesOutOne(request, tables, record, device);
  return std::none_of(record.probes.begin(), record.probes.end(), [&](const auto& probe) {
    const auto* facts = Find(tables, probe.module);
    const bool had_trouble =
        probe.outcome == probe::Outcome::kCrashed || probe.outcome == probe::Outcome::kFailed ||
        probe.outcome == probe::Outcome::kTimedOut || probe.outcome == probe::Outcome::kDenied;
    return facts != nullptr && CanReach(*facts, device) && (facts->vendor || had_trouble || !leaves_out);
  });
}

NotAsked FindNotAsked(const RunRequest& request, const Tables& tables, const Record& record,
                      const std::vector<probe::PhysicalDevice>& devices) {
  NotAsked found;
  for (const probe::PhysicalDevice& device : devices) {
    if (IsNotAsked(request, tables, record, device)) found.device_ids.insert(device.id);
  }
  if (!found.device_ids.empty()) found.because = WhatLeavesOut(request, record);
  return found;
}

OtherGpus KnownOf(const RunRequest& request, const Tables& tables, const Record& record,
                  const std::vector<probe::PhysicalDevice>& gpus) {
  if (gpus.empty()) return OtherGpus::kNone;
  return std::any_of(
             gpus.begin(), gpus.end(),
             [&](const auto& gpu) { return !gpu.views.empty() || IsNotAsked(request, tables, record, gpu); })
             ? OtherGpus::kUnknown
             : OtherGpus::kUnusable;
}

// In the words of the first runtime that a maker has for its own cards: there are such, and none is shown.
std::string WhatHidesGpus(const Tables& tables, const Record& record) {
  for (const probe::ProbeReport& probe : record.probes) {
    const auto* facts = probe.outcome == probe::Outcome::kHidden ? Find(tables, probe.module) : nullptr;
    if (facts && facts->vendor && !facts->stands_on && probe.error) return probe.error->text;
  }
  return "";
}

// Whether its drivers have numbers of their own, by which a table tells what they know.
bool CountsDrivers(const TargetFacts& target) {
  return target.drivers && std::any_of(target.drivers->begin(), target.drivers->end(),
                                       [](const auto& row) { return row.first || row.below; });
}

// Of a runtime that is its own driver, which no table counts apart from it: where the driver told no version
// of the interface, the release of the library is it ("6.2.4" of "6.2.4-147").
void TellInterfaces(const Tables& tables, const std::vector<probe::ProbeReport>& probes,
                    std::vector<probe::PhysicalDevice>& devices) {
  const auto release = [&](const probe::RuntimeDevice& device) -> std::optional<std::string> {
    const auto* facts = Find(tables, device.runtime);
    const auto probe = std::find_if(probes.begin(), probes.end(),
                                    [&](const auto& one) { return one.module == device.runtime; });
    const bool is_counted = !facts || !facts->vendor || !facts->target || CountsDrivers(*facts->target);
    if (is_counted || probe == probes.end() || !probe->library || !device.driver_version ||
        probe->library->version != device.driver_version)
      return std::nullopt;
    auto version = device.driver_version->substr(0, device.driver_version->find_first_not_of("0123456789."));
    return version.empty() ? std::nullopt : std::optional(std::move(version));
  };
  for (probe::PhysicalDevice& device : devices) {
    for (probe::View& view : device.views) {
      if (!view.device.api_version) view.device.api_version = release(view.device);
    }
  }
}

}  // namespace

Report Decide(const RunRequest& request, const Tables& tables, const Record& record, Asked asked,
              Basis measured) {
  Report report;
  report.tool_version = record.tool_version;
  report.command = request.command;
  report.created = record.created;
  report.interrupted = record.interrupted;
  report.host = record.host;
  report.probes = record.probes;
  report.devices = std::move(asked.devices);
  TellInterfaces(tables, record.probes, report.devices);
  report.other_gpus = KnownOf(request, tables, record, asked.other_gpus);
  report.hidden_gpus = WhatHidesGpus(tables, record);
  report.warnings = record.warnings;
  report.not_asked = FindNotAsked(request, tables, record, report.devices);
  std::set<std::string_view> shown;
  for (const probe::PhysicalDevice& device : report.devices) shown.insert(device.id);
  for (const backends::Measurement& measurement : record.measurements) {
    if (!shown.contains(measurement.device_id)) continue;
    report.measurements.push_back(measurement);
    report.measurements.back().share_of_peak.reset();  // it is told by the tables of this build
  }
  TellDriversApart(report.devices, report.measurements);
  // What was not measured is not judged: a list does without the table.
  if (!report.measurements.empty()) {
    peaks::Judge(EmbeddedPeaks(), report.devices, report.measurements);
    report.doubts = peaks::DoubtedClaims(EmbeddedPeaks(), report);
    for (Doubt& doubt : peaks::DoubtedRates(EmbeddedPeaks(), report))
      report.doubts.push_back(std::move(doubt));
  }
  report.terms = request.terms;
  if (!request.terms.exclude.empty()) report.terms.excluded_ids = std::move(asked.excluded);
  report.terms.proof = report.terms.can && record.calibrated;
  const bool all_asked = !request.LeavesOut() && !record.left_out;
  const Deciding deciding{tables, record, measured, all_asked, !request.assume.empty(), request.for_an_image};
  Supposed supposed;
  if (!request.uses.empty()) {
    supposed = Answer(deciding, request.uses, report);
    if (report.command == kWholeReport) {
      for (Recommendation& answer : report.recommendations)
        answer.programs = ProgramsFor(deciding, report, answer);
    }
  }
  explain::Explain(tables, report);
  advise::Advise(report);
  AddViews(supposed.ways, report.devices);
  std::move(supposed.scores.begin(), supposed.scores.end(), std::back_inserter(report.scores));
  return report;
}

}  // namespace report
