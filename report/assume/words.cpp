// SPDX-License-Identifier: MIT
#include "report/assume/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor_names.h"
#include "report/assume/assume.h"
#include "report/assume/known_card.h"
#include "report/assume/memory.h"
#include "report/core/architecture.h"
#include "report/core/card_name.h"
#include "report/core/quantity.h"
#include "report/core/suggest.h"

namespace report::assume {
namespace {

using Wrong = std::optional<std::string>;

constexpr std::size_t kLongestPrinted = 300;  // a whole line of another tool's

// Numbers with dots between them, none larger than what versions are compared by.
bool IsVersion(std::string_view text) {
  bool all = !text.empty() && text.size() <= 32 && !text.ends_with('.');
  while (all && !text.empty()) {
    const auto number = probe::TakeUpTo(text, '.');
    all = probe::IsDigits(number) && probe::ParseNumber<std::uint32_t>(number);
  }
  return all;
}

// Behind an architecture as ROCm prints it: ":sramecc+:xnack-".
bool AreFeatures(std::string_view text) {
  while (!text.empty()) {
    auto feature = probe::TakeUpTo(text, ':');
    const bool is_set = feature.ends_with('+') || feature.ends_with('-');
    if (feature.size() < 2 || !is_set) return false;
    feature.remove_suffix(1);
    if (feature.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") != std::string_view::npos)
      return false;
  }
  return true;
}

// "8.9", "12.0"
bool IsCapability(std::string_view text) {
  const auto major = probe::TakeUpTo(text, '.');
  return probe::IsDigits(major) && major.size() <= 2 && probe::IsDigits(text) && text.size() == 1;
}

Wrong OneOf(std::string_view value, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return std::nullopt;
  return fmt::format("'{}' is not a value{}", probe::CleanText(std::string(value), 64), Hint(value, known));
}

Wrong ReadFlag(const std::string& value, std::optional<bool>& out) {
  out = value == "yes" || value == "true" || value == "1";
  return OneOf(value, {"yes", "no", "true", "false", "1", "0"});
}

Wrong ReadVendor(const std::string& said, Words& words) {
  const auto value = probe::Lower(said);
  std::vector<std::string> known = {"none"};
  words.no_gpu = value == "none";
  for (const probe::VendorNames& vendor : probe::KnownVendors()) {
    const auto name = probe::Lower(vendor.name);
    // Some have several numbers, of which the first is their GPUs'.
    const bool is_it = name == value || probe::Lists(vendor.maker_words, value);
    if (is_it && !words.vendor) words.vendor = vendor.number;
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  return words.vendor || words.no_gpu ? std::nullopt : OneOf(value, known);
}

Wrong ReadRuntimes(const Tables& tables, const std::string& value, Words& words) {
  words.runtimes.emplace();
  if (value.ends_with(':')) return "a runtime is missing behind the last colon";
  std::vector<std::string> known;
  known.reserve(tables.runtimes.size());
  for (const RuntimeFacts& facts : tables.runtimes) known.push_back(facts.name);
  for (std::string_view rest = value; !rest.empty();) {
    auto word = probe::TakeUpTo(rest, ':');
    if (word.ends_with('@'))
      return fmt::format("'{}' has no version behind its @", probe::CleanText(word, 64));
    const auto name = std::string(probe::TakeUpTo(word, '@'));
    if (name == "none") {
      if (value != "none") return "none stands alone: it says that nothing is installed";
      continue;
    }
    if (std::any_of(words.runtimes->begin(), words.runtimes->end(),
                    [&](const auto& one) { return one.first == name; }))
      return fmt::format("'{}' stands twice", probe::CleanText(name, 64));
    if (auto wrong = OneOf(name, known)) return wrong;
    if (!word.empty() && !IsVersion(word)) return fmt::format("'{}' is no version such as 7.1", word);
    words.runtimes->emplace_back(name, word);
  }
  return std::nullopt;
}

// Generation, minor version, step.
using Place = std::array<std::uint32_t, 3>;

// "gfx90a" is 9, 0, 10: the last two are one hexadecimal digit each. Of a release two numbers count.
std::optional<Place> PlaceOf(const TargetFacts& target, std::string_view architecture) {
  if (target.form != TargetForm::kWord) {
    const auto major = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(architecture, '.'), 10);
    const auto minor = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(architecture, '.'), 10);
    return major ? std::optional(Place{*major, minor.value_or(0), 0}) : std::nullopt;
  }
  if (!architecture.starts_with(target.prefix)) return std::nullopt;
  architecture.remove_prefix(target.prefix.size());
  if (architecture.size() < 3) return std::nullopt;
  const auto last = architecture.size() - 1;
  const auto major = probe::ParseNumber<std::uint32_t>(architecture.substr(0, last - 1), 10);
  const auto minor = probe::ParseNumber<std::uint32_t>(architecture.substr(last - 1, 1), 16);
  const auto step = probe::ParseNumber<std::uint32_t>(architecture.substr(last), 16);
  if (!major || !minor || !step) return std::nullopt;
  return Place{*major, *minor, *step};
}

constexpr std::uint32_t kTimesAhead = 2;  // generations beyond twice the newest are a slip of the finger

struct Standing {
  bool is_newer = false;  // than all that the table has
  std::string
      why_not;  // it never was: a sentence's end, "none was made between 9.0 and 10.0"; empty: it can be
};

// Of an architecture as people write it. A table without the list knows all. What is far beyond the newest is
// none.
Standing StandingOf(const TargetFacts& target, std::string_view architecture) {
  if (!target.known || target.known->empty()) return {};
  const auto place = PlaceOf(target, architecture);
  if (!place) return {false, fmt::format("the newest that is known is {}", target.known->back())};
  std::optional<std::pair<Place, std::string_view>> below;
  std::optional<std::pair<Place, std::string_view>> above;
  for (const std::string& known : *target.known) {
    const auto at = PlaceOf(target, known);
    if (!at) continue;
    if (*at == *place) return {};
    if (*at < *place && (!below || below->first < *at)) below = {*at, known};
    if (*at > *place && (!above || above->first > *at)) above = {*at, known};
  }
  if (!below) return {false, fmt::format("the oldest that is known is {}", target.known->front())};
  if (above) return {false, fmt::format("none was made between {} and {}", below->second, above->second)};
  if ((*place)[0] > kTimesAhead * below->first[0])
    return {false, fmt::format("the newest that is known is {}", below->second)};
  return {true, ""};
}

// "8.9" -> "sm_89", by the form of the table that has the key.
Wrong ReadArchitecture(const RuntimeFacts& facts, const std::string& said, Words& words) {
  const TargetFacts& target = *facts.target;
  if (words.architecture) return Wrong("another key has said the architecture");
  std::string_view features = said;
  const auto bare = std::string(probe::TakeUpTo(features, ':'));
  const auto value = target.form == TargetForm::kWord && AreFeatures(features) ? bare : said;
  const auto word = value.starts_with(target.prefix) ? value : target.prefix + value;
  words.of = &facts;
  words.architecture = target.form == TargetForm::kVersion ? target.prefix + value : word;
  if (target.form == TargetForm::kVersion) std::erase(*words.architecture, '.');
  // A word has a number behind its prefix.
  if (target.form == TargetForm::kWord && !probe::IsDigits(word.substr(target.prefix.size(), 1)))
    return fmt::format("'{}' is no architecture of {}", probe::CleanText(value, 64), facts.title);
  const bool is_version = target.form != TargetForm::kVersion || IsCapability(value);
  const auto shown = ArchitectureText(target, words.architecture, Reader::kPeople);
  if (is_version && !shown.empty()) {
    const auto standing = StandingOf(target, shown);
    words.is_newer = standing.is_newer;
    if (standing.why_not.empty()) return std::nullopt;
    return fmt::format("'{}' is no architecture of {}: {}", probe::CleanText(value, 64), facts.title,
                       standing.why_not);
  }
  return fmt::format("'{}' is no architecture of {}{}", probe::CleanText(value, 64), facts.title,
                     target.form == TargetForm::kWord ? "" : ", which is a version such as 8.9");
}

Wrong ReadLibc(const std::string& value, Words& words) {
  words.libc = IsVersion(value) ? "glibc " + value : value;
  return IsVersion(value) || value == "musl" ? std::nullopt
                                             : Wrong("it takes a version such as 2.36, or musl");
}

Wrong ReadKind(const std::string& value, Words& words) {
  words.kind = value == "integrated" ? probe::DeviceKind::kIntegrated : probe::DeviceKind::kDiscrete;
  return OneOf(value, {"discrete", "integrated"});
}

Wrong ReadCount(const std::string& value, Words& words) {
  constexpr std::uint32_t kMost = 64;
  const auto count = probe::ParseNumber<std::uint32_t>(value);
  words.count = count.value_or(0);
  return count && *count >= 1 && *count <= kMost
             ? std::nullopt
             : Wrong(fmt::format("it takes a number from 1 to {}", kMost));
}

Wrong ReadMemory(const std::string& value, std::optional<std::uint64_t>& out) {
  out = ParseSize(value);
  constexpr std::uint64_t kLeast = 1U << 20U;  // 24 is meant to be GiB
  return out.value_or(0) >= kLeast ? std::nullopt
                                   : Wrong("it takes a size of 1 MiB or more with its unit, such as 24GiB");
}

Wrong ReadDriver(const std::string& value, Words& words) {
  words.driver = value;
  return IsVersion(value) ? std::nullopt : Wrong("it takes a version such as 580.65.06");
}

Wrong ReadText(const std::string& value, std::optional<std::string>& out) {
  out = probe::CleanText(value, 64);
  return out->empty() ? Wrong("it is empty") : std::nullopt;
}

// Without the marks of trademarks that drivers print, which mean nothing: "Intel(R) Arc(TM) A770" is an
// "Intel Arc A770".
std::string WithoutMarks(std::string_view name) {
  constexpr std::array<std::string_view, 6> kMarks = {"(r)", "(tm)", "(c)", "\u00ae", "\u2122", "\u00a9"};
  std::string plain;
  while (!name.empty()) {
    const auto lower = probe::Lower(name.substr(0, 4));
    const auto mark = std::find_if(kMarks.begin(), kMarks.end(),
                                   [&](std::string_view one) { return lower.starts_with(one); });
    if (mark == kMarks.end()) plain.push_back(name.front());
    name.remove_prefix(mark == kMarks.end() ? 1 : mark->size());
  }
  std::string words;
  for (std::string_view rest = plain; !rest.empty();) {
    const auto word = probe::TakeUpTo(rest, ' ');
    if (!word.empty()) words.append(words.empty() ? "" : " ").append(word);
  }
  return words;
}

// "16GB", or a number that is in the names of many.
bool IsSizeAlone(std::string_view name) {
  constexpr std::size_t kShortestNumber = 3;
  const auto plain = WithPlainSizes(name);
  for (std::string_view rest = plain; !rest.empty();) {
    const auto word = probe::TakeUpTo(rest, ' ');
    if (!IsMemorySize(word) && !(probe::IsDigits(word) && word.size() < kShortestNumber)) return false;
  }
  return !plain.empty();
}

// Of what some tools print in the place of a name, "gfx1100": the key that takes it, where that does not say
// the same.
Wrong OfATarget(const Tables& tables, const Words& said) {
  for (const RuntimeFacts& facts : tables.runtimes) {
    Words words;
    const auto name = probe::Lower(*said.name);
    const bool may_be =
        facts.target && facts.target->form == TargetForm::kWord && name.starts_with(facts.target->prefix);
    if (may_be && !ReadArchitecture(facts, name, words) && words.architecture != said.architecture)
      return fmt::format("{0} is an architecture, which {1}={0} says", *words.architecture,
                         facts.target->key);
  }
  return std::nullopt;
}

// A card's; its maker's alone would fit any of them, and the first that a table has would stand for all.
Wrong ReadName(const Tables& tables, const std::string& value, Words& words) {
  auto name = WithoutMarks(probe::CleanText(value, kLongestPrinted));
  const auto whole = name;
  if (IsSizeAlone(name))
    return fmt::format("'{}' is no card's name; a card's is such as RTX 4090, and its memory= such as 24GiB",
                       name);
  if (auto wrong = TakePrinted(tables, name)) return wrong;
  // Of a slip the nearest card is proposed, which a maker's unknown card is not.
  const bool is_unnamed = PrintedName(whole) == whole;
  if (!words.vendor && (is_unnamed || IsCard(name))) words.vendor = PrintedMaker(whole);
  if (name != whole) words.printed = whole;
  if (auto wrong = ReadText(name, words.name)) return wrong;
  const auto* maker = MakerCalled(*words.name);
  if (maker == nullptr) return std::nullopt;
  return fmt::format("{} is a maker, and no card's name; say a card's, or vendor={}", maker->name,
                     probe::Lower(maker->name));
}

struct Key {
  std::string_view name;
  std::function<Wrong(const std::string&, Words&)> read;
};

std::vector<Key> KeysOf(const Tables& tables) {
  std::vector<Key> keys = {
      {"vendor", ReadVendor},
      {"name", [&tables](const auto& value, Words& words) { return ReadName(tables, value, words); }},
      {"kind", ReadKind},
      {"memory", [](const auto& value, Words& words) { return ReadMemory(value, words.memory_bytes); }},
      {"ram", [](const auto& value, Words& words) { return ReadMemory(value, words.ram_bytes); }},
      {"unified", [](const auto& value, Words& words) { return ReadFlag(value, words.unified); }},
      {"count", ReadCount},
      {"driver", ReadDriver},
      {"runtime", [&tables](const auto& value, Words& words) { return ReadRuntimes(tables, value, words); }},
      {"os",
       [](const auto& value, Words& words) {
         words.os = value;
         return OneOf(value, {"linux", "windows", "macos"});
       }},
      {"arch",
       [](const auto& value, Words& words) {
         words.machine = value;
         return OneOf(value, {"x86_64", "aarch64"});
       }},
      {"glibc", ReadLibc},
      {"wsl", [](const auto& value, Words& words) { return ReadFlag(value, words.wsl); }},
      {"container", [](const auto& value, Words& words) { return ReadFlag(value, words.container); }}};
  for (const RuntimeFacts& facts : tables.runtimes) {
    const bool is_anothers = facts.target && std::any_of(keys.begin(), keys.end(), [&](const Key& known) {
                               return known.name == facts.target->key;
                             });
    if (!facts.target || is_anothers) continue;  // one that stands on another has that one's word
    keys.push_back({facts.target->key, [&facts](const auto& value, Words& words) {
                      return ReadArchitecture(facts, value, words);
                    }});
  }
  return keys;
}

// What stands in parentheses behind the name says of the chip, "(RADV RENOIR)", "(TGL GT2)": a key and its
// value; nullopt where it says none.
std::optional<std::pair<std::string, std::string>> ChipIn(std::string_view printed) {
  const auto from = printed.find('(');
  if (from == std::string_view::npos) return std::nullopt;
  auto codes = probe::Lower(printed.substr(from));
  std::replace_if(codes.begin(), codes.end(), [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
  const auto rows = probe::ParseTable<3>(data::kDriverChips);
  for (std::string_view rest = codes; !rest.empty();) {
    const auto code = probe::TakeUpTo(rest, ' ');
    for (const auto& [known, key, architecture] : rows) {
      if (probe::Lower(known) == code) return std::pair(std::string(key), std::string(architecture));
      // "gfx1103_r1" is a revision of one.
      const auto word = code.substr(0, code.find('_'));
      if (word.starts_with(key) && probe::IsDigits(word.substr(key.size())))
        return std::pair(std::string(key), std::string(word));
    }
  }
  return std::nullopt;
}

// Of a name that many chips share, which has no number of its own; what a key says goes before.
Wrong TakeChip(const std::vector<Key>& keys, Words& words) {
  const auto chip = ChipIn(words.printed);
  if (!chip || words.architecture || words.name->find_first_of("0123456789") != std::string::npos)
    return std::nullopt;
  const auto key =
      std::find_if(keys.begin(), keys.end(), [&](const Key& known) { return known.name == chip->first; });
  if (key == keys.end()) return std::nullopt;
  words.is_chip_printed = true;
  return key->read(chip->second, words);
}

// The next pair. A name may have commas of its own, be it with its key or, by mistake, without.
std::string_view TakePair(std::string_view& rest) {
  auto pair = probe::TakeUpTo(rest, ',');
  const auto key = probe::Trim(pair.substr(0, pair.find('=')));
  const bool is_name = key == "name" || key.size() == probe::Trim(pair).size();
  while (is_name && !rest.empty()) {
    auto after = rest;
    const auto piece = probe::TakeUpTo(after, ',');
    if (!GoesOn(pair, rest)) break;
    pair = {pair.data(), static_cast<std::size_t>(piece.data() + piece.size() - pair.data())};
    rest = after;
  }
  return pair;
}

probe::Error Said(std::string_view key, const std::string& text) {
  return probe::Error{"", std::nullopt, "",
                      fmt::format("--assume: {}{}{}", key, key.empty() ? "" : ": ", text)};
}

std::string HintOfKey(const std::string& name, const std::vector<Key>& keys) {
  std::vector<std::string> known;
  known.reserve(keys.size());
  for (const Key& one : keys) known.emplace_back(one.name);
  return Hint(name, known);
}

// Of a text that has no key: it may be a card's name, or a machine's.
std::string HintOfText(const std::string& name, const std::vector<Key>& keys) {
  const auto machines = MachineNames();
  if (std::find(machines.begin(), machines.end(), probe::Lower(name)) != machines.end())
    return fmt::format("; did you mean --assume-machine {}?", probe::Lower(name));
  const auto known = AsWords(name);
  const auto meant = known ? known : AsWords(PrintedName(WithoutMarks(name)));
  return meant ? fmt::format("; did you mean '{}'?", *meant) : HintOfKey(name, keys);
}

}  // namespace

const probe::VendorNames* MakerCalled(std::string_view name) {
  const auto& makers = probe::KnownVendors();
  const auto maker = std::find_if(makers.begin(), makers.end(), [&](const probe::VendorNames& known) {
    return probe::Lower(known.name) == probe::Lower(name);
  });
  return maker == makers.end() ? nullptr : &*maker;
}

probe::Result<Words> ReadWords(const Tables& tables, const std::string& text) {
  const auto keys = KeysOf(tables);
  Words words;
  if (probe::Trim(text).empty()) return Said("", "it is empty; it takes key=value,... such as vendor=none");
  std::vector<std::string> seen;
  for (std::string_view rest = text; !rest.empty();) {
    const bool is_followed = rest.find(',') != std::string_view::npos;
    auto pair = TakePair(rest);
    // Behind a last comma, too, somebody forgot a pair, or a variable of a script was empty.
    if (probe::Trim(pair).empty() || (rest.empty() && is_followed && text.ends_with(',')))
      return Said("", "beside a comma there is no key=value: leave the comma out, or say what was meant");
    const auto name = std::string(probe::Trim(probe::TakeUpTo(pair, '=')));
    const auto value = std::string(probe::Trim(pair));
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const Key& known) { return known.name == name; });
    if (key == keys.end())
      return Said("", fmt::format("there is no key '{}'{}", probe::CleanText(name, 64),
                                  value.empty() ? HintOfText(name, keys) : HintOfKey(name, keys)));
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return Said(name, "it stands twice; of another GPU another --assume says it");
    seen.push_back(name);
    if (value.empty()) return Said(name, "it lacks its value");
    if (auto wrong = key->read(value, words)) return Said(name, *wrong);
  }
  if (!words.name) return words;
  if (auto wrong = OfATarget(tables, words)) return Said("name", *wrong);
  if (auto wrong = TakeChip(keys, words)) return Said("name", *wrong);
  return words;
}

}  // namespace report::assume
