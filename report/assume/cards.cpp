// SPDX-License-Identifier: MIT
#include "report/assume/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "data/runtimes/runtimes.h"
#include "data/tables.h"
#include "data/targets/targets.h"

#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "probe/core/vendor_names.h"
#include "report/assume/known_card.h"
#include "report/core/architecture.h"
#include "report/core/card_name.h"
#include "report/core/device_peak.h"

namespace report::assume {
namespace {

bool IsOf(const Row& row, std::uint32_t vendor, std::uint32_t device) {
  return row.vendor == vendor && row.device == device;
}

// As the first of the rows of these numbers has them, where this one has no target of its own.
void TakeKindAndTarget(const Rows& rows, Row& row) {
  const auto base = std::find_if(rows.begin(), rows.end(),
                                 [&](const Row& one) { return IsOf(one, row.vendor, row.device); });
  if (base == rows.end()) return;
  row.kind = base->kind;
  if (row.target.empty()) row.target = base->target;
}

// Once for each of its numbers: rates are known by number, and any of them may be the one.
void AddCards(Rows& rows) {
  for (const probe::PciRow& known : probe::PciRows()) {
    for (const auto id : known.devices) {
      Row row{known.vendor, id, known.name, known.kind, known.target};
      // A revision's row says what differs from the one before it.
      if (!known.revisions.empty()) TakeKindAndTarget(rows, row);
      rows.push_back(row);
    }
  }
}

// "Apple M1 GPU" is called "Apple M1".
void AddPartsOfChips(Rows& rows) {
  constexpr std::string_view kSuffix = " GPU";
  for (const auto& [match, full_name, maker, family, target, compatible] :
       probe::ParseTable<6>(data::kSocGpus)) {
    if (match != "product") continue;
    auto name = full_name;
    if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
    for (const probe::VendorNames& vendor : probe::KnownVendors()) {
      if (vendor.name != maker) continue;
      rows.push_back({vendor.number, 0, name, "integrated", target});
      break;
    }
  }
}

// Whether that name leads to the card of these numbers, and to no other card that has all of it.
bool IsMeant(const Rows& rows, std::uint32_t vendor, std::uint32_t device, std::string_view name) {
  const auto any = [&](auto holds) { return std::any_of(rows.begin(), rows.end(), holds); };
  const Spelling spelling(name);
  const auto has_name = [&](const Row& row) { return !spelling.In(row.name).empty(); };
  if (any([&](const Row& row) { return IsOf(row, vendor, device) && has_name(row); })) return true;
  return any([&](const Row& row) { return IsOf(row, vendor, device) && WordsLeftOut(name, row.name); }) &&
         !any([&](const Row& row) { return row.vendor == vendor && row.device != device && has_name(row); });
}

// By the names that their rates are known by, where PCI's table has others: its "H200 SXM 141GB" is an
// "H200 SXM5", and its "RTX 3060" of one number has 12 GB, but so has another's by its name.
void AddRatedCards(Rows& rows) {
  for (const DevicePeak& card : EmbeddedPeaks().devices) {
    std::string_view ids = card.id;
    const auto vendor = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(ids, ':'), 16);
    const auto device = probe::ParseNumber<std::uint32_t>(ids, 16);
    if (!vendor || !device) continue;
    for (std::string_view names = card.name; !names.empty();) {
      const auto name = probe::Trim(probe::TakeUpTo(names, '/'));
      if (IsMeant(rows, *vendor, *device, name)) continue;
      Row row{*vendor, *device, name, "", ""};
      TakeKindAndTarget(rows, row);
      rows.push_back(row);
    }
  }
}

// Those whose rates are known, and that no device tree has yet.
void AddRatedParts(Rows& rows) {
  for (const DevicePeak& part : EmbeddedPeaks().parts) {
    const auto vendor = probe::ParseNumber<std::uint32_t>(part.id, 16);
    if (!vendor) continue;
    const auto own = probe::Lower(part.name);
    // "orin", of what device trees call "orin gpu (ga10b)"
    const auto is_called = [&](const Row& row, const std::string& so) {
      if (row.vendor != *vendor || row.device != 0) return false;
      const auto name = probe::Lower(row.name);
      return name == so || name.starts_with(so + " gpu");
    };
    const auto find = [&](const std::string& so) {
      return std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return is_called(row, so); });
    };
    if (find(own) != rows.end()) continue;
    // An "orin nx" is a smaller "orin".
    const auto chip = find(own.substr(0, own.find(' ')));
    rows.push_back({*vendor, 0, part.name, "integrated", chip == rows.end() ? "" : chip->target});
  }
}

