// SPDX-License-Identifier: MIT
#include "report/core/hiding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "probe/core/hidden.h"
#include "report/core/unreached.h"

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
