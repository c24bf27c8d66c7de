// SPDX-License-Identifier: MIT
#include "report/core/card_name.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"

namespace report {
namespace {

using probe::IsDigit;

using Words = std::vector<std::string>;

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

bool Has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Names of makers as they are searched: thousands of times for one name.
const Words& Makers() {
  static const Words makers = [] {
    Words all;
    for (const probe::VendorNames& vendor : probe::KnownVendors()) all.push_back(probe::Lower(vendor.name));
    return all;
  }();
  return makers;
}

// Says nothing of which card it is.
bool IsIdle(std::string_view word) {
  constexpr std::array<std::string_view, 5> kIdle = {"gpu", "graphics", "r", "tm", "card"};
  return std::find(kIdle.begin(), kIdle.end(), word) != kIdle.end() || Has(Makers(), word);
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

bool HasDigit(std::string_view word) { return std::any_of(word.begin(), word.end(), IsDigit); }

// The written words, split as the card's are; empty where one is none of the card's. The memory of one that
// is called after no memory does not count.
Words WrittenOf(std::string_view written, const Words& known) {
  Words all;
  const bool has_memory = std::any_of(known.begin(), known.end(), IsMemorySize);
  for (const std::string& word : WordsOf(written)) {
    if (IsMemorySize(word) && !has_memory) continue;
    const auto parts = Has(known, word) ? Words{word} : PartsOf(word);
    if (parts.empty()) return {};
    for (const std::string& part : parts) {
      if (!Has(known, part)) return {};
    }
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

bool JoinsWords(char c) { return c == ' ' || c == '-'; }
bool IsOfWord(char c) { return IsLetter(probe::Lower(c)) || IsDigit(c); }

// How far the letters reach into the text; 0 where they are not its beginning, or end within a word.
std::size_t ReachOf(std::string_view letters, std::string_view text) {
  std::size_t end = 0;
  for (; end < text.size() && !letters.empty(); ++end) {
    if (end > 0 && JoinsWords(text[end])) continue;
    if (probe::Lower(text[end]) != letters.front()) return 0;
    letters.remove_prefix(1);
  }
  const bool ends = end == text.size() || !IsOfWord(text[end]);
  return letters.empty() && ends ? end : 0;
}

std::string_view RunOf(std::string_view letters, std::string_view card) {
  for (std::size_t at = 0; at < card.size(); ++at) {
    if (at > 0 && IsOfWord(card[at - 1])) continue;
    if (const auto end = ReachOf(letters, card.substr(at)); end > 0) return card.substr(at, end);
  }
  return {};
}

}  // namespace

bool IsMemorySize(std::string_view word) {
  constexpr std::string_view kUnit = "gb";
  return word.size() > kUnit.size() && probe::Lower(word.substr(word.size() - kUnit.size())) == kUnit &&
         probe::IsDigits(word.substr(0, word.size() - kUnit.size()));
}

Spelling::Spelling(std::string_view written) {
  auto plain = probe::Lower(written);
  std::erase_if(plain, JoinsWords);
  letters_.push_back(plain);
  for (const std::string& maker : Makers()) {
    if (!maker.empty() && plain.size() > maker.size() && plain.starts_with(maker))
      letters_.push_back(plain.substr(maker.size()));
  }
}

std::string_view Spelling::In(std::string_view card) const {
  for (const std::string& letters : letters_) {
    if (const auto run = RunOf(letters, card); !run.empty()) return run;
  }
  return {};
}

std::string_view SpelledAs(std::string_view written, std::string_view card) {
  return Spelling(written).In(card);
}

std::optional<std::size_t> WordsLeftOut(std::string_view written, std::string_view card) {
  const auto known = WordsOf(card);
  const auto found = WrittenOf(written, known).size();
  if (found == 0) return std::nullopt;
  return known.size() - std::min(found, known.size());
}

std::size_t WordsInCommon(std::string_view written, std::string_view card) {
  const auto said = WordsOf(written);
  const auto known = WordsOf(card);
  return static_cast<std::size_t>(
      std::count_if(known.begin(), known.end(), [&](const std::string& word) { return Has(said, word); }));
}

bool IsForLaptops(std::string_view name) {
  const auto words = WordsOf(name);
  if (Has(words, "workstation")) return false;
  return Has(words, "mobile") || (Has(words, "max") && Has(words, "q")) ||
         std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.size() > 1 && word.back() == 'm' && IsDigit(word[word.size() - 2]);
         });
}

bool IsCardsName(std::string_view written, std::string_view card) {
  const auto known = WordsOf(card);
  const auto said = WrittenOf(written, known);
  if (said.empty()) return false;
  const auto number = std::find_if(known.begin(), known.end(), HasDigit);
  const auto first = number == known.end() ? known.begin() : number;
  return std::all_of(first, known.end(), [&](const std::string& word) { return Has(said, word); });
}

bool MayBe(std::string_view written, std::string_view card) {
  if (IsCardsName(written, card)) return true;
  const bool is_shared = !HasDigit(written) && !WrittenOf(written, WordsOf(card)).empty();
  return is_shared && !SpelledAs(written, card).empty();
}

}  // namespace report
