// SPDX-License-Identifier: MIT
#include "probe/unify/match.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "probe/unify/likeness.h"

namespace probe::unify {
namespace {

constexpr PciAddress kHostBridge{};  // 0000:00:00.0: what drivers without a real device give as their address

// Devices of one driver of one runtime see the hardware once each.
auto DriverKey(const RuntimeDevice& device) {
  return std::tie(device.runtime, device.driver, device.manifest);
}

class Matcher {
 public:
  Matcher(std::vector<RuntimeDevice> devices, std::vector<Draft>& drafts)
      : open_(std::move(devices)), drafts_(drafts) {
    DropFalseIdentities();
  }

  void Run() {
    Attach("pci", [&](const RuntimeDevice& device) { return ByAddress(device); });
    CreateAtAddresses();
    Attach("uuid", [&](const RuntimeDevice& device) { return ByUuid(device); });
    AttachLike("only_candidate", SameVendorAndKind);
    CreateForUuids();
    AttachLike("name", SameNameAndMemory);
    CreateForNames();
  }

 private:
  using Finder = std::function<Draft*(const RuntimeDevice&)>;
  using Likeness = bool (*)(const Traits&, const Traits&);

  void DropFalseIdentities();
  void Attach(std::string_view how, const Finder& find);
  void AttachLike(std::string_view how, Likeness like);
  void CreateAtAddresses();
  void CreateForUuids();
  void CreateForNames();
  [[nodiscard]] bool IsTaken(const std::string& id) const;
  [[nodiscard]] std::string OwnId(const RuntimeDevice& device) const;
  Draft* ByAddress(const RuntimeDevice& device);
  Draft* ByUuid(const RuntimeDevice& device);
  std::vector<Draft*> Candidates(const RuntimeDevice& device, Likeness like);
  bool IsAlone(const RuntimeDevice& device, Likeness like) const;
  Draft& Create(std::string id, const RuntimeDevice& device);
  void AddView(Draft& draft, RuntimeDevice device, std::string_view how) const;

