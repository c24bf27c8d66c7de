// SPDX-License-Identifier: MIT
// What to answer where a name is no card's: the nearest, or some of the many that it may mean.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/architecture_names.h"

#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "probe/core/text.h"
#include "report/assume/assume.h"
#include "report/assume/cards.h"
#include "report/assume/known_card.h"
#include "report/core/architecture.h"
#include "report/core/card_name.h"
#include "report/core/device_peak.h"
#include "report/core/suggest.h"

namespace report::assume {
namespace {

// "N100", a processor, is no slip for "H100": of a model that is a letter and a number both are meant.
bool IsAnotherModel(std::string_view written, std::string_view known) {
  const auto model = [](std::string_view name) { return name.substr(name.rfind(' ') + 1); };
  const auto is_short = [](std::string_view word) {
    return word.size() > 2 && probe::IsDigits(word.substr(1));
  };
  written = model(written);
  known = model(known);
  return is_short(written) && is_short(known) && written.substr(1) == known.substr(1) &&
         probe::Lower(written) != probe::Lower(known);
}

std::string_view FirstNumber(std::string_view name) {
  const auto from = std::min(name.find_first_of("0123456789"), name.size());
  const auto to = std::min(name.find_first_not_of("0123456789", from), name.size());
  return name.substr(from, to - from);
}

// Letters as the digits that they look like.
std::string AsDigits(std::string_view text) {
  std::string digits(text);
  std::replace(digits.begin(), digits.end(), 'o', '0');
  std::replace(digits.begin(), digits.end(), 'l', '1');
  return digits;
}

// Whether a slip of the finger makes one of the other: of numbers the first two digits, which are the
// generation and the model, are alike, and names without one begin alike. A "GTX 780" is no "GTX 750".
bool IsOfOneSeries(std::string_view written, std::string_view known) {
  constexpr std::size_t kAlike = 2;
  if (written.empty() || known.empty()) return false;
  if (known.starts_with(written)) return true;
  const auto number = FirstNumber(written);
  const auto other = FirstNumber(known);
  if (number.empty()) return written.front() == known.front();
  if (written.size() == known.size() && AsDigits(written) == AsDigits(known)) return true;
  // Of one digit, or two, another one is another model.
  return number.size() == other.size() && number.substr(0, kAlike) == other.substr(0, kAlike);
}

// What a letter of another script, or a wide digit, is taken for at a glance; 0: it has no such likeness.
// Wide forms stand in the order of ASCII from U+FF01 on (Unicode, Halfwidth and Fullwidth Forms).
char LooksLike(std::uint32_t point) {
  constexpr std::uint32_t kFirstWide = 0xff01, kLastWide = 0xff5e;
  if (point < 0x80) return static_cast<char>(point);
  if (point >= kFirstWide && point <= kLastWide) return static_cast<char>(point - kFirstWide + '!');
  // Greek and Cyrillic capitals, and Cyrillic small letters (Unicode, confusables.txt).
  constexpr std::array<std::pair<std::uint32_t, char>, 40> kLikenesses = {{
      {0x391, 'A'}, {0x392, 'B'}, {0x395, 'E'}, {0x396, 'Z'}, {0x397, 'H'},  {0x399, 'I'}, {0x39a, 'K'},
      {0x39c, 'M'}, {0x39d, 'N'}, {0x39f, 'O'}, {0x3a1, 'P'}, {0x3a4, 'T'},  {0x3a5, 'Y'}, {0x3a7, 'X'},
      {0x405, 'S'}, {0x406, 'I'}, {0x408, 'J'}, {0x410, 'A'}, {0x412, 'B'},  {0x415, 'E'}, {0x41a, 'K'},
      {0x41c, 'M'}, {0x41d, 'H'}, {0x41e, 'O'}, {0x420, 'P'}, {0x421, 'C'},  {0x422, 'T'}, {0x423, 'Y'},
      {0x425, 'X'}, {0x430, 'a'}, {0x435, 'e'}, {0x43e, 'o'}, {0x440, 'p'},  {0x441, 'c'}, {0x443, 'y'},
      {0x445, 'x'}, {0x455, 's'}, {0x456, 'i'}, {0x458, 'j'}, {0x3000, ' '},
  }};
  for (const auto& [known, likeness] : kLikenesses) {
    if (known == point) return likeness;
  }
  return 0;
}

// As it looks; what looks like nothing is left out.
std::string AsItLooks(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const auto point = probe::DecodeOne(name);
    name.remove_prefix(point.bytes);
    if (const char c = LooksLike(point.value)) plain.push_back(c);
  }
  return std::string(probe::Trim(plain));
}

// Some of their names, each once: those of one product whose rates are known before others, and the newest of
// them, which tables have last. Of a list its first product, as the products may differ.
std::vector<std::string> SomeOf(const Rows& rows) {
  constexpr std::size_t kMost = 4;
  const auto is_of_one = [](const Row& row) {
    return row.name.find_first_of("/(") == std::string_view::npos;
  };
  const auto name_of = [](const Row& row) {
    return row.name.find('/') == std::string_view::npos ? std::string(row.name)
                                                        : ProductsIn(PrintedName(row.name)).front();
  };
  std::vector<std::string> names;
  for (const auto& [of_one, rated] : {std::pair(true, true), {true, false}, {false, true}, {false, false}}) {
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (names.size() == kMost || !IsGpu(*row) || is_of_one(*row) != of_one || HasRates(*row) != rated)
        continue;
      auto name = name_of(*row);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

// A chip's own name stands behind its products' in the tables, "(Battlemage G21)": then all GPUs of it.
Rows ProductsOf(const Rows& rows, std::string_view name) {
  const auto in_brackets = [&](const Row& row) {
    const auto from = row.name.find('(');
    return from != std::string_view::npos &&
           probe::Lower(row.name.substr(from)).find(name) != std::string::npos;
  };
  if (!std::all_of(rows.begin(), rows.end(), in_brackets)) return rows;
  Rows all;
  for (const Row& row : AllRows()) {
    const bool is_its = std::any_of(rows.begin(), rows.end(), [&](const Row& one) {
      return one.vendor == row.vendor && !row.target.empty() && one.target == row.target;
    });
    if (is_its) all.push_back(row);
  }
  return all.empty() ? rows : all;
}

// "Intel Graphics (Lunar Lake)" is an "Intel Graphics".
bool IsCalledByChip(std::string_view card, std::string_view name) {
  const auto from = card.find(" (");
  return from != std::string_view::npos && probe::Lower(card.substr(0, from)) == probe::Lower(name);
}

std::string OneOfThem(const Rows& rows) {
  return fmt::format("say which one, such as {}", fmt::join(SomeOf(rows), ", "));
}

// By its letters and digits, "ada" of an "Ada Lovelace".
std::string ArchitectureNamed(std::string_view name) {
  const auto letters = LettersOf(WithoutMaker(name));
  for (const auto& [called, architecture, source] : probe::ParseTable<3>(data::kArchitectureNames)) {
    if (LettersOf(called) == letters) return LettersOf(architecture);
  }
  return letters;
}

// Whether the architecture is one of this family: "rdna3" of "rdna", "xe3lpg" of "xe3".
bool IsOfFamily(std::string_view architecture, std::string_view family) {
  constexpr std::size_t kShortest = 3;
  return family.size() >= kShortest && family.size() < architecture.size() &&
         architecture.starts_with(family) &&
         probe::IsDigit(family.back()) != probe::IsDigit(architecture[family.size()]);
}

template <class Fits>
std::optional<std::string> ArchitectureThat(const std::string& name, Fits fits) {
  Rows rows;
  for (const probe::PciRow& known : probe::PciRows()) {
    if (known.architecture.empty() || !fits(LettersOf(known.architecture))) continue;
    for (const Row& row : AllRows()) {
      if (row.vendor == known.vendor && row.name == known.name) rows.push_back(row);
    }
  }
  if (SomeOf(rows).empty()) return std::nullopt;
  return fmt::format("name: {} is an architecture; {}", probe::CleanText(name, 64), OneOfThem(rows));
}

// Whether it is the name of one card, with its number: in those of two some word stands twice, or no card
// has all of them. A size is none, and neither is a number that is in the names of many.
bool IsOneCard(const std::string& name) {
  constexpr std::size_t kShortestNumber = 3;
  auto plain = name;
  std::erase(plain, ' ');
  if (FirstNumber(name).empty() || IsMemorySize(plain)) return false;
  if (probe::IsDigits(name) && name.size() < kShortestNumber) return false;
  const auto last = name.rfind(' ');
  if (last != std::string::npos && MakerCalled(name.substr(last + 1))) return false;  // of the card behind it
  std::set<std::string> words;
  const auto lower = probe::Lower(name);
  for (std::string_view rest = lower; !rest.empty();) {
    if (!words.emplace(probe::TakeUpTo(rest, ' ')).second) return false;
  }
  return IsCard(name);
}

// Of a name that goes on after a card's with words that none has: the card's.
std::optional<std::string> CardBefore(std::string_view name) {
  for (auto end = name.rfind(' '); end != std::string_view::npos; end = name.rfind(' ')) {
    name = probe::Trim(name.substr(0, end));
    if (FirstNumber(name).empty()) return std::nullopt;
    if (IsOneCard(std::string(name))) return std::string(name);
  }
  return std::nullopt;
}

std::string Joined(std::span<const std::string> words) { return fmt::format("{}", fmt::join(words, " ")); }

// The cards whose names stand one behind the other, "RTX 4090 + RX 580", each with as many of the words as
// are one's; empty where a part of them is none's.
std::vector<std::string> CardsIn(std::string_view name) {
  constexpr std::array<std::string_view, 3> kBetween = {"+", "&", "and"};
  constexpr std::size_t kMostWords = 12;
  std::vector<std::string> words;
  while (!name.empty()) {
    const auto word = probe::TakeUpTo(name, ' ');
    if (!word.empty() && std::find(kBetween.begin(), kBetween.end(), probe::Lower(word)) == kBetween.end())
      words.emplace_back(word);
  }
  if (words.size() > kMostWords) return {};
  std::vector<std::string> cards;
  for (std::span<const std::string> rest = words; !rest.empty();) {
    auto count = rest.size();
    while (count > 0 && !IsOneCard(Joined(rest.first(count)))) --count;
    if (count == 0) return {};
    cards.push_back(Joined(rest.first(count)));
    rest = rest.subspan(count);
  }
  return cards;
}

// Of the names of several cards how they are described: each by a text of its own, and those alike by one;
// nullopt also where one of those texts would be refused.
std::optional<std::string> SeveralCards(const std::string& name) {
  if (name.find('/') != std::string::npos || IsRowsName(name)) return std::nullopt;
  const auto cards = CardsIn(name);
  const auto is_refused = [](const std::string& card) {
    Words one;
    one.name = card;
    return RecogniseCard(*EmbeddedTables(), one).has_value();
  };
  if (cards.size() < 2 || std::any_of(cards.begin(), cards.end(), is_refused)) return std::nullopt;
  std::string texts;
  for (std::span<const std::string> rest = cards; !rest.empty();) {
    const auto other = std::find_if(rest.begin(), rest.end(), [&](const std::string& card) {
      return probe::Lower(card) != probe::Lower(rest.front());
    });
    const auto count = static_cast<std::size_t>(other - rest.begin());
    texts += fmt::format(" --assume \"name={}{}\"", probe::CleanText(rest.front(), 64),
                         count > 1 ? fmt::format(",count={}", count) : "");
    rest = rest.subspan(count);
  }
  return fmt::format("name: '{}' is {} cards: say{}", probe::CleanText(name, 64), cards.size(), texts);
}

// Of whose cards alone a word of the name is a part: "GTX" is NVIDIA's. Words with a number are models, which
// are slips more often than series.
std::optional<std::uint32_t> MakerOfSeries(std::string_view name) {
  const auto words = probe::Lower(name);
  for (std::string_view rest = words; !rest.empty();) {
    const auto word = probe::TakeUpTo(rest, ' ');
    std::set<std::uint32_t> makers;
    for (const Row& row : AllRows()) {
      if (FirstNumber(word).empty() && IsGpu(row) && WordsLeftOut(word, row.name)) makers.insert(row.vendor);
    }
    if (makers.size() == 1) return *makers.begin();
  }
  return std::nullopt;
}

// "3g": how many of them.
bool IsCountOf(char unit, std::string_view word) {
  return word.size() > 1 && word.back() == unit && probe::IsDigits(word.substr(0, word.size() - 1));
}

// Of a card that is divided, as its tools name an instance: "1g.5gb", with more behind it or not
// ("1g.10gb+me"), or a compute instance of one ("1c.3g.20gb"). What stands before it, without its "MIG", and
// how much memory it has; nullopt of a whole card.
std::optional<std::pair<std::string, std::string>> PartIn(std::string_view name) {
  std::string before;
  for (auto rest = name; !rest.empty();) {
    const auto written = probe::TakeUpTo(rest, ' ');
    const auto word = probe::Lower(written);
    auto size = std::string_view(word);
    auto slices = probe::TakeUpTo(size, '.');
    if (IsCountOf('c', slices)) slices = probe::TakeUpTo(size, '.');
    size = size.substr(0, size.find('+'));
    if (IsCountOf('g', slices) && IsMemorySize(size))
      return std::pair(before, std::string(size.substr(0, size.size() - 2)) + "GB");
    if (word.empty() || word == "mig") continue;
    before.append(before.empty() ? "" : " ").append(written);
  }
  return std::nullopt;
}

// Those of whose names it is the beginning: "dgx" of "dgx-a100", and "DGX H100" of "dgx-h100".
std::vector<std::string> MachinesCalled(std::string_view name) {
  auto wanted = probe::Lower(name);
  std::replace(wanted.begin(), wanted.end(), ' ', '-');
  std::vector<std::string> found;
  for (std::string& machine : MachineNames()) {
    if (machine == wanted || machine.starts_with(wanted + "-")) found.push_back(std::move(machine));
  }
  return found;
}

// Names of drivers that draw on the processor, which tools list among GPUs (Mesa, src/gallium/drivers).
bool DrawsOnTheProcessor(std::string_view name) {
  constexpr std::array<std::string_view, 3> kDrivers = {"llvmpipe", "softpipe", "swrast"};
  return std::find(kDrivers.begin(), kDrivers.end(), probe::Lower(name)) != kDrivers.end();
}

}  // namespace

// As drivers print it, "NVIDIA A100-SXM4-80GB", in the table's words: without its maker, hyphens and further
// blanks.
std::string WithoutMaker(std::string_view name) {
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '-', ' ');
  std::string words;
  for (std::string_view rest = plain; !rest.empty();) {
    const auto word = probe::TakeUpTo(rest, ' ');
    if (word.empty() || (words.empty() && MakerCalled(word))) continue;
    words.append(words.empty() ? "" : " ").append(word);
  }
  return words.empty() ? std::string(name) : words;
}

std::optional<std::string> NearestCard(const std::string& name) {
  const auto maker = MakerOfSeries(name);
  std::vector<std::string> known;
  for (const Row& row : AllRows()) {
    if (!IsGpu(row) || (maker && row.vendor != *maker)) continue;
    known.emplace_back(row.name);
    if (const auto series = row.name.find(' '); series != std::string_view::npos)
      known.emplace_back(row.name.substr(series + 1));  // "RTX 3060" of "GeForce RTX 3060"
  }
  for (const Alias& alias : Aliases()) known.emplace_back(alias.name);
  const auto written = probe::Lower(WithoutMaker(name));
  std::erase_if(known, [&](const std::string& card) {
    return !IsOfOneSeries(written, probe::Lower(WithoutMaker(card)));
  });
  auto nearest = Nearest(name, known);
  const auto before = CardBefore(name);
  if (before && !(nearest && probe::Lower(*nearest).starts_with(probe::Lower(*before) + " "))) return before;
  // That name was given.
  if (nearest && (IsCardsName(name, *nearest) || IsAnotherModel(name, *nearest))) return std::nullopt;
  return nearest;
}

std::optional<std::string> OfAnArchitecture(const std::string& name) {
  const auto wanted = ArchitectureNamed(name);
  return ArchitectureThat(name, [&](std::string_view known) { return known == wanted; });
}

std::optional<std::string> NoCardOf(const std::string& name, bool is_of_maker) {
  const auto family = ArchitectureNamed(name);
  const auto is_of_it = [&](std::string_view known) { return IsOfFamily(known, family); };
  if (auto wrong = ArchitectureThat(name, is_of_it)) return wrong;
  const auto printed = PrintedName(name);
  if (DrawsOnTheProcessor(printed))
    return fmt::format("name: {} draws on the processor and is no GPU; a machine without one is vendor=none",
                       printed);
  if (is_of_maker) return std::nullopt;
  const auto near = NearestCard(printed);
  const auto machines = MachinesCalled(printed);
  return fmt::format("name: this version knows no card called '{}'; with a vendor it may be any{}",
                     probe::CleanText(name, 64),
                     near ? fmt::format("; did you mean '{}'?", *near)
                     : !machines.empty()
                         ? fmt::format("; did you mean --assume-machine {}?", machines.front())
                         : "");
}

std::optional<std::string> NoWholeCard(const std::string& name) {
  if (const auto part = PartIn(name)) {
    const auto card = AsWords(PrintedName(part->first));
    const auto those_of_the_whole =
        card ? fmt::format("'{},memory={}' has those of the whole card", *card, part->second)
             : fmt::format(
                   "those of a whole card stand for it once its maker, its architecture and "
                   "memory={} are said",
                   part->second);
    return fmt::format("name: '{}' is a part of a card, and no table has the rates of a part: {}",
                       probe::CleanText(name, 64), those_of_the_whole);
  }
  if (auto several = SeveralCards(name)) return several;
  constexpr std::size_t kSeveral = 2;
  const auto machines = MachinesCalled(name);
  if (machines.size() < kSeveral || name.find(' ') != std::string::npos) return std::nullopt;
  return fmt::format(
      "name: '{}' is no card, but the first word of machines' names; --assume-machine takes {}",
      probe::CleanText(name, 64), fmt::join(machines, ", "));
}

bool IsASeries(std::string_view spelling, const Rows& similar, bool is_exact) {
  const auto series = spelling.substr(spelling.rfind(' ') + 1);
  const bool is_short = series.size() == 2 && probe::IsDigit(series[1]) && !probe::IsDigit(series[0]);
  std::set<std::string_view> names;
  for (const Row& row : similar) names.insert(row.name);
  return is_short && !is_exact && names.size() > 1 &&
         std::none_of(similar.begin(), similar.end(),
                      [&](const Row& row) { return IsCalledByChip(row.name, spelling); });
}

bool IsInPlainLetters(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::optional<std::string> InOtherLetters(const std::string& name, bool is_of_maker) {
  const auto plain = AsItLooks(name);
  const bool is_card = !plain.empty() && AsWords(plain).has_value();
  if (is_of_maker && !is_card) return std::nullopt;  // what somebody calls a card that no table has
  const auto meant = is_card ? std::optional(plain) : NearestCard(plain);
  return fmt::format("name: '{}' has letters or digits that no card's name has{}", probe::CleanText(name, 64),
                     meant ? fmt::format("; did you mean '{}'?", *meant) : "");
}

std::optional<std::string> AsksForMore(const Rows& rows, const Rows& similar, bool is_exact, const Words& of,
                                       std::size_t architectures) {
  const auto words = probe::Lower(WithoutMaker(of.spelling));
  const auto agree = [](const Rows& some) {
    return std::all_of(some.begin(), some.end(),
                       [&](const Row& row) { return row.name == some.front().name; });
  };
  const bool has_number = words.find_first_of("0123456789") != std::string::npos;
  if ((has_number && !IsASeries(of.spelling, similar, is_exact)) || agree(similar) ||
      (is_exact && agree(rows) && words.find(' ') != std::string::npos))
    return std::nullopt;
  const bool are_parts =
      std::all_of(similar.begin(), similar.end(), [](const Row& row) { return row.kind == "integrated"; });
  const auto begin_so = std::count_if(similar.begin(), similar.end(), [&](const Row& row) {
    return probe::Lower(WithoutMaker(row.name)).starts_with(words);
  });
  const bool is_a_kind = 2 * static_cast<std::size_t>(begin_so) > similar.size();
  if (are_parts && (is_a_kind || architectures == 1)) return std::nullopt;
  const auto products = ProductsOf(similar, words);
  std::set<std::string_view> names;
  for (const Row& row : products) names.insert(row.name);
  const auto is_so = [&](const Row& row) { return IsCalledByChip(row.name, of.spelling); };
  return fmt::format(
      "name: '{}' is {}, and {} have it: {}", probe::CleanText(*of.name, 64),
      std::any_of(similar.begin(), similar.end(), is_so) ? "many chips' own name" : "no card's own name",
      names.size(), OneOfThem(products));
}

}  // namespace report::assume
