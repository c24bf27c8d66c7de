// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

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
  return vendor && IsMakersOwn(facts, *vendor) &&
         (!driver || (device.hardware && device.hardware->kernel_driver == driver));
}

constexpr const char* kSaid = "driver";  // the source of what it says of one

void Tell(const probe::Error& error, Finding& finding) {
  AddEvidence(finding, "error", error.name);
  AddEvidence(finding, kSaid, error.text);
}
bool IsToldBy(const Finding& finding, const probe::Error& error) {
  return std::any_of(finding.evidence.begin(), finding.evidence.end(), [&](const Evidence& evidence) {
    return evidence.source == kSaid && evidence.value == error.text;
  });
}

}  // namespace

bool BlameUnplaced(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                   Finding& finding) {
  for (const auto& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (!facts) continue;
    std::vector<std::string> texts;
    for (const Unplaced& unplaced : UnplacedOf(probe)) {
      const auto& error = unplaced.error;
      if (!MayBe(*facts, unplaced, device) || (texts.empty() && !AdviseOnError(facts, error, finding)))
        continue;
      texts.push_back(error.text);
      Tell(error, finding);
    }
    if (texts.empty()) continue;
    finding.summary =
        fmt::format("no runtime reaches {}: {}, {}which may be this one", NameIn(report, device),
                    fmt::join(texts, "; "), texts.size() == 1 ? "" : "one of ");
    finding.runtime = facts->name;
    finding.confidence = Confidence::kMedium;
    return true;
  }
  return false;
}

void AddUnplaced(const Tables& tables, const Report& report, std::vector<Finding>& out) {
  for (const auto& probe : report.probes) {
    const auto* facts = Find(tables, probe.module);
    if (!facts) continue;
    std::map<std::string, Finding> by_error;
    for (const Unplaced& unplaced : UnplacedOf(probe)) {
      const auto& error = unplaced.error;
      if (std::any_of(out.begin(), out.end(), [&](const Finding& one) { return IsToldBy(one, error); }))
        continue;
      Finding& finding = by_error[error.name];
      Tell(error, finding);
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
