// SPDX-License-Identifier: MIT
#include "report/core/hiding.h"

#include "probe/core/hidden.h"

namespace report {

std::optional<probe::EnvironmentVariable> HidingVariable(const Report& report,
                                                         const probe::PhysicalDevice& device) {
  const auto* name =
      device.hardware ? probe::FindFact(device.hardware->facts, probe::kHiddenByFact) : nullptr;
  if (name == nullptr) return std::nullopt;
  for (const auto& probe : report.probes) {
    for (const auto& variable : probe.environment) {
      if (variable.name == *name) return variable;
    }
  }
  return std::nullopt;
}

}  // namespace report
