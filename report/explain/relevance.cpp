// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

// Of the chosen GPU's speed, so much may become more than it with the right driver.
constexpr double kWorthMending = 0.5;

std::optional<probe::PciIds> IdsOf(const probe::PhysicalDevice& gpu) {
  if (gpu.hardware && gpu.hardware->identity.ids) return gpu.hardware->identity.ids;
  for (const probe::View& view : gpu.views) {
    if (view.device.identity.ids) return view.device.identity.ids;
  }
  return std::nullopt;
}

// Its memory's bytes/s by the data sheet: what decides how fast a model writes.
std::optional<double> SheetSpeed(const probe::PhysicalDevice& gpu) {
  const auto ids = IdsOf(gpu);
  if (!ids) return std::nullopt;
  const auto id = fmt::format("{:04x}:{:04x}", ids->vendor, ids->device);
  const auto& rows = EmbeddedPeaks().devices;
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const DevicePeak& known) { return known.id == id; });
  return row == rows.end() ? std::nullopt : row->memory;
}

// The fastest of its ways.
std::optional<double> MeasuredSpeed(const Report& report, const std::string& device_id, Use use) {
  std::optional<double> best;
  for (const Score& score : report.scores) {
    if (score.device_id != device_id || score.use != use || !score.eligible || !score.ranking_tokens_per_s)
      continue;
    best = std::max(best.value_or(0), score.ranking_tokens_per_s->value);
  }
  return best;
}

bool MayBeat(const Report& report, const probe::PhysicalDevice& gpu, const probe::PhysicalDevice& chosen,
             Use use) {
  if (chosen.id == gpu.id || PlainName(chosen.name) == PlainName(gpu.name)) return true;
  using probe::DeviceKind;
  const bool lesser_kind = gpu.kind == DeviceKind::kIntegrated && chosen.kind != DeviceKind::kIntegrated;
  if (lesser_kind) return false;
  if (gpu.kind != DeviceKind::kIntegrated && chosen.kind == DeviceKind::kIntegrated) return true;
  const auto compare = [](const auto& a, const auto& b) { return *a >= kWorthMending * *b; };
  const auto sheet = SheetSpeed(gpu), chosen_sheet = SheetSpeed(chosen);
  if (sheet && chosen_sheet) return compare(sheet, chosen_sheet);
  const auto measured = MeasuredSpeed(report, gpu.id, use), of_chosen = MeasuredSpeed(report, chosen.id, use);
  if (measured && of_chosen) return compare(measured, of_chosen);
  return gpu.memory.total_bytes && chosen.memory.total_bytes &&
         *gpu.memory.total_bytes >= *chosen.memory.total_bytes;
}

// What is wrong with a runtime for one maker's cards alone concerns them.
bool Concerns(const Tables& tables, const Finding& finding, const probe::PhysicalDevice& gpu) {
  if (finding.device_id) return IsAbout(finding, gpu.id);
  const auto* facts = finding.runtime ? Find(tables, *finding.runtime) : nullptr;
  const auto vendor = VendorOf(gpu);
  return facts && facts->vendor && vendor && IsOfVendor(*facts, *vendor);
}

// Whether the answer for that GPU (nullopt: for any) comes by a build that brings the runtime.
bool IsBrought(const Report& report, const std::string& runtime,
               const std::optional<std::string>& device_id) {
  const auto brings = [&](const Recommendation& answer) {
    return answer.backend == runtime && (!device_id || answer.device_id == *device_id) &&
           std::any_of(answer.reasons.begin(), answer.reasons.end(),
                       [](const Reason& reason) { return reason.id == ReasonId::kRuntimeBrought; });
  };
  const auto& answers = report.recommendations;
  const auto is_other = [&](const Recommendation& answer) {
    return !brings(answer) && device_id && answer.device_id == *device_id;
  };
  return std::any_of(answers.begin(), answers.end(), brings) &&
         std::none_of(answers.begin(), answers.end(), is_other);
}

}  // namespace

void SpareWhatIsBrought(const Report& report, std::vector<Finding>& findings) {
  for (const probe::ProbeReport& probe : report.probes) {
    if (probe.outcome != probe::Outcome::kAbsent) continue;
    for (Finding& finding : findings) {
      if (finding.runtime != probe.module || !IsBrought(report, probe.module, finding.device_id)) continue;
      finding.fix.clear();
      finding.severity = Severity::kNote;
    }
  }
}

bool MayChangeAnswer(const Report& report, const probe::PhysicalDevice& gpu) {
  if (report.recommendations.empty()) return true;
  return std::any_of(report.recommendations.begin(), report.recommendations.end(), [&](const auto& answer) {
    const auto* chosen = FindDevice(report.devices, answer.device_id);
    return !chosen || !IsGpu(*chosen) || MayBeat(report, gpu, *chosen, answer.use);
  });
}

void SetAsideWhatChangesNothing(const Tables& tables, const Report& report, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (finding.id.starts_with("claim.")) continue;
    bool any = false;
    bool changes = false;
    for (const auto& device : report.devices) {
      if (!IsGpu(device) || !Concerns(tables, finding, device)) continue;
      any = true;
      changes = changes || MayChangeAnswer(report, device);
    }
    if (!any || changes) continue;
    finding.changes_answer = false;
    finding.severity = Severity::kNote;
  }
}

}  // namespace report::explain
