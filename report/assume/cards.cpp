// SPDX-License-Identifier: MIT
#include "report/assume/cards.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "data/pci_names.h"
#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "report/core/tables.h"

namespace report::assume {
namespace {

void AddCards(Rows& rows) {
  for (const auto& [number, devices, revisions, name, kind, architecture, target, source] :
       probe::ParseTable<8>(data::kPciNames)) {
    const auto vendor = probe::ParseNumber<std::uint32_t>(number, 16);
    auto ids = devices;
    const auto id = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(ids, ' '), 16);
    if (!vendor || !id) continue;
    rows.push_back({*vendor, *id, name, kind, target});
    // A revision's row says what differs from the one before it.
    if (revisions.empty()) continue;
    const auto base = std::find_if(
        rows.begin(), rows.end(), [&](const Row& row) { return row.vendor == *vendor && row.device == *id; });
    rows.back().kind = base->kind;
    rows.back().target = base->target;
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

// Those whose rates are known, and that no device tree has yet.
void AddRatedParts(Rows& rows) {
  for (const DevicePeak& part : EmbeddedPeaks().parts) {
    const auto vendor = probe::ParseNumber<std::uint32_t>(part.id, 16);
    const bool is_there = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return row.vendor == vendor && probe::Lower(row.name) == probe::Lower(part.name);
    });
    if (vendor && !is_there) rows.push_back({*vendor, 0, part.name, "integrated", ""});
  }
}

using Words = std::vector<std::string>;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

bool Has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Says nothing of which card it is.
bool IsIdle(std::string_view word) {
  constexpr std::array<std::string_view, 5> kIdle = {"gpu", "graphics", "r", "tm", "card"};
  const auto makers = probe::KnownVendors();
  return std::find(kIdle.begin(), kIdle.end(), word) != kIdle.end() ||
         std::any_of(makers.begin(), makers.end(),
                     [&](const probe::VendorNames& vendor) { return probe::Lower(vendor.name) == word; });
}

Words WordsOf(std::string_view name) {
  auto plain = probe::Lower(name);
  std::replace_if(plain.begin(), plain.end(), [](char c) { return !IsLetter(c) && !IsDigit(c); }, ' ');
  Words words;
  for (std::string_view rest = plain; !rest.empty();) {
    const auto word = probe::TakeUpTo(rest, ' ');
    if (!word.empty() && !IsIdle(word)) words.emplace_back(word == "laptop" ? "mobile" : word);
  }
  return words;
}

// "rtx4090ti" -> rtx, 4090, ti. Of one letter none is split: an "a770" is a word.
Words PartsOf(std::string_view word) {
  Words parts;
  while (!word.empty()) {
    const bool digits = IsDigit(word.front());
    const auto end = std::find_if(word.begin(), word.end(), [&](char c) { return IsDigit(c) != digits; });
    const auto size = static_cast<std::size_t>(end - word.begin());
    if (size < 2) return {};
    parts.emplace_back(word.substr(0, size));
    word.remove_prefix(size);
  }
  return parts;
}

}  // namespace

bool IsGpu(const Row& row) { return row.kind == "discrete" || row.kind == "integrated"; }

const Rows& AllRows() {
  static const Rows rows = [] {
    Rows all;
    AddCards(all);
    AddPartsOfChips(all);
    AddRatedParts(all);
    return all;
  }();
  return rows;
}

std::optional<std::size_t> WordsLeftOut(std::string_view written, std::string_view card) {
  const auto known = WordsOf(card);
  std::size_t found = 0;
  for (const std::string& word : WordsOf(written)) {
    const auto parts = Has(known, word) ? Words{word} : PartsOf(word);
    if (parts.empty()) return std::nullopt;
    for (const std::string& part : parts) {
      if (!Has(known, part)) return std::nullopt;
    }
    found += parts.size();
  }
  if (found == 0) return std::nullopt;
  return known.size() - std::min(found, known.size());
}

}  // namespace report::assume
