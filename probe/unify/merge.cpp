// SPDX-License-Identifier: MIT
#include <algorithm>

#include "probe/core/fields.h"
#include "probe/core/hidden.h"
#include "probe/unify/finish.h"
#include "probe/unify/likeness.h"

namespace probe::unify {
namespace {

std::string Text(const Json& value) { return value.is_string() ? value.get<std::string>() : ToText(value); }

// Merges one field after the other and names those that differ.
class Merger {
 public:
  Merger(std::string module, std::vector<Conflict>& conflicts)
      : module_(std::move(module)), conflicts_(conflicts) {}

  template <class T>
  void Take(const char* field, const std::optional<T>& from, std::optional<T>& into) {
    if (!into) into = from;
    if (from && *from != *into) Report(field, Text(Encode(*from)));
  }
  // Values that move by themselves.
  template <class T>
  void TakeMoving(const std::optional<T>& from, std::optional<T>& into) {
    if (!into) into = from;
  }
  void Take(const char* field, const std::string& from, std::string& into) {
    if (into.empty()) into = from;
    if (!from.empty() && from != into) Report(field, from);
  }
  template <class T>
  void Take(const std::vector<T>& from, std::vector<T>& into) {
    if (into.empty()) into = from;
  }

 private:
  void Report(const char* field, std::string value) {
    conflicts_.push_back({field, module_, std::move(value)});
  }

  std::string module_;
  std::vector<Conflict>& conflicts_;
};

void MergeIdentity(const Identity& from, Identity& into, Merger& merger) {
  merger.TakeMoving(from.pci, into.pci);
  merger.Take("uuid", from.uuid, into.uuid);
  merger.TakeMoving(from.driver_uuid, into.driver_uuid);
  merger.TakeMoving(from.partition, into.partition);
  if (!into.ids || !from.ids) {
    merger.TakeMoving(from.ids, into.ids);
    return;
  }
  merger.TakeMoving(from.ids->subsystem_vendor, into.ids->subsystem_vendor);
  merger.TakeMoving(from.ids->subsystem_device, into.ids->subsystem_device);
  merger.Take("revision", from.ids->revision, into.ids->revision);
}

void MergeProcessor(const Processor& from, Processor& into, Merger& merger) {
  merger.Take("packages", from.packages, into.packages);
  merger.Take("cores", from.cores, into.cores);
  merger.Take("threads", from.threads, into.threads);
  merger.Take("usable_threads", from.usable_threads, into.usable_threads);
  merger.Take("quota_cores", from.quota_cores, into.quota_cores);
  merger.Take("memory_limit_bytes", from.memory_limit_bytes, into.memory_limit_bytes);
  merger.Take("numa_nodes", from.numa_nodes, into.numa_nodes);
  merger.Take("governor", from.governor, into.governor);
  merger.Take(from.caches, into.caches);
  merger.Take(from.features, into.features);
}

void MergeNodes(const std::vector<DeviceNode>& from, std::vector<DeviceNode>& into) {
  for (const DeviceNode& node : from) {
    const auto known =
        std::find_if(into.begin(), into.end(), [&](const auto& other) { return other.path == node.path; });
    if (known == into.end()) into.push_back(node);
  }
}

// The first to say a thing is believed; of variables each hides by itself.
void MergeFacts(const std::vector<Fact>& from, std::vector<Fact>& into) {
  for (const Fact& fact : from) {
    const auto known = std::find_if(into.begin(), into.end(), [&](const Fact& other) {
      return other.key == fact.key && (fact.key != kHiddenByFact || other.value == fact.value);
    });
    if (known == into.end()) into.push_back(fact);
  }
}

// "gfx1100" -> "gfx", "sm_90" -> "sm_": targets of different families are names of different things, not a
// conflict.
std::string_view Family(std::string_view target) {
  return target.substr(0, target.find_first_of("0123456789"));
}

}  // namespace

void MergeHardware(const HardwareDevice& from, HardwareDevice& into, std::vector<Conflict>& conflicts) {
  Merger merger(from.source, conflicts);
  MergeIdentity(from.identity, into.identity, merger);
  merger.Take("name", from.name, into.name);
  merger.Take("vendor", from.vendor, into.vendor);
  if (into.kind == DeviceKind::kUnknown) into.kind = from.kind;
  if (from.kind != into.kind && from.kind != DeviceKind::kUnknown) {
    conflicts.push_back({"kind", from.source, std::string(NameOf(from.kind))});
  }
  merger.Take("architecture", from.architecture, into.architecture);
  merger.Take("kernel_driver", from.kernel_driver, into.kernel_driver);
  merger.Take("memory_total_bytes", from.memory_total_bytes, into.memory_total_bytes);
  merger.TakeMoving(from.memory_free_bytes, into.memory_free_bytes);
  merger.Take("vram_bytes", from.vram_bytes, into.vram_bytes);
  merger.Take("gtt_bytes", from.gtt_bytes, into.gtt_bytes);
  merger.TakeMoving(from.pcie, into.pcie);
  merger.Take("numa_node", from.numa_node, into.numa_node);
  merger.Take("removable", from.removable, into.removable);
  if (into.processor && from.processor) {
    MergeProcessor(*from.processor, *into.processor, merger);
  } else {
    merger.TakeMoving(from.processor, into.processor);
  }
  MergeNodes(from.nodes, into.nodes);
  MergeFacts(from.facts, into.facts);
}

void CompareView(const RuntimeDevice& view, const HardwareDevice& hardware,
                 std::vector<Conflict>& conflicts) {
  const bool same_kind = view.kind == hardware.kind || view.kind == DeviceKind::kUnknown ||
                         hardware.kind == DeviceKind::kUnknown;
  if (!same_kind) conflicts.push_back({"kind", view.runtime, std::string(NameOf(view.kind))});
  if (view.architecture && hardware.architecture && *view.architecture != *hardware.architecture &&
      Family(*view.architecture) == Family(*hardware.architecture)) {
    conflicts.push_back({"architecture", view.runtime, *view.architecture});
  }
  const bool own_memory =
      hardware.kind == DeviceKind::kDiscrete && hardware.vram_bytes && view.memory_total_bytes;
  if (own_memory && !SameSize(*view.memory_total_bytes, *hardware.vram_bytes)) {
    conflicts.push_back({"memory_total_bytes", view.runtime, std::to_string(*view.memory_total_bytes)});
  }
}

}  // namespace probe::unify
