// SPDX-License-Identifier: MIT
#include "report/explain/variables.h"

#include <fmt/format.h>

#include <algorithm>

namespace report::explain {

void AddVariables(const Report& report, std::vector<Finding>& out) {
  for (const auto& probe : report.probes) {
    for (const std::string& warning : probe.warnings) {
      const auto variable = std::find_if(
          probe.environment.begin(), probe.environment.end(),
          [&](const auto& set) { return !set.name.empty() && warning.find(set.name) != std::string::npos; });
      if (variable == probe.environment.end()) continue;
      Finding finding;
      finding.id = fmt::format("variable.{}.{}", probe.module, variable->name);
      finding.layer = "programming_interface";
      finding.severity = Severity::kDegraded;
      finding.summary = warning;
      finding.meaning = "a variable of this environment decides what the runtime shows, or takes for what";
      finding.evidence.push_back({"environment", variable->name + "=" + variable->value});
      finding.fix.push_back({"unset it, unless it is meant", "unset " + variable->name, false, false});
      out.push_back(std::move(finding));
    }
  }
}

}  // namespace report::explain
