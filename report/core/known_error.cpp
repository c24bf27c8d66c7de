// SPDX-License-Identifier: MIT
#include "report/core/known_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/core/devices.h"
#include "report/core/wording.h"

namespace report {

bool IsRefusal(const std::optional<probe::Error>& error) {
  return error && (error->Is(probe::OwnError::kNotTrusted) || error->Is(probe::OwnError::kRefused));
}

const ErrorFacts* KnownReason(const RuntimeFacts* facts, const backends::Measurement& measurement) {
  const auto is_it = [&](const ErrorFacts& known) {
    if (known.where) return false;  // they are of drivers
    return known.call ? NamesError(measurement, fmt::format("{}: {}", *known.call, known.name))
                      : NamesError(measurement, known.name);
  };
  return FindError(facts, is_it);
}

std::optional<Spares> SparedBy(const RuntimeFacts* facts,
                               std::span<const backends::Measurement* const> of_one_way) {
  using kernels::Kernel;
  std::optional<Spares> spared;
  bool has_product = false;
  bool has_read = false;
  for (const auto* m : of_one_way) {
    has_product = has_product || (m->kernel == Kernel::kGemm && IsVerified(*m));
    has_read = has_read || (m->kernel == Kernel::kRead && IsVerified(*m));
    if (m->kernel == Kernel::kPeer || !IsTrouble(*m)) continue;
    const auto* known = KnownReason(facts, *m);
    if (known == nullptr || !known->spares || (spared && *spared != *known->spares)) return std::nullopt;
    spared = known->spares;
  }
  return has_product && has_read ? std::nullopt : spared;
}

std::string SparedFailure(const Report& report, const std::string& device_id, const probe::View& view) {
  if (!IsSpared(view)) return "";
  const auto failed =
      std::find_if(report.measurements.begin(), report.measurements.end(), [&](const auto& m) {
        return m.device_id == device_id && m.runtime == view.device.runtime && m.reason && IsTrouble(m) &&
               m.kernel != kernels::Kernel::kPeer;
      });
  return failed == report.measurements.end() ? "" : *failed->reason;
}

}  // namespace report
