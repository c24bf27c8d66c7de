// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "report/core/architecture.h"
#include "report/core/devices.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"

namespace report::recommend {
namespace {

// What no shell and no reader of a list of variables takes for something else; `also` are characters that the
// variable's own reader wants.
bool IsPlain(std::string_view value, std::string_view also = {}) {
  constexpr std::size_t kLongest = 200;
  return value.size() <= kLongest && std::all_of(value.begin(), value.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("_./-").find(c) != std::string_view::npos ||
                  also.find(c) != std::string_view::npos;
         });
}

// As the runtime itself spells it, where it says so.
const std::string* TextOf(const probe::RuntimeDevice& device) {
  for (const auto& fact : device.facts) {
    if (fact.key == "visible_as" && IsPlain(fact.value, ":")) return &fact.value;
  }
  return nullptr;
}

// Drivers before 470 call a MIG instance
// MIG-GPU-<the card's UUID>/<GPU instance>/<compute instance>, later ones MIG-<its own UUID> (NVIDIA, MIG
// User Guide, "CUDA Device Enumeration").
std::string UuidValue(const Visibility& rule, const probe::RuntimeDevice& device) {
  const auto& prefix = device.identity.partition ? rule.partition_prefix : rule.prefix;
  if (!prefix)
    return device.identity.uuid && !device.identity.partition ? probe::ToString(*device.identity.uuid) : "";
  if (const auto* text = TextOf(device); text != nullptr && text->starts_with(*prefix)) return *text;
  return device.identity.uuid ? *prefix + probe::ToString(*device.identity.uuid) : "";
}

std::string DeviceValue(const Visibility& rule, const probe::PhysicalDevice& device,
                        const probe::View& view) {
  const auto& identity = view.device.identity;
  const auto ids = identity.ids      ? identity.ids
                   : device.hardware ? device.hardware->identity.ids
                                     : std::nullopt;
  switch (rule.value) {
    case NamedBy::kUuid:
      return UuidValue(rule, view.device);
    // A place in its driver's list is none in the variable's, where the runtime says so.
    case NamedBy::kOrdinal:
      if (probe::FindFact(view.device.facts, "unnumbered") != nullptr) return "";
      if (const auto* text = TextOf(view.device)) return *text;
      // Among what a variable leaves, where the runtime does not say which of all it is.
      return rule.prefix.value_or("") + std::to_string(view.device.ordinal);
    case NamedBy::kIds:
      return ids ? fmt::format("{:04x}:{:04x}", ids->vendor, ids->device) : "";
  }
  return "";
}

bool HasSeveralDrivers(const probe::PhysicalDevice& device, const probe::View& view) {
  return std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& other) {
    return other.device.runtime == view.device.runtime && other.device.driver != view.device.driver;
  });
}

// Of ways that no runtime was asked about nobody knows the order of several.
bool HasKnownPlace(const Report& report, const probe::View& view) {
  if (!IsSupposed(view) || IsSpared(view)) return true;
  return std::count_if(report.devices.begin(), report.devices.end(), [&](const auto& device) {
           return std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& other) {
             return other.device.runtime == view.device.runtime;
           });
         }) == 1;
}

std::size_t CountWays(const Report& report, std::string_view runtime, const std::string* driver) {
  std::size_t count = 0;
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      if (view.device.runtime == runtime && (!driver || view.device.driver == *driver)) ++count;
    }
  }
  return count;
}

bool HadTrouble(const Report& report, std::string_view runtime) {
  return std::any_of(report.probes.begin(), report.probes.end(), [&](const probe::ProbeReport& probe) {
    return probe.module == runtime && probe.outcome != probe::Outcome::kOk;
  });
}

// Of a path that a variable's reader takes whole.
std::optional<Selection> DriverSelection(const RuntimeFacts& facts, const probe::View& view) {
  const auto& manifest = view.device.manifest;
  if (!facts.driver_variable || !manifest || !manifest->starts_with('/') || !IsPlain(*manifest))
    return std::nullopt;
  return Selection{*facts.driver_variable, *manifest, Selects::kDriver};
}

// Another card with its numbers, which ids can not tell from it: showing the first alone may hide the other.
bool HasTwin(const Report& report, const probe::PhysicalDevice& device) {
  const auto ids = [](const probe::PhysicalDevice& one) {
    return one.hardware && one.hardware->identity.ids
               ? std::optional(
                     std::pair(one.hardware->identity.ids->vendor, one.hardware->identity.ids->device))
               : std::nullopt;
  };
  return std::any_of(report.devices.begin(), report.devices.end(), [&](const probe::PhysicalDevice& other) {
    return &other != &device && IsGpu(other) &&
           (AreEqualGpus(other, device) || (ids(device) && ids(other) == ids(device)));
  });
}

