// SPDX-License-Identifier: MIT
#include "report/assume/known_card.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor_names.h"
#include "report/assume/cards.h"
#include "report/assume/memory.h"
#include "report/core/architecture.h"
#include "report/core/card_name.h"

namespace report::assume {
namespace {

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool HasWords(std::string_view name, std::string_view words) {
  for (auto at = name.find(words); at != std::string_view::npos; at = name.find(words, at + 1)) {
    const bool starts = at == 0 || !IsLetterOrDigit(name[at - 1]);
    const auto end = at + words.size();
    // "H100 SXM" is an "H100 SXM5".
    const bool counts =
        end < name.size() && probe::IsDigit(name[end]) && !probe::IsDigit(words.back()) && words.size() > 3;
    if (starts && (end == name.size() || counts || !IsLetterOrDigit(name[end]))) return true;
  }
  return false;
}

template <class Field>
bool Agree(const Rows& rows, Field field) {
  return std::all_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return row.*field == rows.front().*field; });
}

struct Found {
  Rows rows;     // that are called so; without one, the similar
  Rows similar;  // that have the words
  bool is_exact = false;
};

// All that are called so; without one, all that have the words. Without a maker: GPUs of every one.
Found Named(std::optional<std::uint32_t> vendor, const std::string& name) {
  const auto wanted = probe::Lower(name);
  Rows exact;
  Rows similar;
  for (const Row& row : AllRows()) {
    if (vendor ? row.vendor != *vendor : !IsGpu(row)) continue;
    const auto known = probe::Lower(row.name);
    if (!HasWords(known, wanted)) continue;
    similar.push_back(row);
    if (known.ends_with(wanted)) exact.push_back(row);
  }
  const bool is_exact = !exact.empty();
  return {is_exact ? std::move(exact) : similar, similar, is_exact};
}

// How many words of the name it leaves out; of one that is of several products, of the nearest.
std::optional<std::size_t> LeftOutOf(std::string_view written, std::string_view card) {
  if (card.find('/') == std::string_view::npos) return WordsLeftOut(written, card);
  std::optional<std::size_t> fewest;
  for (const std::string& product : ProductsIn(card)) {
    const auto left_out = WordsLeftOut(written, product);
    if (left_out && (!fewest || *left_out < *fewest)) fewest = left_out;
  }
  return fewest ? fewest : WordsLeftOut(written, card);
}

// Those that have all of the words that people write, and the fewest others.
Found Meant(std::optional<std::uint32_t> vendor, const std::string& name) {
  Rows nearest;
  std::size_t least = 0;
  for (const Row& row : AllRows()) {
    if (vendor ? row.vendor != *vendor : !IsGpu(row)) continue;
    const auto left_out = LeftOutOf(name, row.name);
    if (!left_out || (!nearest.empty() && *left_out > least)) continue;
    if (!nearest.empty() && *left_out < least) nearest.clear();
    least = *left_out;
    nearest.push_back(row);
  }
  return {nearest, nearest, false};
}

// Whether that has a word of two letters or digits: one is no name, though it is a word of some ("R9 Fury
// X").
bool HasWord(std::string_view spelling) {
  const auto is_read = [](char one) {
    return probe::IsDigit(one) || (probe::Lower(one) >= 'a' && probe::Lower(one) <= 'z');
  };
  for (std::size_t i = 1; i < spelling.size(); ++i) {
    if (is_read(spelling[i - 1]) && is_read(spelling[i])) return true;
  }
  return false;
}

// By the words that are written, else without the maker, else in any order.
Found Called(std::optional<std::uint32_t> vendor, const std::string& spelling) {
  if (!HasWord(spelling)) return {};
  auto found = Named(vendor, spelling);
  if (found.rows.empty()) found = Named(vendor, WithoutMaker(spelling));
  return found.rows.empty() ? Meant(vendor, spelling) : found;
}

