// SPDX-License-Identifier: MIT
#include "probe/unify/match.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "probe/core/number_facts.h"
#include "probe/core/parse.h"
#include "probe/unify/likeness.h"

namespace probe::unify {
namespace {

constexpr PciAddress kHostBridge{};  // 0000:00:00.0: what drivers without a real device give as their address

// What drivers give that know none: all zeros, or memory that was never written.
bool IsPlaceholder(const Uuid& uuid) {
  return (uuid.front() == 0 || uuid.front() == 0xff) &&
         std::all_of(uuid.begin(), uuid.end(), [&](std::uint8_t byte) { return byte == uuid.front(); });
}

// Numbers that a kernel gives its devices, and what tied them is called: "226:128", for the render node tells
// GPUs apart that one display driver serves, or the driver's entry in the registry.
struct NumberFact {
  std::string_view key;
  std::string_view how;
};
constexpr std::array kNumberFacts = {NumberFact{kRenderNodeFact, "drm"}, NumberFact{kDisplayNodeFact, "drm"},
                                     NumberFact{kRegistryFact, "registry"}};

// Devices of one driver of one runtime see the hardware once each.
using DriverKey = std::tuple<std::string, std::string, std::optional<std::string>>;

// A device that is not attached yet, with what is compared again and again.
struct Open {
  RuntimeDevice device;
  Traits traits;
  std::size_t driver = 0;  // equal for devices of one DriverKey
};

// Where drafts stand in their list, those first that were made first.
using Places = std::set<std::size_t>;
using Place = std::optional<std::size_t>;
using Partition = std::optional<std::string>;
using AddressKey = std::tuple<PciAddress, Partition>;

PciAddress WithoutDomain(PciAddress address) {
  address.domain = 0;
  return address;
}

Traits TraitsOfDraft(const Draft& draft) {
  if (draft.hardware) return TraitsOf(*draft.hardware);
  if (!draft.views.empty()) return TraitsOf(draft.views.front().device);
  Traits out;
  if (draft.identity.ids) out.vendor = draft.identity.ids->vendor;
  return out;
}

class Matcher {
 public:
  Matcher(std::vector<RuntimeDevice> devices, std::vector<Draft>& drafts) : drafts_(drafts) {
    DropFalseIdentities(devices);
    NamePartitions(devices);
    std::map<DriverKey, std::size_t> drivers;
    for (RuntimeDevice& device : devices) {
      const auto driver =
          drivers.try_emplace(DriverKey(device.runtime, device.driver, device.manifest), drivers.size());
      Traits traits = TraitsOf(device);
      open_.push_back({std::move(device), std::move(traits), driver.first->second});
    }
    for (std::size_t place = 0; place < drafts_.size(); ++place) Enter(place);
  }

  void Run() {
    Attach("pci", [&](const Open& open) { return ByAddress(open); });
    CreateAtAddresses();
    for (const std::string_view how : {"drm", "registry"})
      Attach(how, [&](const Open& open) { return ByNumber(open, how); });
    Attach("uuid", [&](const Open& open) { return ByUuid(open); });
    AttachLike("only_candidate", SameVendorAndKind);
    AttachLike("only_candidate", SameChip);
    CreateForUuids();
    AttachLike("name", SameNameAndMemory);
    CreateForNames();
  }

 private:
  using Finder = std::function<Place(const Open&)>;
  using Likeness = bool (*)(const Traits&, const Traits&);

  void DropFalseIdentities(std::vector<RuntimeDevice>& devices) const;
  void NamePartitions(const std::vector<RuntimeDevice>& devices);
  void Enter(std::size_t place);
  void Attach(std::string_view how, const Finder& find);
  void AttachLike(std::string_view how, Likeness like);
  void CreateAtAddresses();
  void CreateForUuids();
  void CreateForNames();
  [[nodiscard]] std::string OwnId(const RuntimeDevice& device);
  [[nodiscard]] Partition PartitionOf(const RuntimeDevice& device) const;
  [[nodiscard]] Place ByAddress(const Open& open) const;
  [[nodiscard]] Place ByAddress(const Open& open, const Partition& partition) const;
  [[nodiscard]] Place ByNumber(const Open& open, std::string_view how) const;
  [[nodiscard]] Place ByUuid(const Open& open) const;
  [[nodiscard]] std::vector<std::size_t> Candidates(const Open& open, Likeness like, std::size_t most) const;
  [[nodiscard]] bool IsAlone(const Open& open, Likeness like) const;
  std::size_t Create(std::string id, const RuntimeDevice& device);
  std::size_t CreateByIdentity(const RuntimeDevice& device);
  void AddView(std::size_t place, Open open, std::string_view how);