// The rows of peaks with a figure of memory.
struct Sized {
  std::string_view id;
  std::string_view names;
  std::string_view bytes;
};

const std::vector<Sized>& SizedCards() {
  static const std::vector<Sized> cards = [] {
    std::vector<Sized> all;
    for (const auto& [id, name, bytes, memory, fp32, matrix16, int8, date, source] :
         probe::ParseTable<9>(data::CardPeaksText())) {
      if (!bytes.empty()) all.push_back({id, name, bytes});
    }
    return all;
  }();
  return cards;
}

}  // namespace

bool IsGpu(const Row& row) { return row.kind == "discrete" || row.kind == "integrated"; }

const Rows& AllRows() {
  static const Rows rows = [] {
    Rows all;
    AddCards(all);
    AddRatedCards(all);
    AddPartsOfChips(all);
    AddRatedParts(all);
    return all;
  }();
  return rows;
}

bool HasRates(const Row& row) {
  const auto id = fmt::format("{:04x}:{:04x}", row.vendor, row.device);
  const auto& known = EmbeddedPeaks().devices;
  return std::any_of(known.begin(), known.end(),
                     [&](const DevicePeak& peak) { return peak.id == id && peak.memory; });
}

bool HasNoOneSize(const Row& row) {
  const auto id = fmt::format("{:04x}:{:04x}", row.vendor, row.device);
  const auto& sized = SizedCards();
  return HasRates(row) &&
         std::none_of(sized.begin(), sized.end(), [&](const Sized& card) { return card.id == id; });
}

bool IsRowsName(std::string_view name) {
  const auto wanted = probe::Lower(name);
  return std::any_of(AllRows().begin(), AllRows().end(),
                     [&](const Row& row) { return IsGpu(row) && probe::Lower(row.name) == wanted; });
}

std::string Spelled(const std::string& name) {
  const Spelling spelling(name);
  // What is left of an "Intel Graphics" without its maker is in the names of hundreds and says nothing.
  const auto spelled = [&](std::string_view card) {
    const auto so = spelling.In(card);
    return WordsLeftOut(so, card) ? so : std::string_view();
  };
  for (const Row& row : AllRows()) {
    if (const auto so = spelled(row.name); !so.empty()) return std::string(so);
  }
  for (const DevicePeak& card : EmbeddedPeaks().devices) {
    if (const auto so = spelled(card.name); !so.empty()) return std::string(so);
  }
  return name;
}

bool IsOneOf(std::string_view written, std::string_view names) {
  while (!names.empty()) {
    if (IsCardsName(written, probe::Trim(probe::TakeUpTo(names, '/')))) return true;
  }
  return false;
}

std::string LettersOf(std::string_view name) {
  std::string plain;
  for (auto rest = name; !rest.empty();) {
    const auto word = probe::TakeUpTo(rest, ' ');
    if (!IsMemorySize(word)) plain.append(probe::Lower(word));
  }
  std::erase_if(plain, [](char c) { return !probe::IsDigit(c) && (c < 'a' || c > 'z'); });
  return plain;
}

const std::vector<Alias>& Aliases() {
  static const std::vector<Alias> aliases = [] {
    std::vector<Alias> all;
    for (const auto& [name, card, source] : probe::ParseTable<3>(data::kCardAliases))
      all.push_back({name, card});
    return all;
  }();
  return aliases;
}