// That the name itself begins with: "Apple M4".
std::optional<std::uint32_t> MakerIn(std::string_view name) {
  const auto* maker = MakerCalled(probe::TakeUpTo(name, ' '));
  return maker && !name.empty() ? std::optional(maker->number) : std::nullopt;
}

// Whether the chip has the architecture that the words say; nullopt where they say none, or no table knows.
std::optional<bool> HasStated(const Row& row, const Words& words) {
  if (!words.of || !words.of->target || !words.architecture) return std::nullopt;
  const auto own = ArchitectureOf(*words.of, row.target);
  return own.empty() ? std::nullopt : std::optional(own == *words.architecture);
}

// Whether the card of that name is not known to have another architecture than the words say: what people
// call an "Iris Xe" is one of several chips'.
bool MayHaveStated(const std::string& name, const Words& words) {
  const auto rows = Called(words.vendor, Spelled(name)).rows;
  return std::none_of(rows.begin(), rows.end(),
                      [&](const Row& row) { return !HasStated(row, words).value_or(true); });
}

// Of the cards that a name fits those of the architecture that is said: an "RTX 6000" of cc 8.9 is no Quadro,
// and what a "Radeon Graphics" of one gfx does says nothing of another. Where none is of it all stay.
void TakeStated(const Words& words, Found& found) {
  const auto are_of_it = [&](const Rows& rows) {
    Rows own;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(own),
                 [&](const Row& row) { return HasStated(row, words).value_or(false); });
    return own;
  };
  auto similar = are_of_it(found.similar);
  if (similar.empty()) return;
  auto exact = are_of_it(found.rows);
  found.is_exact = found.is_exact && !exact.empty();
  found.rows = exact.empty() ? similar : std::move(exact);
  found.similar = std::move(similar);
}

// The card whose whole name that is but for what says nothing, before others that go on: an "Iris Xe MAX" is
// the "Iris Xe MAX Graphics", and no "Iris Xe MAX 100".
void TakeOwn(std::string_view spelling, Found& found) {
  if (found.is_exact || spelling.find_first_of("0123456789") != std::string_view::npos) return;
  Rows own;
  std::copy_if(found.rows.begin(), found.rows.end(), std::back_inserter(own),
               [&](const Row& row) { return IsCardsName(spelling, row.name); });
  if (!own.empty() && Agree(own, &Row::name))
    found = Named(own.front().vendor, std::string(own.front().name));
}

// Of the maker that the words or the name say; of no device that is no GPU, unless that word is said and it
// is no GPU's name.
Found CalledBy(const Words& words, const std::string& written) {
  auto found = Called(words.vendor ? words.vendor : MakerIn(written), words.spelling);
  TakeOwn(words.spelling, found);
  if (!words.vendor || std::any_of(found.rows.begin(), found.rows.end(), IsGpu)) {
    for (Rows* rows : {&found.rows, &found.similar})
      std::erase_if(*rows, [](const Row& row) { return !IsGpu(row); });
  }
  TakeStated(words, found);
  return found;
}

// The shortest name of another architecture that begins with the words of the name, where no card that has
// exactly these words does: an "RTX 6000" is a Quadro, and people call an "RTX 6000 Ada Generation" so, too.
const Row* NamedMoreFully(const Found& found, std::string_view spelling) {
  const auto words = probe::Lower(WithoutMaker(spelling));
  const auto begins = [&](const Row& row) { return probe::Lower(row.name).starts_with(words); };
  if (!found.is_exact || std::any_of(found.rows.begin(), found.rows.end(), begins)) return nullptr;
  const Row* other = nullptr;
  for (const Row& row : found.similar) {
    if (!begins(row) || row.target == found.rows.front().target) continue;
    if (!other || row.name.size() < other->name.size()) other = &row;
  }
  return other;
}

// Whether drivers call every chip so that they have no product's name of: "AMD Radeon Graphics".
bool IsGeneric(std::uint32_t vendor, std::string_view name) {
  const auto* maker = probe::FindVendorNames(vendor);
  for (auto known = maker ? maker->generic_names : std::string_view(); !known.empty();) {
    if (probe::Lower(probe::TakeUpTo(known, '|')) == probe::Lower(name)) return true;
  }
  return false;
}

