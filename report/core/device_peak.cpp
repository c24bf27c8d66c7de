// SPDX-License-Identifier: MIT
#include "report/core/device_peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "data/targets/targets.h"

#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "report/core/card_name.h"
#include "report/core/devices.h"

namespace report {
namespace {

// "Apple M1 GPU" and "M1" are the "Apple M1" of the table, and "M1 Pro" is not.
bool IsCalled(const DevicePeak& row, std::string name) {
  constexpr std::string_view kSuffix = " gpu";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  const auto known = probe::Lower(row.name);
  return name == known || name == known.substr(known.find(' ') + 1);
}

// "Radeon RX 9060 XT 16GB", "Radeon 780M (Phoenix)": without what tells no product.
std::string ProductOf(std::string_view name) {
  std::string product;
  for (auto rest = name.substr(0, name.find('(')); !rest.empty();) {
    const auto word = probe::TakeUpTo(rest, ' ');
    if (!word.empty() && !IsMemorySize(word)) product.append(product.empty() ? "" : " ").append(word);
  }
  return product;
}

std::vector<std::string_view> Alternatives(std::string_view names) {
  std::vector<std::string_view> all;
  while (!names.empty()) all.push_back(probe::Trim(probe::TakeUpTo(names, '/')));
  return all;
}

// The name that the table has for the revision of a number; empty where it has none of its own.
std::string_view NameOfRevision(const probe::PciIds& ids) {
  auto any = ids;
  any.revision.reset();
  const auto base = probe::FindPciFacts(any);
  const auto own = probe::FindPciFacts(ids);
  return base && own && own->name != base->name ? own->name : std::string_view();
}

// What the device is called by whoever calls it one product: its revision, itself, its drivers.
std::vector<std::string> NamesOf(const probe::PhysicalDevice& device, const probe::PciIds& ids) {
  std::vector<std::string> names = {std::string(NameOfRevision(ids)), PrintedName(device.name)};
  for (const auto& view : device.views) names.push_back(PrintedName(view.device.name));
  std::erase_if(names, [](const std::string& name) { return Alternatives(name).size() != 1; });
  return names;
}

// With a number that is no size of memory; "VII" is one.
bool HasNumber(std::string_view name) {
  while (!name.empty()) {
    const auto word = probe::TakeUpTo(name, ' ');
    const bool is_roman = word.size() > 1 && word.find_first_not_of("IVX") == std::string_view::npos;
    if (is_roman || (!IsMemorySize(word) && std::any_of(word.begin(), word.end(), probe::IsDigit)))
      return true;
  }
  return false;
}

using PciRows = std::vector<const probe::PciRow*>;

PciRows NamedRows(const probe::PciIds& ids) {
  PciRows found;
  for (const probe::PciRow& row : probe::PciRows()) {
    if (row.vendor == ids.vendor && probe::ListsNumber(row.devices, ids.device)) found.push_back(&row);
  }
  return found;
}

// Whether it is called as the products with these numbers are, be it none of them: an "RX 6750 GRE" beside an
// "RX 6750 XT", but not a chip's "gfx1031".
bool NamesAProduct(const PciRows& known, std::string_view name) {
  if (!HasNumber(name)) return false;
  while (!name.empty()) {
    const auto word = probe::TakeUpTo(name, ' ');
    if (std::any_of(known.begin(), known.end(),
                    [&](const probe::PciRow* row) { return WordsLeftOut(word, row->name).has_value(); }))
      return true;
  }
  return false;
}

// Whether it only leaves words out of the row's name, and is none of the number's products as it stands:
// drivers call a "GTX 1650 Mobile" a "GTX 1650", and an "RX 5500" beside an "RX 5500 XT" is another card.
bool IsShortFor(const PciRows& known, const DevicePeak& row, std::string_view name) {
  const auto cards = Alternatives(row.name);
  const auto is_product = [&](const probe::PciRow* one) {
    const auto products = ProductsIn(ProductOf(one->name));
    return std::any_of(products.begin(), products.end(),
                       [&](const std::string& product) { return IsCardsName(name, product); });
  };
  return std::any_of(cards.begin(), cards.end(),
                     [&](std::string_view card) { return WordsLeftOut(name, card).has_value(); }) &&
         std::none_of(known.begin(), known.end(), is_product);
}

const DevicePeak* ById(const Peaks& peaks, const probe::Identity& identity,
                       const probe::PhysicalDevice& device) {
  return identity.ids ? RowOf(peaks, *identity.ids, NamesOf(device, *identity.ids)) : nullptr;
}

// What is said of the device's architecture: by itself, by its views, and by the table of its number.
std::set<std::string, std::less<>> ArchitecturesOf(const probe::PhysicalDevice& device) {
  std::set<std::string, std::less<>> all;
  const auto add = [&](const auto& text) {
    if (text && !text->empty()) all.emplace(*text);
  };
  if (device.hardware) {
    add(device.hardware->architecture);
    add(probe::FindFact(device.hardware->facts, "table_target"));
  }
  for (const auto& view : device.views) add(view.device.architecture);
  return all;
}

std::vector<const DevicePeak*> RowsOf(const Peaks& peaks, const PciRows& cards) {
  std::vector<const DevicePeak*> found;
  for (const DevicePeak& row : peaks.devices) {
    const auto ids = IdsOf(row);
    if (ids && std::any_of(cards.begin(), cards.end(), [&](const probe::PciRow* known) {
          return ids->vendor == known->vendor && probe::ListsNumber(known->devices, ids->device);
        }))
      found.push_back(&row);
  }
  return found;
}

// The device's own numbers, or as a driver has them.
std::optional<probe::PciIds> NumbersOf(const probe::PhysicalDevice& device) {
  if (device.hardware && device.hardware->identity.ids) return device.hardware->identity.ids;
  for (const auto& view : device.views) {
    if (view.device.identity.ids) return view.device.identity.ids;
  }
  return std::nullopt;
}

// The table's name for such a card; empty where it has none, and of a part of a chip.
std::string_view ListedName(const probe::PhysicalDevice& device) {
  const auto ids = device.kind == probe::DeviceKind::kIntegrated ? std::nullopt : NumbersOf(device);
  const auto facts = ids ? probe::FindPciFacts(*ids) : std::nullopt;
  return facts ? facts->name : std::string_view();
}

// Products of one chip have numbers of one block of 128: 1c00 to 1c7f of a GTX 1060's (PCI ID database).
constexpr std::uint32_t kNumbersOfChip = 128;

using Rows = std::vector<const DevicePeak*>;

template <typename Nearness>
Rows NearestOf(const Rows& rows, Nearness nearness) {
  Rows nearest;
  for (const DevicePeak* row : rows) {
    if (!nearest.empty() && nearness(*row) < nearness(*nearest.front())) continue;
    if (!nearest.empty() && nearness(*row) > nearness(*nearest.front())) nearest.clear();
    nearest.push_back(row);
  }
  return nearest;
}

std::string CalledName(const probe::PhysicalDevice& device) {
  return fmt::format("{} {}", ListedName(device), device.name);
}

// Of cards those of its chip, and of these those that are for laptops where it is.
Rows OfItsChip(const Rows& rows, const probe::PhysicalDevice& device) {
  const auto ids = NumbersOf(device);
  const bool is_for_laptops = IsForLaptops(CalledName(device));
  return NearestOf(rows, [&](const DevicePeak& row) {
    const auto its = IdsOf(row);
    const bool is_of_chip = ids && its && its->device / kNumbersOfChip == ids->device / kNumbersOfChip;
    return std::tuple(row.memory.has_value(), is_of_chip, IsForLaptops(row.name) == is_for_laptops);
  });
}

// Those with the most words of its name: an A800's are an A100's of that form and memory, and not an A30's.
Rows OfItsName(const Rows& rows, const probe::PhysicalDevice& device) {
  const auto name = CalledName(device);
  return NearestOf(rows, [&](const DevicePeak& row) { return WordsInCommon(name, row.name); });
}

// Parts of chips of the same maker, of an architecture as that calls it: "Gen9.5" is several chips.
PciRows OfTheirGenerations(const PciRows& parts) {
  PciRows all;
  for (const probe::PciRow& known : probe::PciRows()) {
    if (known.kind == "integrated" && std::any_of(parts.begin(), parts.end(), [&](const auto* part) {
          return part->vendor == known.vendor && !known.architecture.empty() &&
                 part->architecture == known.architecture;
        }))
      all.push_back(&known);
  }
  return all;
}

// The device's numbers that the row is for, as whoever tells them has them.
std::optional<probe::PciIds> IdsBy(const DevicePeak& row, const probe::PhysicalDevice& device) {
  const auto own = IdsOf(row);
  const auto are_its = [&](const std::optional<probe::PciIds>& ids) {
    return own && ids && ids->vendor == own->vendor && ids->device == own->device;
  };
  if (device.hardware && are_its(device.hardware->identity.ids)) return device.hardware->identity.ids;
  for (const auto& view : device.views) {
    if (are_its(view.device.identity.ids)) return view.device.identity.ids;
  }
  return std::nullopt;
}

}  // namespace

std::optional<probe::PciIds> IdsOf(const DevicePeak& row) {
  std::string_view id = row.id;
  const auto vendor = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(id, ':'), 16);
  const auto device = probe::ParseNumber<std::uint32_t>(id, 16);
  return vendor && device ? std::optional(probe::PciIds{*vendor, *device, {}, {}, {}}) : std::nullopt;
}

