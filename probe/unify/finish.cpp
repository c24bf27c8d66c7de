// SPDX-License-Identifier: MIT
#include "probe/unify/finish.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "probe/core/other_devices.h"
#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"

namespace probe::unify {
namespace {

using Bytes = std::optional<std::uint64_t>;

// A source that names exactly one product; otherwise a driver knows better than the numbers.
bool NamesOneProduct(const HardwareDevice& hardware) {
  const std::string* basis = FindFact(hardware.facts, "name_basis");
  return !hardware.name.empty() && (basis == nullptr || (*basis != "ids" && *basis != "pci_table_family"));
}

// What drivers call every chip that they have no product's name of; what stands in brackets is theirs or the
// chip's.
bool IsGeneric(std::string_view name) {
  name = name.substr(0, name.find(" ("));
  const auto vendors = KnownVendors();
  return std::any_of(vendors.begin(), vendors.end(),
                     [&](const VendorNames& vendor) { return Lists(vendor.generic_names, name, '|'); });
}

// Of the names that drivers give, the shortest: the others add their own or the chip's. A generic one only
// where there is no other.
std::string NameOfViews(const std::vector<View>& views) {
  std::string best;
  const auto rank = [](const std::string& name) { return std::tuple(IsGeneric(name), name.size(), name); };
  for (const View& view : views) {
    const std::string& name = view.device.name;
    if (!name.empty() && (best.empty() || rank(name) < rank(best))) best = name;
  }
  return best;
}

std::string NameOf(const Draft& draft) {
  if (draft.hardware && NamesOneProduct(*draft.hardware)) return draft.hardware->name;
  const std::string* basis = draft.hardware ? FindFact(draft.hardware->facts, "name_basis") : nullptr;
  const bool family = basis != nullptr && *basis == "pci_table_family";
  if (std::string name = NameOfViews(draft.views); !name.empty() && !(family && IsGeneric(name))) return name;
  return draft.hardware && !draft.hardware->name.empty() ? draft.hardware->name : "unnamed device";
}

std::optional<std::string> VendorOf(const Draft& draft) {
  if (draft.hardware && draft.hardware->vendor) return draft.hardware->vendor;
  if (draft.identity.ids) {
    if (const auto name = VendorName(draft.identity.ids->vendor); !name.empty()) return std::string(name);
  }
  for (const View& view : draft.views) {
    if (view.device.vendor) return view.device.vendor;
  }
  return std::nullopt;
}

DeviceKind KindOf(const Draft& draft) {
  if (draft.hardware && draft.hardware->kind != DeviceKind::kUnknown) return draft.hardware->kind;
  for (const View& view : draft.views) {
    if (view.device.kind != DeviceKind::kUnknown) return view.device.kind;
  }
  return DeviceKind::kUnknown;
}

void TakeSmaller(Bytes candidate, Bytes& value) {
  if (candidate && (!value || *candidate < *value)) value = candidate;
}

// 0 is how a driver without a device says that it does not know.
Bytes Known(Bytes value) { return value && *value != 0 ? value : std::nullopt; }

// Drivers that compute on the processor say nothing of the host that it does not say itself.
void DescribeHost(const Draft& draft, PhysicalDevice& out) {
  out.kind = DeviceKind::kCpu;
  out.name = draft.hardware && !draft.hardware->name.empty() ? draft.hardware->name : "CPU";
  if (!draft.hardware) return;
  out.vendor = draft.hardware->vendor;
  out.memory.total_bytes = Known(draft.hardware->memory_total_bytes);
  out.memory.free_bytes = draft.hardware->memory_free_bytes;
  out.memory.usable_bytes = out.memory.free_bytes ? out.memory.free_bytes : out.memory.total_bytes;
  if (draft.hardware->processor && out.memory.usable_bytes) {
    TakeSmaller(draft.hardware->processor->memory_limit_bytes, out.memory.usable_bytes);
  }
}

}  // namespace

PhysicalDevice Finish(Draft draft, std::optional<std::uint64_t> host_free_bytes) {
  PhysicalDevice out;
  if (draft.id == kHostId) {
    DescribeHost(draft, out);
  } else {
    out.name = NameOf(draft);
    out.vendor = VendorOf(draft);
    out.kind = KindOf(draft);
    out.memory = MemoryOf(draft, out.kind, host_free_bytes);
    for (const View& view : draft.views) {
      if (draft.hardware) CompareView(view.device, *draft.hardware, draft.conflicts);
    }
  }
  const auto key = [](const Conflict& c) { return std::tie(c.field, c.module, c.value); };
  std::sort(draft.conflicts.begin(), draft.conflicts.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  draft.conflicts.erase(std::unique(draft.conflicts.begin(), draft.conflicts.end()), draft.conflicts.end());
  if (draft.hardware && draft.views.empty()) out.not_measurable = WhyNotMeasurable(*draft.hardware, out.kind);
  out.id = std::move(draft.id);
  out.hardware = std::move(draft.hardware);
  out.views = std::move(draft.views);
  out.parent_id = std::move(draft.parent_id);
  out.conflicts = std::move(draft.conflicts);
  return out;
}

}  // namespace probe::unify