  std::vector<RuntimeDevice> open_;  // not attached yet
  std::vector<Draft>& drafts_;
};

// Two devices of one driver can not have one UUID: drivers that give the same to every card identify none.
void Matcher::DropFalseIdentities() {
  std::map<std::tuple<std::string, std::string, std::optional<std::string>, Uuid>, int> count;
  const auto key = [](const RuntimeDevice& d) {
    return std::tuple(d.runtime, d.driver, d.manifest, *d.identity.uuid);
  };
  for (const RuntimeDevice& device : open_) {
    if (device.identity.uuid) ++count[key(device)];
  }
  const bool bridge_is_gpu = std::any_of(
      drafts_.begin(), drafts_.end(), [](const Draft& draft) { return draft.identity.pci == kHostBridge; });
  for (RuntimeDevice& device : open_) {
    auto& identity = device.identity;
    if (identity.uuid && (*identity.uuid == Uuid{} || count[key(device)] > 1)) identity.uuid.reset();
    if (identity.pci == kHostBridge && !bridge_is_gpu) identity.pci.reset();
  }
}

void Matcher::AddView(Draft& draft, RuntimeDevice device, std::string_view how) const {
  if (!draft.identity.uuid) draft.identity.uuid = device.identity.uuid;
  if (!draft.identity.ids) draft.identity.ids = device.identity.ids;
  View& view = draft.views.emplace_back();
  view.matched_by = how;
  view.device = std::move(device);
}

// All of a stage are looked up before any is attached, so that no attachment of the stage decides another.
void Matcher::Attach(std::string_view how, const Finder& find) {
  std::vector<Draft*> found;
  found.reserve(open_.size());
  for (const RuntimeDevice& device : open_) found.push_back(find(device));
  std::vector<RuntimeDevice> rest;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (found[i] != nullptr) {
      AddView(*found[i], std::move(open_[i]), how);
    } else {
      rest.push_back(std::move(open_[i]));
    }
  }
  open_ = std::move(rest);
}

Traits TraitsOfDraft(const Draft& draft) {
  if (draft.hardware) return TraitsOf(*draft.hardware);
  if (!draft.views.empty()) return TraitsOf(draft.views.front().device);
  Traits out;
  if (draft.identity.ids) out.vendor = draft.identity.ids->vendor;
  return out;
}

bool HasUuid(const Draft& draft, const Uuid& uuid) {
  return draft.identity.uuid == uuid ||
         std::any_of(draft.views.begin(), draft.views.end(),
                     [&](const View& view) { return view.device.identity.uuid == uuid; });
}

Draft* Matcher::ByAddress(const RuntimeDevice& device) {
  if (!device.identity.pci) return nullptr;
  const Traits traits = TraitsOf(device);
  Draft* elsewhere = nullptr;
  int count = 0;
  for (Draft& draft : drafts_) {
    if (!draft.identity.pci || draft.identity.partition != device.identity.partition) continue;
    if (!SameNumbers(traits, TraitsOfDraft(draft))) continue;
    if (draft.identity.pci == device.identity.pci) return &draft;
    // Some interfaces have no room for the domain.
    PciAddress without_domain = *draft.identity.pci;
    without_domain.domain = 0;
    if (without_domain == *device.identity.pci) {
      elsewhere = &draft;
      ++count;
    }
  }
  return count == 1 ? elsewhere : nullptr;
}

Draft* Matcher::ByUuid(const RuntimeDevice& device) {
  if (!device.identity.uuid || device.identity.pci) return nullptr;
  for (Draft& draft : drafts_) {
    if (HasUuid(draft, *device.identity.uuid) && SameNumbers(TraitsOf(device), TraitsOfDraft(draft)))
      return &draft;
  }
  return nullptr;
}

std::vector<Draft*> Matcher::Candidates(const RuntimeDevice& device, Likeness like) {
  std::vector<Draft*> out;
  const Traits traits = TraitsOf(device);
  for (Draft& draft : drafts_) {
    const bool seen = std::any_of(draft.views.begin(), draft.views.end(), [&](const View& view) {
      return DriverKey(view.device) == DriverKey(device);
    });
    const bool contradicts = draft.identity.uuid && device.identity.uuid &&
                             draft.identity.uuid != device.identity.uuid && draft.hardware &&
                             draft.hardware->identity.uuid;
    if (draft.id == kHostId) continue;
    if (!seen && !contradicts && !draft.identity.partition && like(traits, TraitsOfDraft(draft)))
      out.push_back(&draft);
  }
  return out;
}

// No other open device of the same driver has the same claim.
bool Matcher::IsAlone(const RuntimeDevice& device, Likeness like) const {
  const Traits traits = TraitsOf(device);
  return std::count_if(open_.begin(), open_.end(), [&](const RuntimeDevice& other) {
           return DriverKey(other) == DriverKey(device) && like(traits, TraitsOf(other));
         }) == 1;
}

void Matcher::AttachLike(std::string_view how, Likeness like) {
  Attach(how, [&](const RuntimeDevice& device) -> Draft* {
    // An address or a partition that no hardware has is a device of its own.
    if (device.identity.pci || device.identity.partition || !IsAlone(device, like)) return nullptr;
    const auto candidates = Candidates(device, like);
    return candidates.size() == 1 ? candidates.front() : nullptr;
  });
}

Draft& Matcher::Create(std::string id, const RuntimeDevice& device) {
  Draft& draft = drafts_.emplace_back();
  draft.id = std::move(id);
  draft.identity = device.identity;
  return draft;
}

bool Matcher::IsTaken(const std::string& id) const {
  return std::any_of(drafts_.begin(), drafts_.end(), [&](const Draft& draft) { return draft.id == id; });
}

// Of a device without an identity: its number with its driver, the next free one where drivers share a name.
std::string Matcher::OwnId(const RuntimeDevice& device) const {
  const std::string start = device.runtime + ":" + Slug(device.driver) + ":";
  auto number = device.ordinal;
  while (IsTaken(start + std::to_string(number))) ++number;
  return start + std::to_string(number);
}

// Addresses without hardware: a container that hides sysfs, a partition, or a driver that pretends.
void Matcher::CreateAtAddresses() {
  for (const RuntimeDevice& device : open_) {
    if (!device.identity.pci || ByAddress(device) != nullptr) continue;
    Draft* parent = nullptr;
    if (device.identity.partition) {
      RuntimeDevice whole = device;
      whole.identity.partition.reset();
      parent = ByAddress(whole);
    }
    const auto parent_id = parent != nullptr ? std::optional(parent->id) : std::nullopt;
    std::string id = *IdOf(device.identity);
    Create(IsTaken(id) ? OwnId(device) : std::move(id), device).parent_id = parent_id;
  }
  Attach("pci", [&](const RuntimeDevice& device) { return ByAddress(device); });
  for (Draft& draft : drafts_) {
    if (!draft.parent_id) continue;
    for (View& view : draft.views) view.matched_by = "parent";
  }
}

void Matcher::CreateForUuids() {
  for (const RuntimeDevice& device : open_) {
    if (device.identity.uuid && ByUuid(device) == nullptr) Create(*IdOf(device.identity), device);
  }
  Attach("uuid", [&](const RuntimeDevice& device) { return ByUuid(device); });
}

// Devices from `first` on that are like it and were not taken yet.
std::vector<std::size_t> Group(const std::vector<RuntimeDevice>& devices, const std::vector<bool>& taken,
                               std::size_t first) {
  std::vector<std::size_t> group;
  for (std::size_t i = first; i < devices.size(); ++i) {
    if (!taken[i] && SameNameAndMemory(TraitsOf(devices[first]), TraitsOf(devices[i]))) group.push_back(i);
  }
  if (group.empty()) group = {first};  // without a name
  return group;
}

bool OncePerDriver(const std::vector<RuntimeDevice>& devices, const std::vector<std::size_t>& group) {
  for (const std::size_t a : group) {
    for (const std::size_t b : group) {
      if (a != b && DriverKey(devices[a]) == DriverKey(devices[b])) return false;
    }
  }
  return true;
}

// What is left has no identity. Drivers that each see one device of a name see the same one.
void Matcher::CreateForNames() {
  const std::vector<RuntimeDevice> rest = std::move(open_);
  open_.clear();
  std::vector<std::string> maybe(rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (const Draft* draft : Candidates(rest[i], SameVendorAndKind)) {
      maybe[i].append(maybe[i].empty() ? "may be " : " or ").append(draft->id);
    }
  }
  std::vector<bool> taken(rest.size(), false);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (taken[i]) continue;
    const auto group = Group(rest, taken, i);
    const bool together = OncePerDriver(rest, group);
    Draft* draft = nullptr;
    for (const std::size_t member : group) {
      const RuntimeDevice& device = rest[member];
      taken[member] = true;
      if (draft == nullptr || !together) {
        draft = &Create(OwnId(device), device);
      }
      if (!maybe[member].empty()) draft->conflicts.push_back({"identity", device.runtime, maybe[member]});
      AddView(*draft, device, together && group.size() > 1 ? "name" : "none");
    }
  }
}

}  // namespace

std::optional<std::string> IdOf(const Identity& identity) {
  const std::string part = identity.partition ? "#" + *identity.partition : "";
  if (identity.pci) return "pci:" + ToString(*identity.pci) + part;
  if (identity.uuid) return "uuid:" + ToString(*identity.uuid);
  return std::nullopt;
}

void Match(std::vector<RuntimeDevice> devices, std::vector<Draft>& drafts) {
  Matcher(std::move(devices), drafts).Run();
}

}  // namespace probe::unify
