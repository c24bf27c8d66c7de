// SPDX-License-Identifier: MIT
#include "probe/unify/unify.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "probe/core/fields.h"
#include "probe/core/hidden.h"
#include "probe/core/other_devices.h"
#include "probe/core/parse.h"
#include "probe/unify/finish.h"
#include "probe/unify/likeness.h"
#include "probe/unify/match.h"

namespace probe::unify {
namespace {

// Sorts by a key, then by all that the element says, so that no order of arrival remains. What it says is
// only asked where keys are equal.
template <class T, class Key>
void SortBy(std::vector<T>& items, Key key) {
  std::stable_sort(items.begin(), items.end(), [&](const T& a, const T& b) { return key(a) < key(b); });
  for (auto first = items.begin(); first != items.end();) {
    const auto last =
        std::find_if(first, items.end(), [&](const T& item) { return key(*first) < key(item); });
    if (last - first > 1) {
      std::vector<std::pair<std::string, std::ptrdiff_t>> order;
      order.reserve(static_cast<std::size_t>(last - first));
      for (auto item = first; item != last; ++item) order.emplace_back(ToText(Encode(*item)), item - first);
      std::sort(order.begin(), order.end());
      std::vector<T> sorted;
      sorted.reserve(order.size());
      for (const auto& entry : order) sorted.push_back(std::move(first[entry.second]));
      std::move(sorted.begin(), sorted.end(), first);
    }
    first = last;
  }
}

auto ViewKey(const RuntimeDevice& device) {
  return std::tie(device.runtime, device.driver, device.manifest, device.ordinal);
}

// Sources in the order of their names, whatever the order of the reports.
std::vector<HardwareDevice> AllHardware(std::span<const ProbeReport> reports) {
  std::vector<HardwareDevice> out;
  for (const ProbeReport& report : reports)
    out.insert(out.end(), report.hardware.begin(), report.hardware.end());
  SortBy(out, [](const HardwareDevice& hardware) -> const std::string& { return hardware.source; });
  return out;
}

std::string HardwareId(const HardwareDevice& hardware, const std::vector<Draft>& drafts) {
  if (hardware.kind == DeviceKind::kCpu) return std::string(kHostId);
  if (const auto id = IdOf(hardware.identity)) return *id;
  if (const std::string* name = FindFact(hardware.facts, "platform_device")) return "platform:" + Slug(*name);
  if (const std::string* place = FindFact(hardware.facts, kUsbDeviceFact)) return "usb:" + *place;
  if (const std::string* node = FindFact(hardware.facts, kMiscFact)) return "platform:" + Slug(*node);
  return hardware.source + ":" + std::to_string(drafts.size());
}

std::vector<Draft> DraftHardware(std::span<const ProbeReport> reports) {
  std::vector<Draft> drafts(1);
  drafts.front().id = kHostId;
  std::map<std::string, std::size_t> places = {{drafts.front().id, 0}};
  auto all = AllHardware(reports);
  std::stable_partition(all.begin(), all.end(), [](const auto& hardware) { return !IsHidden(hardware); });
  for (HardwareDevice& hardware : all) {
    const std::string id = HardwareId(hardware, drafts);
    if (IsHidden(hardware) && hardware.name.empty() && !places.contains(id)) continue;
    const auto [known, is_new] = places.try_emplace(id, drafts.size());
    if (is_new) drafts.emplace_back().id = id;
    Draft* const draft = &drafts[known->second];
    if (draft->hardware) {
      MergeHardware(hardware, *draft->hardware, draft->conflicts);
    } else {
      draft->hardware = std::move(hardware);
    }
    draft->identity = draft->hardware->identity;
  }
  return drafts;
}

bool RunsOnHost(const RuntimeDevice& device) {
  return device.kind == DeviceKind::kSoftware || device.kind == DeviceKind::kCpu;
}

// The processor's own runtime is the module that also describes it as hardware.
std::string_view HowOnHost(const RuntimeDevice& device, const std::vector<Draft>& drafts) {
  const auto& hardware = drafts.front().hardware;
  const bool own = hardware && device.kind == DeviceKind::kCpu && hardware->source == device.runtime;
  return own ? "only_candidate" : "software";
}

// Variables of the environment that hide devices from other programs, by module.
using Hiding = std::map<std::string, std::vector<std::string>>;

void MarkHidden(const Hiding& hiding, PhysicalDevice& device) {
  for (View& view : device.views) {
    const std::string* variable = FindFact(view.device.facts, kHiddenByFact);
    const auto known = hiding.find(view.device.runtime);
    if (variable == nullptr || known == hiding.end()) continue;
    const auto& names = known->second;
    if (std::find(names.begin(), names.end(), *variable) != names.end()) view.environment_hidden = *variable;
  }
}

// Of a GPU that a runtime here can reach by the GPU's own driver nobody knows that it can not be measured
// unless that runtime was asked and did not fail.
bool IsOpen(const PhysicalDevice& device, std::span<const ProbeReport> reports) {
  if (!device.not_measurable || !device.hardware) return false;
  const auto reached = ReachedBy(*device.hardware);
  return std::any_of(reached.begin(), reached.end(), [&](std::string_view runtime) {
    return std::none_of(reports.begin(), reports.end(), [&](const ProbeReport& report) {
      return report.module == runtime &&
             (report.outcome == Outcome::kAbsent || report.outcome == Outcome::kNoDevice ||
              report.outcome == Outcome::kOk);
    });
  });
}

}  // namespace

std::vector<PhysicalDevice> Unify(std::span<const ProbeReport> reports) {
  std::vector<Draft> drafts = DraftHardware(reports);
  std::vector<RuntimeDevice> devices;
  Hiding hiding;
  for (const ProbeReport& report : reports) {
    devices.insert(devices.end(), report.devices.begin(), report.devices.end());
    for (const EnvironmentVariable& variable : report.environment)
      hiding[report.module].push_back(variable.name);
  }
  SortBy(devices, ViewKey);
  const auto on_host = std::stable_partition(devices.begin(), devices.end(), RunsOnHost);
  for (auto device = devices.begin(); device != on_host; ++device) {
    const std::string how(HowOnHost(*device, drafts));
    drafts.front().views.push_back({std::move(*device), how, std::nullopt});
  }
  devices.erase(devices.begin(), on_host);
  Match(std::move(devices), drafts);

  const auto host_free = drafts.front().hardware ? drafts.front().hardware->memory_free_bytes : std::nullopt;
  std::vector<PhysicalDevice> out;
  for (Draft& draft : drafts) {
    PhysicalDevice device = Finish(std::move(draft), host_free);
    SortBy(device.views, [](const View& view) { return ViewKey(view.device); });
    MarkHidden(hiding, device);
    if (IsOpen(device, reports)) device.not_measurable.reset();
    out.push_back(std::move(device));
  }
  std::sort(out.begin(), out.end(), [](const PhysicalDevice& a, const PhysicalDevice& b) {
    return std::pair(a.id == kHostId, a.id) < std::pair(b.id == kHostId, b.id);
  });
  return out;
}

}  // namespace probe::unify
