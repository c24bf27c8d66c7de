// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "probe/core/names.h"
#include "probe/core/ready.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

// Those who wait less are not told: other programs and a cold cache cost as much.
constexpr double kSlowSeconds = 2.0;
// By which the tables of runtimes know what mends it.
constexpr const char* kNotKeptReady = "not_kept_ready";

std::vector<std::string> NotKeptReady(const Report& report, const std::string& runtime) {
  std::vector<std::string> ids;
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      const auto* kept = probe::FindFact(view.device.facts, probe::kKeptReadyFact);
      if (view.device.runtime != runtime || kept == nullptr || *kept != "no") continue;
      ids.push_back(device.id);
      break;
    }
  }
  return ids;
}

}  // namespace

void AddSlowStarts(const Tables& tables, const Report& report, std::vector<Finding>& out) {
  for (const probe::ProbeReport& probe : report.probes) {
    if (probe.outcome != probe::Outcome::kOk || probe.elapsed_s.value_or(0) < kSlowSeconds) continue;
    auto ids = NotKeptReady(report, probe.module);
    if (ids.empty()) continue;
    Finding finding;
    finding.id = "slow_start." + probe.module;
    finding.layer = "kernel_driver";
    finding.severity = Severity::kNote;
    finding.runtime = probe.module;
    finding.device_id = ids.front();
    finding.summary = fmt::format(
        "{} took {} to get ready, and every program waits so long: nothing keeps {} ready",
        Title(tables, probe.module), SecondsText(*probe.elapsed_s), ids.size() == 1 ? "its GPU" : "its GPUs");
    if (!AdviseOnError(Find(tables, probe.module), probe::Error{"", std::nullopt, kNotKeptReady, {}},
                       finding))
      continue;
    AddEvidence(finding, std::string(probe::kKeptReadyFact), "no");
    if (ids.size() > 1) finding.device_ids = std::move(ids);
    out.push_back(std::move(finding));
  }
}

}  // namespace report::explain