// Whether the name says how much memory it has, and that it is as much: "80GB" of 80 GiB.
bool HasMemory(const Row& row, std::uint64_t bytes) {
  return HasWords(probe::Lower(row.name), fmt::format("{}gb", bytes >> 30U));
}

// Of a name that is many lines' of cards ("Radeon Graphics", "GeForce") one stands for all only where each of
// them is known: else a slower one may be meant.
bool AreComparable(const Rows& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Row& other) { return other.target == row.target && HasRates(other); });
  });
}

// The slowest of those whose rates are known, after those that have as much memory and those whose rates are
// known by that very name; nullptr where none is.
const Row* SlowestKnown(const Rows& rows, const Words& words) {
  const Row* slowest = nullptr;
  std::tuple<bool, bool, double> least;
  for (const Row& row : rows) {
    const auto id = fmt::format("{:04x}:{:04x}", row.vendor, row.device);
    for (const DevicePeak& peak : EmbeddedPeaks().devices) {
      if (peak.id != id || !peak.memory) continue;
      const auto memory = words.memory_bytes;
      // Of chips that share a name some read little and others compute little.
      const double slowness = words.several.empty() ? 1 : peak.fp32.value_or(1);
      const std::tuple rank{!(memory && HasMemory(row, *memory)), !IsOneOf(words.spelling, peak.name),
                            *peak.memory * slowness};
      if (slowest && rank >= least) continue;
      slowest = &row;
      least = rank;
    }
  }
  return slowest;
}

// Of the rows of one name whose kinds differ (Iris Xe), that of the one whose rates stand for it.
void TakeKind(const Rows& rows, Words& words) {
  if (words.kind || !std::all_of(rows.begin(), rows.end(), [](const Row& row) { return IsGpu(row); })) return;
  const Row* row = Agree(rows, &Row::kind) ? &rows.front() : SlowestKnown(rows, words);
  if (!row) return;
  words.kind = row->kind == "integrated" ? probe::DeviceKind::kIntegrated : probe::DeviceKind::kDiscrete;
}

// Of the only card of that name; else of the one whose rates stand for it.
void TakeNumbers(const Found& found, Words& words) {
  const bool is_vague =
      !found.is_exact && words.several.empty() &&
      (words.spelling.find(' ') == std::string::npos || IsGeneric(*words.vendor, words.spelling));
  const Row* row = is_vague && !AreComparable(found.rows) ? nullptr : SlowestKnown(found.rows, words);
  const bool agree = Agree(found.similar, &Row::target) && Agree(found.similar, &Row::kind);
  if (!row && agree) row = SlowestKnown(found.similar, words);
  const bool is_other = row && !IsCardsName(words.spelling, row->name);
  if (is_other && (found.rows.size() > 1 || row->device != found.rows.front().device))
    words.rates_of = row->name;
  const bool is_one = Agree(found.rows, &Row::name) && Agree(found.rows, &Row::target);
  if (!row && is_one) row = &found.rows.front();
  if (row && row->device != 0) words.ids = probe::PciIds{row->vendor, row->device, {}, {}, {}};
}

// As the names of all such cards say it, else as the table has it of the product that is called so.
std::optional<std::uint64_t> OwnMemory(const Rows& rows, const Words& words) {
  const auto named = MemoryInName(rows.front().name);
  const auto says = [&](const Row& row) { return MemoryInName(row.name) == named; };
  if (named && std::all_of(rows.begin(), rows.end(), says)) return named;
  const bool says_each =
      std::all_of(rows.begin(), rows.end(), [](const Row& row) { return MemoryInName(row.name); });
  if (says_each) return std::nullopt;  // and they differ: an "RX 6750 GRE" has 10 GB or 12
  std::set<std::optional<std::uint64_t>> known;
  const auto add = [&](const Row& row) {
    const auto bytes = MemoryOfProduct(row, words.spelling);
    if (bytes || HasNoOneSize(row)) known.insert(bytes);
  };
  std::for_each(rows.begin(), rows.end(), add);
  // A row for several products has no name of its own.
  const bool is_of_ids = words.rates_of.empty() || words.rates_of.find('/') != std::string::npos;
  if (words.ids && is_of_ids) add({words.ids->vendor, words.ids->device, words.spelling, "", ""});
  return known.size() == 1 ? *known.begin() : std::nullopt;
}

