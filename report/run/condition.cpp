// SPDX-License-Identifier: MIT
#include "report/run/condition.h"

#include <algorithm>

#include "probe/core/report.h"
#include "report/core/devices.h"

namespace report {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;
using kernels::Kernel;

bool EndedBadly(const Measurement& m) {
  return m.status == MeasurementStatus::kFailed || m.status == MeasurementStatus::kCrashed ||
         m.status == MeasurementStatus::kTimedOut;
}

// Nothing was launched for want of memory, be it known whose.
bool HadNoRoom(const Measurement& m) {
  const bool is_misfit =
      m.status == MeasurementStatus::kUnsupported && m.stage == probe::NameOf(probe::Stage::kLaunch);
  return (IsForWantOfMemory(m) || is_misfit) && HasImplementations(m.kernel);
}

// Of one of the kernels without which nothing is known of it.
bool IsWrong(const std::vector<const Measurement*>& known, Kernel kernel) {
  const auto has = [&](auto&& is_it) {
    return std::any_of(known.begin(), known.end(),
                       [&](const auto* m) { return m->kernel == kernel && IsScored(*m) && is_it(*m); });
  };
  return !has([](const Measurement& m) { return IsVerified(m); }) &&
         has([](const Measurement& m) { return m.status == MeasurementStatus::kWrongResult; });
}

}  // namespace

bool IsUnopened(const Measurement& m) {
  return m.status == MeasurementStatus::kOverBudget && m.stage == probe::NameOf(probe::Stage::kInit);
}

Condition ConditionOf(const std::vector<Measurement>& known, const std::string& device_id,
                      const probe::RuntimeDevice& device) {
  std::vector<const Measurement*> of_it;
  for (const Measurement& m : known) {
    if (m.device_id == device_id && m.runtime == device.runtime && m.driver == device.driver &&
        m.kernel != Kernel::kPeer)
      of_it.push_back(&m);
  }
  const auto any = [&](auto&& is_it) {
    return std::any_of(of_it.begin(), of_it.end(), [&](const auto* m) { return is_it(*m); });
  };
  const bool computes = any([](const auto& m) { return IsVerified(m) && HasImplementations(m.kernel); });
  if (computes && any([](const auto& m) { return m.implementation.empty() && EndedBadly(m); }))
    return Condition::kEnded;
  const bool is_untried = any([](const auto& m) {
    return m.implementation.empty() && (m.status == MeasurementStatus::kSkipped || IsUnopened(m));
  });
  const auto ended_otherwise = [](const auto& m) {
    return EndedBadly(m) && !m.lacked_memory.value_or(false);
  };
  if (!computes && (is_untried || any(ended_otherwise))) return Condition::kDead;
  if (IsWrong(of_it, Kernel::kGemm) || IsWrong(of_it, Kernel::kRead)) return Condition::kWrong;
  const bool reads = any([](const auto& m) { return IsVerified(m) && m.kernel == Kernel::kRead; });
  const bool lacks_room_to_read =
      any([](const auto& m) { return HadNoRoom(m) && m.kernel == Kernel::kRead; });
  return (!computes && any(HadNoRoom)) || (!reads && lacks_room_to_read) ? Condition::kFull
                                                                         : Condition::kWhole;
}

std::string_view WhyLeftOut(Condition condition) {
  switch (condition) {
    case Condition::kWhole:
      return "";
    case Condition::kEnded:
      return "its process or its context ended while it was measured";
    case Condition::kFull:
      return "too little of its memory is free";
    case Condition::kWrong:
      return "its own results are wrong";
    case Condition::kDead:
      return "it was not measured itself";
  }
  return "";
}

}  // namespace report