  std::vector<Open> open_;  // not attached yet
  std::vector<Draft>& drafts_;
  // Of every draft, in their order: what it is compared by, and the drivers that see it.
  std::vector<Traits> traits_;
  std::vector<std::set<std::size_t>> seen_by_;
  // Where to look first. A machine has few devices; a record may claim thousands.
  std::map<AddressKey, Places> at_address_;
  std::map<AddressKey, Places> at_address_without_domain_;
  std::map<std::string, Places> with_number_;  // by the kernel's, of hardware alone
  std::map<Uuid, Places> with_uuid_;
  // Of the partitions that some runtime names, by what the others tell of them; none where that is of
  // several.
  std::map<std::pair<PciAddress, Uuid>, Partition> partitions_;
  std::set<std::string> taken_ids_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> next_number_;
};

// Two devices of one driver can not have one UUID: drivers that give the same to every card identify none.
void Matcher::DropFalseIdentities(std::vector<RuntimeDevice>& devices) const {
  std::map<std::tuple<std::string, std::string, std::optional<std::string>, Uuid>, int> count;
  const auto key = [](const RuntimeDevice& d) {
    return std::tuple(d.runtime, d.driver, d.manifest, *d.identity.uuid);
  };
  for (const RuntimeDevice& device : devices) {
    if (device.identity.uuid) ++count[key(device)];
  }
  const bool bridge_is_gpu = std::any_of(
      drafts_.begin(), drafts_.end(), [](const Draft& draft) { return draft.identity.pci == kHostBridge; });
  for (RuntimeDevice& device : devices) {
    auto& identity = device.identity;
    if (identity.uuid && (IsPlaceholder(*identity.uuid) || count[key(device)] > 1)) identity.uuid.reset();
    if (identity.pci == kHostBridge && !bridge_is_gpu) identity.pci.reset();
  }
}

// Not every runtime can tell a partition that it shows alone from the whole card, but the UUID is of that
// partition. A UUID that the card itself has tells nothing.
void Matcher::NamePartitions(const std::vector<RuntimeDevice>& devices) {
  const auto add = [&](const Identity& identity) {
    if (!identity.pci || !identity.uuid) return;
    Partition& known =
        partitions_.try_emplace({*identity.pci, *identity.uuid}, identity.partition).first->second;
    if (known != identity.partition) known.reset();
  };
  for (const RuntimeDevice& device : devices) {
    if (device.identity.partition) add(device.identity);
  }
  for (const Draft& draft : drafts_) {
    if (!draft.identity.partition) add(draft.identity);
  }
}

Partition Matcher::PartitionOf(const RuntimeDevice& device) const {
  const Identity& identity = device.identity;
  if (identity.partition || !identity.pci || !identity.uuid) return identity.partition;
  const auto named = partitions_.find({*identity.pci, *identity.uuid});
  return named == partitions_.end() ? std::nullopt : named->second;
}

// Makes a draft that was just appended known to all lookups.
void Matcher::Enter(std::size_t place) {
  const Draft& draft = drafts_[place];
  traits_.push_back(TraitsOfDraft(draft));
  seen_by_.emplace_back();
  taken_ids_.insert(draft.id);
  if (draft.identity.pci) {
    at_address_[{*draft.identity.pci, draft.identity.partition}].insert(place);
    at_address_without_domain_[{WithoutDomain(*draft.identity.pci), draft.identity.partition}].insert(place);
  }
  if (draft.identity.uuid) with_uuid_[*draft.identity.uuid].insert(place);
  for (const NumberFact& fact : kNumberFacts) {
    const std::string* number = draft.hardware ? FindFact(draft.hardware->facts, fact.key) : nullptr;
    if (number != nullptr) with_number_[*number].insert(place);
  }
}

void Matcher::AddView(std::size_t place, Open open, std::string_view how) {
  Draft& draft = drafts_[place];
  const Identity& identity = open.device.identity;
  if (!draft.identity.uuid) draft.identity.uuid = identity.uuid;
  if (!draft.identity.ids) draft.identity.ids = identity.ids;
  if (identity.uuid) with_uuid_[*identity.uuid].insert(place);
  if (!draft.hardware && draft.views.empty()) traits_[place] = open.traits;
  seen_by_[place].insert(open.driver);
  View& view = draft.views.emplace_back();
  view.matched_by = how;
  view.device = std::move(open.device);
}

// All of a stage are looked up before any is attached, so that no attachment of the stage decides another.
void Matcher::Attach(std::string_view how, const Finder& find) {
  std::vector<Place> found;
  found.reserve(open_.size());
  for (const Open& open : open_) found.push_back(find(open));
  std::vector<Open> rest;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (found[i]) {
      AddView(*found[i], std::move(open_[i]), how);
    } else {
      rest.push_back(std::move(open_[i]));
    }
  }
  open_ = std::move(rest);
}

Place Matcher::ByAddress(const Open& open) const { return ByAddress(open, PartitionOf(open.device)); }

Place Matcher::ByAddress(const Open& open, const Partition& partition) const {
  const auto& [device, traits, driver] = open;
  if (!device.identity.pci) return std::nullopt;
  const AddressKey key(*device.identity.pci, partition);
  if (const auto exact = at_address_.find(key); exact != at_address_.end()) {
    for (const std::size_t place : exact->second) {
      if (SameNumbers(traits, traits_[place])) return place;
    }
  }
  // Some interfaces have no room for the domain.
  const auto elsewhere = at_address_without_domain_.find(key);
  if (elsewhere == at_address_without_domain_.end()) return std::nullopt;
  Place only;
  for (const std::size_t place : elsewhere->second) {
    if (!SameNumbers(traits, traits_[place])) continue;
    if (only) return std::nullopt;
    only = place;
  }
  return only;
}

// These numbers are the kernel's: what has an address was found by that, or is elsewhere.
Place Matcher::ByNumber(const Open& open, std::string_view how) const {
  if (open.device.identity.pci || open.device.identity.partition) return std::nullopt;
  for (const NumberFact& fact : kNumberFacts) {
    const std::string* number = fact.how == how ? FindFact(open.device.facts, fact.key) : nullptr;
    const auto known = number != nullptr ? with_number_.find(*number) : with_number_.end();
    if (known == with_number_.end() || known->second.size() != 1) continue;
    const std::size_t place = *known->second.begin();
    if (SameNumbers(open.traits, traits_[place]) && !seen_by_[place].contains(open.driver)) return place;
  }
  return std::nullopt;
}

Place Matcher::ByUuid(const Open& open) const {
  const Identity& identity = open.device.identity;
  if (!identity.uuid || identity.pci) return std::nullopt;
  const auto known = with_uuid_.find(*identity.uuid);
  if (known == with_uuid_.end()) return std::nullopt;
  for (const std::size_t place : known->second) {
    if (SameNumbers(open.traits, traits_[place])) return place;
  }
  return std::nullopt;
}

// At most `most` of them.
std::vector<std::size_t> Matcher::Candidates(const Open& open, Likeness like, std::size_t most) const {
  std::vector<std::size_t> out;
  const auto& uuid = open.device.identity.uuid;
  for (std::size_t place = 0; place < drafts_.size() && out.size() < most; ++place) {
    if (!like(open.traits, traits_[place])) continue;
    const Draft& draft = drafts_[place];
    const bool contradicts = draft.identity.uuid && uuid && draft.identity.uuid != uuid && draft.hardware &&
                             draft.hardware->identity.uuid;
    if (draft.id == kHostId || contradicts || draft.identity.partition) continue;
    if (!seen_by_[place].contains(open.driver)) out.push_back(place);
  }
  return out;
}

// No other open device of the same driver has the same claim.
bool Matcher::IsAlone(const Open& open, Likeness like) const {
  int count = 0;
  for (const Open& other : open_) {
    if (other.driver == open.driver && like(open.traits, other.traits) && ++count > 1) return false;
  }
  return count == 1;
}

void Matcher::AttachLike(std::string_view how, Likeness like) {
  Attach(how, [&](const Open& open) -> Place {
    // An address or a partition that no hardware has is a device of its own.
    const Identity& identity = open.device.identity;
    if (identity.pci || identity.partition || !IsAlone(open, like)) return std::nullopt;
    const auto candidates = Candidates(open, like, 2);
    return candidates.size() == 1 ? Place(candidates.front()) : std::nullopt;
  });
}

std::size_t Matcher::Create(std::string id, const RuntimeDevice& device) {
  Draft& draft = drafts_.emplace_back();
  draft.id = std::move(id);
  draft.identity = device.identity;
  Enter(drafts_.size() - 1);
  return drafts_.size() - 1;
}

// Of a device without an identity: its number with its driver, the next free one where drivers share a name.
std::string Matcher::OwnId(const RuntimeDevice& device) {
  const std::string start = device.runtime + ":" + Slug(device.driver) + ":";
  // Ids are never given back: what was not free the last time is not now.
  auto& number = next_number_.try_emplace({start, device.ordinal}, device.ordinal).first->second;
  while (taken_ids_.contains(start + std::to_string(number))) ++number;
  return start + std::to_string(number);
}

// Drivers that disagree on all but the identity see different devices, each with an id of its own.
std::size_t Matcher::CreateByIdentity(const RuntimeDevice& device) {
  std::string id = *IdOf(device.identity);
  return Create(taken_ids_.contains(id) ? OwnId(device) : std::move(id), device);
}

// Addresses without hardware: a container that hides sysfs, a partition, or a driver that pretends.
void Matcher::CreateAtAddresses() {
  for (const Open& open : open_) {
    const RuntimeDevice& device = open.device;
    // A partition is made of the device that has its name.
    if (!device.identity.pci || ByAddress(open) || PartitionOf(device) != device.identity.partition) continue;
    const Place parent = device.identity.partition ? ByAddress(open, std::nullopt) : std::nullopt;
    const auto parent_id = parent ? std::optional(drafts_[*parent].id) : std::nullopt;
    const std::size_t place = CreateByIdentity(device);
    drafts_[place].parent_id = parent_id;
  }
  Attach("pci", [&](const Open& open) { return ByAddress(open); });
  for (Draft& draft : drafts_) {
    if (!draft.parent_id) continue;
    for (View& view : draft.views) view.matched_by = "parent";
  }
}

void Matcher::CreateForUuids() {
  for (const Open& open : open_) {
    if (open.device.identity.uuid && !ByUuid(open)) CreateByIdentity(open.device);
  }
  Attach("uuid", [&](const Open& open) { return ByUuid(open); });
}

// Of `alike`, which have one name, those from `first` on that are like it and were not taken yet.
std::vector<std::size_t> Group(const std::vector<Open>& devices, const std::vector<std::size_t>& alike,
                               const std::vector<bool>& taken, std::size_t first) {
  std::vector<std::size_t> group;
  for (const std::size_t i : alike) {
    if (i >= first && !taken[i] && SameNameAndMemory(devices[first].traits, devices[i].traits))
      group.push_back(i);
  }
  if (group.empty()) group = {first};  // without a name
  return group;
}

bool OncePerDriver(const std::vector<Open>& devices, const std::vector<std::size_t>& group) {
  std::set<std::size_t> drivers;
  return std::all_of(group.begin(), group.end(),
                     [&](std::size_t member) { return drivers.insert(devices[member].driver).second; });
}

// What is left has no identity. Drivers that each see one device of a name see the same one.
void Matcher::CreateForNames() {
  constexpr std::size_t kMostNamed = 8;
  std::vector<Open> rest = std::move(open_);
  open_.clear();
  std::vector<std::string> maybe(rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto candidates = Candidates(rest[i], SameVendorAndKind, kMostNamed + 1);
    for (std::size_t named = 0; named < std::min(candidates.size(), kMostNamed); ++named)
      maybe[i].append(named == 0 ? "may be " : " or ").append(drafts_[candidates[named]].id);
    if (candidates.size() > kMostNamed) maybe[i].append(" or another");
  }
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < rest.size(); ++i) by_name[rest[i].traits.name].push_back(i);
  std::vector<bool> taken(rest.size(), false);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (taken[i]) continue;
    const auto group = Group(rest, by_name[rest[i].traits.name], taken, i);
    const bool together = OncePerDriver(rest, group);
    Place place;
    for (const std::size_t member : group) {
      taken[member] = true;
      if (!place || !together) place = Create(OwnId(rest[member].device), rest[member].device);
      if (!maybe[member].empty())
        drafts_[*place].conflicts.push_back({"identity", rest[member].device.runtime, maybe[member]});
      AddView(*place, std::move(rest[member]), together && group.size() > 1 ? "name" : "none");
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