std::vector<const DevicePeak*> StandInsFor(const Peaks& peaks, const probe::PhysicalDevice& device) {
  if (const auto* row = FindPeak(peaks, device)) {
    if (!IsOfAnother(*row, device)) return {};
    return {row};
  }
  const auto own = ArchitecturesOf(device);
  std::set<std::string_view> chips(own.begin(), own.end());
  for (const auto& [chip, runtime, architecture] : probe::ParseTable<3>(data::targets::ArchitecturesText())) {
    if (own.contains(architecture)) chips.insert(chip);
  }
  const bool is_part = device.kind == probe::DeviceKind::kIntegrated;
  // Of a name with a number that chips of several architectures have all of those.
  const bool has_number = std::any_of(device.name.begin(), device.name.end(), probe::IsDigit);
  for (const probe::PciRow& known : probe::PciRows()) {
    const bool may_be = is_part && has_number && own.empty() && known.vendor == VendorOf(device) &&
                        !known.target.empty() && IsCardsName(device.name, known.name);
    if (may_be) chips.insert(known.target);
  }
  PciRows alike;
  for (const probe::PciRow& known : probe::PciRows()) {
    if (chips.contains(known.target) && (known.kind == "integrated") == is_part) alike.push_back(&known);
  }
  auto found = RowsOf(peaks, alike);
  if (HasNearest(device)) return OfItsChip(found, device);
  return found.empty() && is_part ? RowsOf(peaks, OfTheirGenerations(alike)) : found;
}

