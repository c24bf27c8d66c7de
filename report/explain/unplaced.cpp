// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/hidden.h"
#include "probe/core/parse.h"
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

namespace {

// Whether the GPU may be one of those that this machine's bus shows and no runtime reaches (BlameUnplaced).
bool MayBeUnreached(const Report& report, const RuntimeFacts& facts, const probe::HardwareDevice& hardware) {
  return std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
    const auto vendor = VendorOf(device);
    const bool is_of_driver = !hardware.kernel_driver ||
                              (device.hardware && device.hardware->kernel_driver == hardware.kernel_driver);
    return IsGpu(device) && device.views.empty() && vendor && IsOfVendor(facts, *vendor) && is_of_driver;
  });
}

}  // namespace

void AddUnplaced(const Tables& tables, const Report& report, std::vector<Finding>& out) {
  for (const auto& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (facts == nullptr) continue;
    std::map<std::string, Finding> by_error;
    for (const auto& hardware : probe.hardware) {
      const auto* name = probe::FindFact(hardware.facts, probe::kUnreachedErrorFact);
      const auto* text = probe::FindFact(hardware.facts, probe::kUnreachedTextFact);
      if (hardware.identity.pci || name == nullptr || text == nullptr) continue;
      if (MayBeUnreached(report, *facts, hardware)) continue;
      Finding& finding = by_error[*name];
      AddEvidence(finding, "error", *text);
      if (!finding.id.empty()) {
        finding.summary += "; " + *text;
        continue;
      }
      finding.id = fmt::format("unplaced.{}.{}", facts->name, probe::Slug(*name));
      finding.layer = "kernel_driver";
      finding.severity = Severity::kDegraded;
      finding.runtime = facts->name;
      finding.summary = fmt::format("{}: {}", facts->title, *text);
      finding.meaning = "the driver knows of a GPU that is none of the devices that are seen here";
      AdviseOnError(facts, probe::Error{{}, std::nullopt, *name, *text}, finding);
    }
    for (auto& [name, finding] : by_error) out.push_back(std::move(finding));
  }
}

}  // namespace report::explain