std::optional<std::uint64_t> MemoryOfRates(const Words& words) {
  const auto named = MemoryInName(words.rates_of);
  if (named || !words.ids || words.rates_of.empty()) return named;
  return MemoryOfProduct({words.ids->vendor, words.ids->device, words.rates_of, "", ""}, words.rates_of);
}

// What is written, the card's own, or that of the card whose rates stand for it. Where what is written is not
// the card's nobody knows what is meant, unless that is part of its name: a "GH200 480GB" has as much beside
// its GPU.
void TakeMemory(const Rows& rows, const std::string& written, Words& words) {
  const bool is_chip = words.kind == probe::DeviceKind::kIntegrated;
  if (is_chip) words.chip_bytes = OwnMemory(rows, words);
  if (words.memory_bytes) return;
  const auto said = MemoryInName(written);
  if (is_chip) {
    words.memory_bytes = said || words.ram_bytes ? said : words.chip_bytes;
    return;
  }
  const auto own = OwnMemory(rows, words);
  const auto has_said = [&](const Row& row) { return HasMemory(row, *said); };
  if (said && own && *said != *own && std::none_of(rows.begin(), rows.end(), has_said)) return;
  words.memory_bytes = own ? own : said;
  if (words.memory_bytes) return;
  words.memory_bytes = MemoryOfRates(words);
  words.is_memory_of_rates = words.memory_bytes.has_value();
}

std::vector<std::string> InOrder(const std::set<std::string>& versions) {
  std::vector<std::string> all(versions.begin(), versions.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return CompareVersions(a, b) < 0; });
  return all;
}

// Without a number of its own, which many chips share.
bool HasNoNumber(std::string_view name) { return name.find_first_of("0123456789") == std::string_view::npos; }

// Which of the words is not so of any card of that name.
std::optional<std::string> OfAnotherCard(const Found& found, const Words& words) {
  const Rows& rows = found.rows;
  if (Agree(rows, &Row::kind) && IsGpu(rows.front()) && words.kind) {
    const bool is_integrated = rows.front().kind == "integrated";
    if (is_integrated != (words.kind == probe::DeviceKind::kIntegrated))
      return fmt::format("kind: {} is {}", rows.front().name, rows.front().kind);
  }
  if (!words.of || !words.architecture || words.of->target == std::nullopt) return std::nullopt;
  std::set<std::string> all;
  for (const Row& row : HasNoNumber(words.spelling) ? found.similar : rows) {
    auto architecture = ArchitectureOf(*words.of, row.target);
    if (architecture.empty() || architecture == *words.architecture ||
        AreOneGeneration(*words.of, architecture, *words.architecture))
      return std::nullopt;
    all.insert(ArchitectureText(*words.of->target, architecture, Reader::kPeople));
  }
  const auto known = InOrder(all);
  const auto name = Agree(rows, &Row::name) ? std::string(rows.front().name) : words.spelling;
  return fmt::format("{0}: {1} has {0} {2}", words.of->target->key, name, fmt::join(known, " or "));
}

// "rtx" of "RTX 3060": a series is one maker's, and so are a number of four signs and more ("4090") and
// several words ("RX 580"); a shorter one is anybody's (Tesla M4, Apple M4).
bool NamesASeries(std::string_view name) {
  constexpr std::size_t kShortest = 3;
  if (name.find(' ') != std::string_view::npos) return true;
  const bool is_number = name.find_first_of("0123456789") != std::string_view::npos;
  return name.size() >= (is_number ? kShortest + 1 : kShortest);
}