// The program's own variable takes the device's number among all that the runtime lists for it, and probes
// look at one driver at a time: it is known of the only device, and of the only one by a driver that can be
// picked. Empty of any other.
std::vector<Selection> OwnSelections(const RuntimeFacts& facts, const Report& report,
                                     const probe::View& view) {
  if (!report.terms.target || !report.terms.target->visible || view.device.ordinal != 0) return {};
  const auto& all = *report.terms.target->visible;
  const auto own = std::find_if(all.begin(), all.end(),
                                [&](const ProgramVisibility& one) { return one.backend == facts.name; });
  if (own == all.end() || CountWays(report, facts.name, &view.device.driver) != 1) return {};
  const Selection first = {own->variable, "0", Selects::kDevice};
  if (CountWays(report, facts.name, nullptr) == 1 && !HadTrouble(report, facts.name)) return {first};
  const auto driver = DriverSelection(facts, view);
  return driver ? std::vector<Selection>{first, *driver} : std::vector<Selection>{};
}

}  // namespace

std::vector<Selection> EnvironmentOf(const Tables& tables, const Report& report,
                                     const Recommendation& answer) {
  const auto* facts = Find(tables, answer.backend);
  const auto* device = FindDevice(report.devices, answer.device_id);
  const auto* view = device ? FindView(*device, answer.backend, answer.driver.value_or("")) : nullptr;
  if (!facts || !view) return {};
  if (auto own = OwnSelections(*facts, report, *view); !own.empty()) return own;
  std::vector<Selection> selections;
  if (facts->visibility && HasKnownPlace(report, *view)) {
    auto value = DeviceValue(*facts->visibility, *device, *view);
    if (!value.empty()) {
      selections.push_back({facts->visibility->variable, std::move(value), Selects::kDevice});
      const auto& alone = facts->visibility->alone;
      if (alone && !HasTwin(report, *device)) selections.push_back({*alone, "1", Selects::kDevice});
    }
  }
  if (HasSeveralDrivers(*device, *view)) {
    if (auto driver = DriverSelection(*facts, *view)) selections.push_back(*std::move(driver));
  }
  return selections;
}

namespace {

bool IsReachedBy(const probe::PhysicalDevice& device, const std::string& runtime) {
  return IsGpu(device) && std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& view) {
           return view.device.runtime == runtime;
         });
}

}  // namespace

void WarnOfFailedBeside(const Tables& tables, const Report& report, Recommendation& answer) {
  const auto* own = FindDevice(report.devices, answer.device_id);
  if (!own || !IsGpu(*own)) return;
  std::set<std::string_view> troubled;  // one look at figures for all devices
  for (const auto& m : report.measurements) {
    if (m.runtime == answer.backend && IsTrouble(m)) troubled.insert(m.device_id);
  }
  std::vector<std::string> failed, full;
  for (const auto& device : report.devices) {
    const bool is_full =
        &device != own && IsReachedBy(device, answer.backend) && IsFull(report, device, answer.use);
    if (is_full) full.push_back(DeviceName(report.devices, device.id));
    if (&device == own || !IsGpu(device) || is_full || !troubled.contains(device.id)) continue;
    const auto any = [&](auto is_it) {
      return std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& view) {
        return view.device.runtime == answer.backend && is_it(view);
      });
    };
    // Where another of the runtime's drivers works, programs may have that.
    const bool works =
        any([&](const auto& view) { return UsabilityOf(report, device, view) == Usability::kYes; });
    if (!works && any([&](const auto& view) { return HasFailed(report, device, view); }))
      failed.push_back(DeviceName(report.devices, device.id));
  }
  const auto warn = [&](const std::vector<std::string>& names, const std::string& what) {
    if (names.empty()) return;
    answer.warnings.emplace_back(
        WarningKind::kFailsBeside, answer.device_id,
        fmt::format("{}, and programs see {}, too: keep them to the answer's device{}", what,
                    names.size() == 1 ? "it" : "them", KeptBy(tables, answer)));
  };
  warn(failed, fmt::format("{} failed here by {}", fmt::join(failed, ", "), Title(tables, answer.backend)));
  warn(full, fmt::format("others hold the memory of {}", fmt::join(full, ", ")));
}

void AddArchitectures(const Tables& tables, const Report& report, Recommendation& answer) {
  const auto* facts = Find(tables, answer.backend);
  if (!facts || !facts->target) return;
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      if (view.device.runtime != answer.backend) continue;
      if (device.id == answer.device_id && view.device.driver == answer.driver)
        answer.architecture = ArchitectureText(*facts->target, view.device.architecture, Reader::kPeople);
      if (!IsGpu(device) || IsSoftware(device, view) || report.terms.excluded_ids.contains(device.id))
        continue;
      auto text = ArchitectureText(*facts->target, view.device.architecture, Reader::kCMake);
      if (!text.empty()) probe::AddOnce(std::move(text), answer.architectures);
    }
  }
}

}  // namespace report::recommend