bool HasNearest(const probe::PhysicalDevice& device) { return !ListedName(device).empty(); }

const DevicePeak* StandInFor(const Peaks& peaks, const probe::PhysicalDevice& device) {
  auto rows = StandInsFor(peaks, device);
  std::erase_if(rows, [](const DevicePeak* row) { return !row->memory; });
  if (HasNearest(device)) rows = OfItsName(rows, device);
  const auto slowest = std::min_element(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return std::tie(*a->memory, a->fp32, a->id) < std::tie(*b->memory, b->fp32, b->id);
  });
  return slowest == rows.end() ? nullptr : *slowest;
}

const DevicePeak* RowOf(const Peaks& peaks, const probe::PciIds& ids, std::span<const std::string> names) {
  const auto id = fmt::format("{:04x}:{:04x}", ids.vendor, ids.device);
  std::vector<const DevicePeak*> rows;
  for (const DevicePeak& row : peaks.devices) {
    if (row.id == id) rows.push_back(&row);
  }
  for (const std::string& name : names) {
    const auto own =
        std::find_if(rows.begin(), rows.end(), [&](const DevicePeak* row) { return IsRowOf(*row, name); });
    if (own != rows.end()) return *own;
  }
  return rows.empty() ? nullptr : rows.front();
}

const DevicePeak* FindPeak(const Peaks& peaks, const probe::PhysicalDevice& device) {
  if (device.hardware) {
    if (const auto* row = ById(peaks, device.hardware->identity, device)) return row;
  }
  for (const auto& view : device.views) {
    if (const auto* row = ById(peaks, view.device.identity, device)) return row;
  }
  const auto number = VendorOf(device);
  if (!number) return nullptr;
  const auto vendor = fmt::format("{:04x}", *number);
  const auto name = probe::Lower(device.name);
  for (const DevicePeak& row : peaks.parts) {
    if (row.id == vendor && IsCalled(row, name)) return &row;
  }
  return nullptr;
}

bool IsRowOf(const DevicePeak& row, std::string_view name) {
  if (const auto products = ProductsIn(name); products.size() > 1)
    return std::all_of(products.begin(), products.end(),
                       [&](const std::string& product) { return IsRowOf(row, product); });
  const auto known = ProductsIn(row.name);
  return std::any_of(known.begin(), known.end(), [&](std::string_view one) {
    const auto is_its = [&](std::string_view written) {
      return IsCardsName(written, one) || IsCardsName(written, ProductOf(one));
    };
    const auto spelled = SpelledAs(name, one);
    return is_its(name) || (!spelled.empty() && is_its(spelled));
  });
}

bool AreSeveral(const probe::PciIds& ids) {
  const auto rows = probe::PciRows();
  std::size_t count = 0;
  return std::any_of(rows.begin(), rows.end(), [&](const probe::PciRow& row) {
    return row.vendor == ids.vendor && probe::ListsNumber(row.devices, ids.device) &&
           (++count > 1 || row.name.find('/') != std::string_view::npos);
  });
}

bool IsOfAnother(const DevicePeak& row, const probe::PhysicalDevice& device) {
  const auto ids = IdsBy(row, device);
  if (!ids) return false;
  // A name without a number is one of a series.
  const auto is_its = [&](std::string_view name) { return IsRowOf(row, name) || !HasNumber(name); };
  const auto revision = Alternatives(NameOfRevision(*ids));
  if (!revision.empty()) return std::none_of(revision.begin(), revision.end(), is_its);
  if (!AreSeveral(*ids)) return false;
  const auto names = NamesOf(device, *ids);
  const auto known = NamedRows(*ids);
  return std::none_of(names.begin(), names.end(), [&](const auto& name) { return IsRowOf(row, name); }) &&
         std::any_of(names.begin(), names.end(), [&](const auto& name) {
           return NamesAProduct(known, name) && !IsShortFor(known, row, name);
         });
}

}  // namespace report