// The maker of all cards that are called so, or in whose names it stands as whole words.
std::optional<std::string> AnothersName(const Words& words) {
  const auto name = WithoutMaker(words.spelling);
  const auto found = Named(std::nullopt, name);
  if (!NamesASeries(name) || found.rows.empty() || !Agree(found.similar, &Row::vendor)) return std::nullopt;
  return fmt::format("name: {} is a card of {}, not {}", found.rows.front().name,
                     probe::VendorName(found.rows.front().vendor), probe::VendorName(*words.vendor));
}

// Of a card that no table has: its name alone says how much memory it has.
std::optional<std::string> OfUnknownCard(const std::string& written, Words& words) {
  if (auto wrong = NoCardOf(*words.name, words.vendor.has_value())) return wrong;
  if (!words.memory_bytes) words.memory_bytes = MemoryInName(written);
  return AnothersName(words);
}

// By which builds of programs tell these cards apart, as people write them: "9.2", "12.3"; of a chip that no
// table has by its own name.
std::set<std::string> ArchitecturesOf(const Tables& tables, const Rows& rows) {
  std::set<std::string> all;
  for (const Row& row : rows) {
    std::string own(row.target.empty() ? row.name : row.target);
    for (const RuntimeFacts& facts : tables.runtimes) {
      if (!facts.target || !IsOfVendor(facts, row.vendor)) continue;
      if (const auto known = ArchitectureOf(facts, row.target); !known.empty())
        own = ArchitectureText(*facts.target, known, Reader::kPeople);
    }
    all.insert(own);
  }
  return all;
}

// "UHD Graphics" of chips of several architectures, of which nobody says one.
std::string CalledSo(const Tables& tables, const Found& found, const Words& words) {
  if (!HasNoNumber(words.spelling) || words.architecture) return "";
  const auto known = InOrder(ArchitecturesOf(tables, found.similar));
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (known.size() < 2 || !facts.target || !IsOfVendor(facts, *words.vendor)) continue;
    return fmt::format("{} {}", facts.target->key, fmt::join(known, ", "));
  }
  return "";
}

void TakeArchitecture(const Tables& tables, const Rows& rows, Words& words) {
  if (words.architecture) return;
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (!facts.target || !IsMakersOwn(facts, *words.vendor)) continue;
    auto architecture = ArchitectureOf(facts, rows.front().target);
    // Chips of two names may be of one architecture.
    const bool agree = std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
      return ArchitectureOf(facts, row.target) == architecture;
    });
    if (architecture.empty() || !agree) continue;
    words.of = &facts;
    words.architecture = std::move(architecture);
  }
}

}  // namespace

std::optional<std::string> AsWords(const std::string& text) {
  const auto name = probe::CleanText(text, 64);
  if (name.empty() || !IsInPlainLetters(name)) return std::nullopt;
  if (MakerCalled(name)) return "vendor=" + probe::Lower(name);
  const auto found = Called(std::nullopt, Spelled(name));
  const bool is_card = !found.rows.empty() && Agree(found.rows, &Row::vendor) &&
                       !IsASeries(Spelled(name), found.similar, found.is_exact);
  return is_card || CardOfAlias(WithoutMaker(name)) ? std::optional("name=" + name) : std::nullopt;
}

std::optional<std::string> RecogniseKind(Words& words) {
  if (!words.of || !words.of->target || !words.architecture || !words.vendor) return std::nullopt;
  const auto kind = KindOf(*words.of, *words.vendor, *words.architecture);
  if (kind && words.kind && *kind != *words.kind) {
    const auto& target = *words.of->target;
    const bool is_part = kind == probe::DeviceKind::kIntegrated;
    return fmt::format("kind: a GPU with {}{} is {}; say kind={}",
                       target.form == TargetForm::kWord ? "" : target.key + " ",
                       ArchitectureText(target, words.architecture, Reader::kPeople),
                       is_part ? "part of a chip" : "a card of its own", is_part ? "integrated" : "discrete");
  }
  if (!words.kind) words.kind = kind;
  return std::nullopt;
}

