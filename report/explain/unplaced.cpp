// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/hidden.h"
#include "probe/core/parse.h"
#include "report/core/devices.h"
#include "report/explain/parts.h"

namespace report::explain {

namespace {

// What a runtime's driver tells of a GPU of which it knows no place.
struct Unplaced {
  const probe::HardwareDevice* hardware;
  probe::Error error;
};
std::vector<Unplaced> UnplacedOf(const probe::ProbeReport& probe) {
  std::vector<Unplaced> all;
  for (const auto& hardware : probe.hardware) {
    const auto* name = probe::FindFact(hardware.facts, probe::kUnreachedErrorFact);
    const auto* text = probe::FindFact(hardware.facts, probe::kUnreachedTextFact);
    if (!hardware.identity.pci && name != nullptr && text != nullptr)
      all.push_back({&hardware, {{}, std::nullopt, *name, *text}});
  }
  return all;
}

// Whether it may be that device: one of the runtime's makers, and of the kernel's driver that alone knows of
// it, as another's card is not on that one's list.
bool MayBe(const RuntimeFacts& facts, const Unplaced& unplaced, const probe::PhysicalDevice& device) {
  const auto vendor = VendorOf(device);
  const auto& driver = unplaced.hardware->kernel_driver;
  return vendor && IsOfVendor(facts, *vendor) &&
         (!driver || (device.hardware && device.hardware->kernel_driver == driver));
}

}  // namespace

bool BlameUnplaced(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                   Finding& finding) {
  for (const auto& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (!facts) continue;
    for (const Unplaced& unplaced : UnplacedOf(probe)) {
      const auto& error = unplaced.error;
      if (!MayBe(*facts, unplaced, device) || !AdviseOnError(facts, error, finding)) continue;
      finding.summary =
          fmt::format("no runtime reaches {}: {}, which may be this one", NameIn(report, device), error.text);
      finding.runtime = facts->name;
      finding.confidence = Confidence::kMedium;
      AddEvidence(finding, "error", error.name);
      return true;
    }
  }
  return false;
}

void AddUnplaced(const Tables& tables, const Report& report, std::vector<Finding>& out) {
  for (const auto& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (!facts) continue;
    std::map<std::string, Finding> by_error;
    for (const Unplaced& unplaced : UnplacedOf(probe)) {
      const bool is_told = std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
        return IsGpu(device) && device.views.empty() && MayBe(*facts, unplaced, device);
      });
      if (is_told) continue;
      const auto& error = unplaced.error;
      Finding& finding = by_error[error.name];
      AddEvidence(finding, "error", error.text);
      if (!finding.id.empty()) {
        finding.summary += "; " + error.text;
        continue;
      }
      finding.id = fmt::format("unplaced.{}.{}", facts->name, probe::Slug(error.name));
      finding.layer = "kernel_driver";
      finding.severity = Severity::kDegraded;
      finding.runtime = facts->name;
      finding.summary = fmt::format("{}: {}", facts->title, error.text);
      finding.meaning = "the driver knows of a GPU that is none of the devices that are seen here";
      AdviseOnError(facts, error, finding);
    }
    for (auto& [name, finding] : by_error) out.push_back(std::move(finding));
  }
}

}  // namespace report::explain
