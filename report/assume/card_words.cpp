// SPDX-License-Identifier: MIT
#include "report/assume/card_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"

namespace report::assume {
namespace {

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
