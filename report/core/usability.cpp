// SPDX-License-Identifier: MIT
// What is known of a way's use: by kernels that were right there, that failed, or that never ran.
#include <algorithm>

#include "report/core/devices.h"
#include "report/core/wording.h"

namespace report {
namespace {

bool IsOfWay(const backends::Measurement& m, const probe::PhysicalDevice& device, const probe::View& view) {
  return m.device_id == device.id && m.runtime == view.device.runtime && m.driver == view.device.driver &&
         HasImplementations(m.kernel);
}

// It was not to be tried at all, after a crash or as its equals hung.
bool IsRefused(const backends::Measurement& m) {
  return m.status == backends::MeasurementStatus::kSkipped && m.implementation.empty();
}

// Whether it tells that the way can not be taken: work that scores rest on, which came to no good where there
// was room for it: of a card that others fill a call may fail for want of memory at any moment.
bool RulesOut(const backends::Measurement& m, bool lacks_room) {
  if (!IsTrouble(m) || (lacks_room && m.lacked_memory.value_or(false))) return false;
  // The device itself did not open, or such work failed; a library may have failed by itself.
  return m.implementation.empty() || (IsScored(m) && IsOwn(m));
}

// Others hold most of the memory, and there was work that had no room in the rest, or hardly anything has.
bool LacksRoom(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  constexpr std::uint64_t kHardlyAny = 16;  // a part of so many
  if (!IsMostlyHeld(device)) return false;
  return *device.memory.free_bytes < *device.memory.total_bytes / kHardlyAny ||
         std::any_of(
             report.measurements.begin(), report.measurements.end(),
             [&](const auto& m) { return IsForWantOfMemory(m) && IsOfWay(m, device, view); });
}

// What scoring says of a way of which no kernel was to run, beside that it was not measured: not what keeps
// it from training alone.
std::string WhyNoneRan(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  const auto said = std::find_if(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.use != Use::kTraining && score.device_id == device.id &&
           score.runtime == view.device.runtime && score.driver == view.device.driver &&
           !score.reasons.empty() && score.reasons.front().id != ReasonId::kUnmeasured;
  });
  return said == report.scores.end() ? "" : said->reasons.front().text;
}

bool IsRefuted(const Report& report, const probe::PhysicalDevice& device) {
  return std::any_of(report.doubts.begin(), report.doubts.end(),
                     [&](const Doubt& doubt) { return doubt.refuted && doubt.device_id == device.id; });
}

// Whether there was work that rules the way out.
bool IsInTrouble(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  const bool lacks_room = LacksRoom(report, device, view);
  return std::any_of(report.measurements.begin(), report.measurements.end(),
                     [&](const auto& m) { return RulesOut(m, lacks_room) && IsOfWay(m, device, view); });
}

bool HasVerified(const std::vector<const backends::Measurement*>& of_way, kernels::Kernel kernel) {
  return std::any_of(of_way.begin(), of_way.end(),
                     [&](const auto* m) { return m->kernel == kernel && IsScored(*m) && IsVerified(*m); });
}

bool IsEligible(const Report& report, const probe::PhysicalDevice& device, const probe::View& view,
                std::optional<Use> use = std::nullopt) {
  return std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.eligible && (!use || score.use == *use) && score.device_id == device.id &&
           score.runtime == view.device.runtime && score.driver == view.device.driver;
  });
}

}  // namespace

bool IsRuledOut(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  return IsRefuted(report, device) || IsInTrouble(report, device, view);
}

namespace {

std::optional<std::string> WhyUntried(const Report& report, const probe::PhysicalDevice& device,
                                      const probe::View& view) {
  if (IsRuledOut(report, device, view)) return std::nullopt;
  std::vector<const backends::Measurement*> of_way;
  for (const auto& m : report.measurements) {
    if (IsOfWay(m, device, view)) of_way.push_back(&m);
  }
  if (of_way.empty()) return WhyNoneRan(report, device, view);
  // What scores rest on tells first, and where there is no room, more time is no remedy.
  const auto tells = [&](const backends::Measurement& m) {
    const bool is_missing = m.implementation.empty() || (IsScored(m) && !HasVerified(of_way, m.kernel));
    return std::pair(is_missing, IsForWantOfMemory(m));
  };
  const backends::Measurement* why = nullptr;
  for (const auto* m : of_way) {
    const bool is_untried = m->status == backends::MeasurementStatus::kOverBudget || IsRefused(*m) ||
                            m->lacked_memory.value_or(false);
    if (is_untried && (!why || tells(*m) > tells(*why))) why = m;
  }
  if (!why) return std::nullopt;
  return why->reason.value_or(std::string(Row(why->status).phrase));
}

}  // namespace

std::optional<std::string> WhyUnknown(const Report& report, const probe::PhysicalDevice& device,
                                      std::optional<Use> use) {
  for (const probe::View& view : device.views) {
    if (IsSupposed(view) || IsEligible(report, device, view, use)) continue;
    if (auto why = WhyUntried(report, device, view)) return why;
  }
  return std::nullopt;
}

bool WasTried(const Report& report, const probe::PhysicalDevice& device) {
  return std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& view) {
    return std::any_of(report.measurements.begin(), report.measurements.end(), [&](const auto& m) {
      return (IsVerified(m) || IsTrouble(m)) && IsOfWay(m, device, view);
    });
  });
}

bool HasRun(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  return std::any_of(report.measurements.begin(), report.measurements.end(),
                     [&](const auto& m) { return IsVerified(m) && IsOfWay(m, device, view); });
}

bool HasFailed(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  return !IsEligible(report, device, view) && IsInTrouble(report, device, view);
}

Usability UsabilityOf(const Report& report, const probe::PhysicalDevice& device, const probe::View& view) {
  const bool lacks_code_alone =
      std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
        return score.lacks_code && score.device_id == device.id && score.runtime == view.device.runtime &&
               score.driver == view.device.driver;
      });
  if (!lacks_code_alone && !IsEligible(report, device, view))
    return WhyUntried(report, device, view) ? Usability::kUnknown : Usability::kNo;
  return HasRun(report, device, view) ? Usability::kYes : Usability::kUnknown;
}

}  // namespace report
