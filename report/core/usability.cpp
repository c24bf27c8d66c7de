// SPDX-License-Identifier: MIT
// What is known of a way's use: by kernels that were right there, that failed, or that never ran.
#include <algorithm>

#include "report/core/devices.h"
#include "report/core/wording.h"

namespace report {
namespace {

bool IsOfWay(const backends::Measurement& m, const probe::PhysicalDevice& device, const probe::View* view) {
  return m.device_id == device.id &&
         (!view || (m.runtime == view->device.runtime && m.driver == view->device.driver)) &&
         HasImplementations(m.kernel);
}

// It was not to be tried at all, after a crash or as its equals hung.
bool IsRefused(const backends::Measurement& m) {
  return m.status == backends::MeasurementStatus::kSkipped && m.implementation.empty();
}

}  // namespace

std::optional<std::string> WhyUntried(const Report& report, const probe::PhysicalDevice& device,
                                      const probe::View* view) {
  const backends::Measurement* why = nullptr;
  for (const backends::Measurement& m : report.measurements) {
    if (!IsOfWay(m, device, view)) continue;
    if (IsVerified(m) || IsTrouble(m) || IsRefused(m)) return std::nullopt;
    // Where there is no room, more time is no remedy.
    const bool tells_more = !why || (m.needed_bytes && !why->needed_bytes);
    if (m.status == backends::MeasurementStatus::kOverBudget && tells_more) why = &m;
  }
  return why ? std::optional(why->reason.value_or(std::string(Row(why->status).phrase))) : std::nullopt;
}

bool HasRun(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  return std::any_of(report.measurements.begin(), report.measurements.end(),
                     [&](const auto& m) { return IsVerified(m) && IsOfWay(m, device, &view); });
}

Usability UsabilityOf(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  const bool eligible = std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.eligible && score.device_id == device.id && score.runtime == view.device.runtime &&
           score.driver == view.device.driver;
  });
  if (!eligible) return WhyUntried(report, device, &view) ? Usability::kUnknown : Usability::kNo;
  return HasRun(report, device, view) ? Usability::kYes : Usability::kUnknown;
}

}  // namespace report
