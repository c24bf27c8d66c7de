// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>

#include "probe/core/hidden.h"
#include "report/core/devices.h"
#include "report/explain/parts.h"

namespace report::explain {

bool BlameUnplaced(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                   Finding& finding) {
  const auto vendor = VendorOf(device);
  for (const auto& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (!facts || !vendor || !IsOfVendor(*facts, *vendor)) continue;
    for (const auto& hardware : probe.hardware) {
      const auto* name = probe::FindFact(hardware.facts, probe::kUnreachedErrorFact);
      const auto* text = probe::FindFact(hardware.facts, probe::kUnreachedTextFact);
      if (hardware.identity.pci || name == nullptr || text == nullptr) continue;
      // Of the kernel's driver that knows of it alone: another's card is not on that one's list.
      if (hardware.kernel_driver &&
          (!device.hardware || device.hardware->kernel_driver != hardware.kernel_driver))
        continue;
      if (!AdviseOnError(facts, probe::Error{{}, std::nullopt, *name, *text}, finding)) continue;
      finding.summary =
          fmt::format("no runtime reaches {}: {}, which may be this one", NameIn(report, device), *text);
      finding.runtime = facts->name;
      finding.confidence = Confidence::kMedium;
      AddEvidence(finding, "error", *name);
      return true;
    }
  }
  return false;
}

}  // namespace report::explain
