// SPDX-License-Identifier: MIT
// Why nothing is left to recommend.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"

namespace report::recommend {
namespace {

// As the caller wrote it, but for the size.
std::string AskedText(const Terms& terms) {
  std::vector<std::string> options;
  if (terms.target) options.push_back("--target " + terms.target->name);
  if (!terms.among.empty())
    options.push_back(fmt::format("{} {}", terms.can ? "--can" : "--among", fmt::join(terms.among, ",")));
  if (!terms.exclude.empty()) options.push_back(fmt::format("--exclude {}", fmt::join(terms.exclude, ",")));
  if (terms.min_memory_bytes)
    options.push_back(fmt::format("--min-memory {}", BytesText(*terms.min_memory_bytes)));
  return fmt::format("{}", fmt::join(options, " "));
}

bool IsOfSoftware(const Report& report, const Score& score) {
  const auto* device = FindDevice(report.devices, score.device_id);
  const auto* view = device ? FindView(*device, score.runtime, score.driver) : nullptr;
  return view && IsSoftware(*device, *view);
}

// Of those that the terms name: what works and does not do, the one with most memory first, and of those of
// which nobody knows it a GPU; else what does not work on hardware, and last what only software does not. Of
// a program's ways first one that it has a build for: what that lacks stands between the machine and an
// answer.
const Score* NearestOf(const Report& report, Use use) {
  const Score* nearest = nullptr;
  const auto is_gpu = [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    return device && IsGpu(*device);
  };
  const auto rank = [&](const Score& score) {
    const bool gpu = is_gpu(score);
    const auto omission = OmissionOf(report, score);
    const bool has_build = !omission || omission->can_be_mended;
    return std::tuple(score.eligible, !IsOfSoftware(report, score), has_build, report.terms.target && gpu,
                      MemoryOf(report, score), gpu);
  };
  for (const Score& score : report.scores) {
    const bool has_reason = !score.reasons.empty() || (score.eligible && OmissionOf(report, score));
    if (score.use == use && has_reason && IsNamed(report, score) &&
        (!nearest || rank(score) > rank(*nearest)))
      nearest = &score;
  }
  return nearest;
}

std::string WayReason(const Report& report, const Score& score) {
  const auto omission = OmissionOf(report, score);
  return fmt::format("{}: {}", WayText(report, score),
                     score.eligible && omission ? omission->reason : score.reasons.front().text);
}

// What became of one of the runtimes that the caller named.
std::string RuntimeReason(const Tables& tables, const Report& report, const std::string& runtime) {
  const auto probe = std::find_if(report.probes.begin(), report.probes.end(),
                                  [&](const auto& one) { return one.module == runtime; });
  if (probe == report.probes.end()) return NotAskedText(tables, runtime);
  if (probe->outcome != probe::Outcome::kOk) return OutcomeText(tables, *probe);
  const auto driver = std::find_if(probe->drivers.begin(), probe->drivers.end(), [](const auto& one) {
    return one.outcome != probe::Outcome::kOk && one.outcome != probe::Outcome::kNoDevice &&
           one.outcome != probe::Outcome::kAbsent;
  });
  if (driver != probe->drivers.end()) return OutcomeText(tables, runtime, *driver);
  return fmt::format("{} shows no device here that is left", Title(tables, runtime));
}

std::string NearestCause(const Tables& tables, const Report& report, Use use,
                         const std::vector<Rejected>& rejected) {
  const Score* way = NearestOf(report, use);
  if (way && (way->eligible || !IsOfSoftware(report, *way))) {
    // Of a program for GPUs alone, what hides those is nearer than that it has nothing for the processor.
    const auto* device = FindDevice(report.devices, way->device_id);
    const bool hides = report.terms.target && !report.hidden_gpus.empty() && device &&
                       device->kind == probe::DeviceKind::kCpu;
    return (hides ? report.hidden_gpus + "; " : "") + WayReason(report, *way);
  }
  const auto& among = report.terms.among;
  for (const std::string& runtime : among) {
    const auto is_it = [&](const auto& probe) {
      return probe.module == runtime && probe.outcome == probe::Outcome::kOk;
    };
    if (way && std::any_of(report.probes.begin(), report.probes.end(), is_it)) continue;
    return RuntimeReason(tables, report, runtime);
  }
  auto no_gpu = NoGpuReason(report, use, rejected);
  if (among.empty() && !no_gpu.text.empty()) return no_gpu;
  return way ? WayReason(report, *way) : OmittedReason(report, use);
}

}  // namespace

std::optional<NoAnswer> WhyNone(const Tables& tables, const Report& report, Use use) {
  if (IsCutShort(report) || !report.terms.narrow()) return std::nullopt;
  NoAnswer none;
  none.use = use;
  none.asked = AskedText(report.terms);
  none.rejected = RejectedOptions(tables, report, use, nullptr, {});
  none.reason = NearestCause(tables, report, use, none.rejected);
  for (const auto& text : UsableOthers(report)) none.reason += "; " + text;
  return none;
}

}  // namespace report::recommend
