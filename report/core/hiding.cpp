// SPDX-License-Identifier: MIT
#include "report/core/hiding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "probe/core/hidden.h"
#include "probe/core/topology_variables.h"
#include "report/core/unreached.h"
#include "report/core/wording.h"

namespace report {

std::vector<probe::EnvironmentVariable> HidingVariables(const Report& report,
                                                        const probe::PhysicalDevice& device) {
  std::vector<probe::EnvironmentVariable> out;
  if (!device.hardware || !device.hardware->kernel_driver || HeldForGuest(device)) return out;
  for (const probe::Fact& fact : device.hardware->facts) {
    if (fact.key != probe::kHiddenByFact) continue;
    for (const auto& probe : report.probes) {
      const auto set = std::find_if(probe.environment.begin(), probe.environment.end(),
                                    [&](const auto& variable) { return variable.name == fact.value; });
      if (set == probe.environment.end()) continue;
      out.push_back(*set);
      break;
    }
  }
  return out;
}

std::vector<probe::EnvironmentVariable> HidingVariables(const probe::ProbeReport& probe) {
  std::vector<probe::EnvironmentVariable> all, hiding;
  for (const auto& variable : probe.environment) {
    if (variable.name.starts_with(probe::kTopologyVariablePrefix)) continue;  // those hide no device
    all.push_back(variable);
    const auto is_by_it = [&](const probe::HardwareDevice& hardware) {
      const auto* by = probe::FindFact(hardware.facts, probe::kHiddenByFact);
      return by != nullptr && *by == variable.name;
    };
    if (std::any_of(probe.hardware.begin(), probe.hardware.end(), is_by_it)) hiding.push_back(variable);
  }
  if (hiding.empty() && probe.error) hiding = VariablesIn(probe, Describe(*probe.error));
  return hiding.empty() ? all : hiding;
}

std::string SettingText(const std::vector<probe::EnvironmentVariable>& variables) {
  std::vector<std::string> settings;
  for (const auto& variable : variables)
    settings.push_back(fmt::format("{}={}", variable.name, variable.value));
  return fmt::format("{}", fmt::join(settings, " and "));
}

std::string UnsetCommand(const std::vector<probe::EnvironmentVariable>& variables) {
  std::string out = "unset";
  for (const auto& variable : variables) out += " " + variable.name;
  return out;
}

}  // namespace report