std::optional<std::string> CardOfAlias(std::string_view name) {
  const auto written = LettersOf(name);
  for (const Alias& alias : Aliases()) {
    if (LettersOf(alias.name) == written) return std::string(alias.card);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> MemoryOfProduct(const Row& row, std::string_view name) {
  if (const auto products = ProductsIn(name); products.size() > 1) {
    std::set<std::optional<std::uint64_t>> sizes;
    for (const std::string& product : products) sizes.insert(MemoryOfProduct(row, product));
    return sizes.size() == 1 ? *sizes.begin() : std::nullopt;
  }
  const auto id = fmt::format("{:04x}:{:04x}", row.vendor, row.device);
  const bool is_only =
      IsCardsName(name, row.name) && !AreSeveral(probe::PciIds{row.vendor, row.device, {}, {}, {}});
  for (const Sized& card : SizedCards()) {
    if (card.id != id) continue;
    std::string_view bytes;
    auto figures = card.bytes;
    for (auto names = card.names; !names.empty();) {
      if (!figures.empty())
        bytes = probe::Trim(probe::TakeUpTo(figures, '/'));  // the last holds for the rest
      DevicePeak product;
      product.name = probe::Trim(probe::TakeUpTo(names, '/'));
      if (is_only || IsRowOf(product, name)) return probe::ParseNumber<std::uint64_t>(bytes);
    }
  }
  return std::nullopt;
}

bool BuildsPartsAlone(std::uint32_t vendor) {
  const auto is_its = [&](const Row& row) { return row.vendor == vendor && IsGpu(row); };
  const auto& rows = AllRows();
  return std::any_of(rows.begin(), rows.end(), is_its) &&
         std::none_of(rows.begin(), rows.end(),
                      [&](const Row& row) { return is_its(row) && row.kind == "discrete"; });
}

bool OthersAreNamedLike(std::string_view name, std::uint32_t vendor) {
  constexpr std::size_t kShortName = 3;
  const auto is_short = [](std::string_view word) {
    return word.size() >= 2 && word.size() <= kShortName && probe::IsDigits(word.substr(1));
  };
  if (!is_short(name)) return false;
  return std::any_of(AllRows().begin(), AllRows().end(), [&](const Row& row) {
    const auto word = row.name.substr(row.name.rfind(' ') + 1);
    return row.vendor != vendor && BuildsPartsAlone(row.vendor) && is_short(word) &&
           word.size() == name.size() && probe::Lower(word[0]) == probe::Lower(name[0]);
  });
}

std::optional<std::string> NameWithChip(std::string_view name, std::string_view printed) {
  if (std::any_of(name.begin(), name.end(), probe::IsDigit) || printed.find('[') == std::string_view::npos)
    return std::nullopt;
  const auto wanted = LettersOf(WithoutMaker(name));
  const auto letters = LettersOf(printed);
  for (const Row& row : AllRows()) {
    const auto from = row.name.find(" (");
    if (!IsGpu(row) || from == std::string_view::npos) continue;
    const auto chip = LettersOf(row.name.substr(from));
    if (LettersOf(WithoutMaker(row.name.substr(0, from))) == wanted &&
        letters.find(chip) != std::string::npos)
      return std::string(row.name);
  }
  return std::nullopt;
}

std::string ArchitectureOf(const RuntimeFacts& facts, std::string_view target) {
  if (target.starts_with(facts.target->prefix)) return std::string(target);
  for (const auto& [chip, runtime, architecture] : probe::ParseTable<3>(data::targets::ArchitecturesText())) {
    if (chip == target && runtime == facts.name) return std::string(architecture);
  }
  return "";
}

std::optional<probe::DeviceKind> KindOf(const RuntimeFacts& facts, std::uint32_t vendor,
                                        const std::string& architecture) {
  using probe::DeviceKind;
  const auto wanted = ArchitectureText(*facts.target, architecture, Reader::kPeople);
  // Of a release its steps count, too: 12.55.8 is a 12.55.
  const auto is_it = [&](std::string_view known) {
    return !known.empty() && wanted.starts_with(known) &&
           (wanted.size() == known.size() || wanted[known.size()] == '.');
  };
  std::optional<DeviceKind> kind;
  for (const Row& row : AllRows()) {
    if (row.vendor != vendor || !IsGpu(row)) continue;
    const auto own = ArchitectureOf(facts, row.target);
    if (!is_it(ArchitectureText(*facts.target, own, Reader::kPeople))) continue;
    const auto its = row.kind == "integrated" ? DeviceKind::kIntegrated : DeviceKind::kDiscrete;
    if (kind && *kind != its) return std::nullopt;
    kind = its;
  }
  if (kind) return kind;
  for (const auto& [key, known] : probe::ParseTable<2>(data::kPartsOfChips)) {
    if (key == facts.target->key && is_it(known)) return DeviceKind::kIntegrated;
  }
  return std::nullopt;
}

}  // namespace report::assume