std::optional<std::string> RecogniseCard(const Tables& tables, Words& words) {
  if (words.vendor && !words.kind && BuildsPartsAlone(*words.vendor))
    words.kind = probe::DeviceKind::kIntegrated;
  if (!words.name) return std::nullopt;
  const auto written = *words.name;
  const bool is_described = words.vendor && words.memory_bytes;
  if (auto wrong = is_described ? std::nullopt : NoWholeCard(written)) return wrong;
  if (auto card = CardOfAlias(WithoutMaker(written)); card && MayHaveStated(*card, words)) {
    words.alias = written;
    words.name = std::move(card);
  }
  const bool is_plain = IsInPlainLetters(*words.name);
  if (auto wrong = is_plain ? OfAnArchitecture(*words.name) : std::nullopt) return wrong;
  words.spelling = is_plain ? Spelled(*words.name) : *words.name;
  auto found = is_plain ? CalledBy(words, *words.name) : Found{};
  const auto& rows = found.rows;
  if (rows.empty()) {
    if (!is_plain) return InOtherLetters(*words.name, words.vendor.has_value());
    return OfUnknownCard(written, words);
  }
  if (!words.vendor && !Agree(rows, &Row::vendor)) {
    std::set<std::string_view> makers;
    for (const Row& row : rows) makers.insert(probe::VendorName(row.vendor));
    return fmt::format("vendor: it is missing; {} make cards with '{}' in their names",
                       fmt::join(makers, " and "), probe::CleanText(*words.name, 64));
  }
  // The driver has said the chip, and no table has it by that name.
  if (words.is_chip_printed && !words.vendor) words.vendor = rows.front().vendor;
  if (words.is_chip_printed && !HasStated(rows.front(), words).value_or(false)) return std::nullopt;
  if (words.alias.empty() && !IsGeneric(rows.front().vendor, words.spelling)) {
    const auto architectures = ArchitecturesOf(tables, found.similar).size();
    if (auto wrong = AsksForMore(rows, found.similar, found.is_exact, words, architectures)) return wrong;
  }
  if (!words.vendor && !MakerIn(*words.name) && !BuildsPartsAlone(rows.front().vendor) &&
      OthersAreNamedLike(*words.name, rows.front().vendor))
    words.taken_for = rows.front().name;
  words.vendor = rows.front().vendor;
  if (IsGeneric(*words.vendor, words.spelling) && words.architecture &&
      !HasStated(rows.front(), words).value_or(true))
    return std::nullopt;
  // It has no number by which its rates are found, but its name.
  if (rows.front().device == 0) words.name = words.spelling;
  if (auto wrong = OfAnotherCard(found, words)) return wrong;
  const Row* fuller = words.architecture ? nullptr : NamedMoreFully(found, words.spelling);
  const auto other = fuller ? std::optional(*fuller) : std::nullopt;
  if (other) std::erase_if(found.similar, [&](const Row& row) { return row.target != rows.front().target; });
  if (words.alias.empty() && !IsGeneric(*words.vendor, words.spelling))
    words.several = CalledSo(tables, found, words);
  // Nobody writes which of these it is, be one called by the name alone.
  if (!words.several.empty()) found = {found.similar, found.similar, false};
  TakeNumbers(found, words);
  TakeKind(rows, words);
  TakeMemory(rows, written, words);
  TakeArchitecture(tables, rows, words);
  if (other && words.of) {
    words.taken_for = rows.front().name;
    words.instead = fmt::format(
        "for {} give {}={}", other->name, words.of->target->key,
        ArchitectureText(*words.of->target, ArchitectureOf(*words.of, other->target), Reader::kPeople));
  }
  return std::nullopt;
}

}  // namespace report::assume
