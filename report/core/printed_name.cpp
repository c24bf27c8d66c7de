// SPDX-License-Identifier: MIT
// What other tools print of a GPU: pciutils' lspci (names of pci.ids), Vulkan's and OpenGL's device names of
// Mesa ("AMD Radeon RX 7900 XTX (RADV NAVI31)", "llvmpipe (LLVM 15.0.6, 256 bits)") and of NVIDIA
// ("NVIDIA GeForce RTX 4090/PCIe/SSE2"), nvidia-smi -L ("GPU 0: NVIDIA GeForce RTX 4090 (UUID: ...)").
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/vendor_names.h"
#include "report/core/card_name.h"

namespace report {
namespace {

constexpr auto kNowhere = std::string_view::npos;

std::vector<std::string> BlankSeparated(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto word = probe::TakeUpTo(text, ' ');
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::string JoinedByBlanks(const std::vector<std::string>& words, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text.append(text.empty() ? "" : " ").append(words[i]);
  return text;
}

bool HasDigit(std::string_view word) { return std::any_of(word.begin(), word.end(), probe::IsDigit); }

// As it stands behind a maker's name: "Intel Corporation", "Advanced Micro Devices, Inc.".
bool IsLegalForm(std::string_view word) {
  constexpr std::array<std::string_view, 8> kForms = {"corporation", "corp", "inc", "incorporated",
                                                      "ltd",         "llc",  "co",  "gmbh"};
  auto plain = probe::Lower(word);
  while (!plain.empty() && (plain.back() == '.' || plain.back() == ',')) plain.pop_back();
  return std::find(kForms.begin(), kForms.end(), plain) != kForms.end();
}

// "12 GB": that tells one card from another. A "580 8GB" is a card's.
bool IsSize(std::string_view text) {
  const auto words = BlankSeparated(text);
  if (words.size() > 2 || (words.size() == 2 && HasDigit(words[1]))) return false;
  auto plain = JoinedByBlanks(words, 0, words.size());
  std::erase(plain, ' ');
  if (plain.ends_with("iB")) plain.erase(plain.size() - 2, 1);
  return IsMemorySize(plain);
}

// All that is in parentheses, also within others, but a size of memory. Where they do not match the text
// stays.
std::string WithoutParentheses(std::string_view text) {
  std::string plain;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(' && depth++ == 0) from = at + 1;
    if (depth == 0) plain.push_back(text[at]);
    if (text[at] != ')') continue;
    if (--depth < 0) return std::string(text);
    if (depth == 0 && IsSize(text.substr(from, at - from))) plain.append(text.substr(from, at - from));
  }
  return depth == 0 ? plain : std::string(text);
}

// "10de:2684" and "0300", as lspci -nn has them.
bool IsNumber(std::string_view text) {
  constexpr std::size_t kDigits = 4;  // of a vendor, a device and a class
  const auto is_one = [](std::string_view word) {
    return word.size() == kDigits && word.find_first_not_of("0123456789abcdefABCDEF") == kNowhere;
  };
  return is_one(text) || (text.size() == 2 * kDigits + 1 && text[kDigits] == ':' &&
                          is_one(text.substr(0, kDigits)) && is_one(text.substr(kDigits + 1)));
}

// "AMD/ATI": a maker's names alone.
bool NamesMakerAlone(std::string_view text) {
  while (!text.empty()) {
    const auto word = probe::Lower(probe::Trim(probe::TakeUpTo(text, '/')));
    const auto makers = probe::KnownVendors();
    const bool is_one = std::any_of(makers.begin(), makers.end(), [&](const probe::VendorNames& maker) {
      return probe::Lower(maker.name) == word || probe::Lists(maker.leading_words, word);
    });
    if (!is_one) return false;
  }
  return true;
}

// Takes what is in brackets out of the text; of that the last that is a name.
std::optional<std::string> TakeBracketed(std::string& text) {
  std::optional<std::string> name;
  for (auto from = text.find('['); from != kNowhere; from = text.find('[')) {
    const auto to = text.find(']', from);
    if (to == kNowhere) break;
    const auto inside = std::string(probe::Trim(std::string_view(text).substr(from + 1, to - from - 1)));
    text.erase(from, to - from + 1);
    if (!inside.empty() && !IsNumber(inside) && !NamesMakerAlone(inside)) name = inside;
  }
  return name;
}

// Behind a slash what the card is plugged into and what the processor can: "/PCIe/SSE2".
std::string WithoutInterface(const std::string& name) {
  constexpr std::array<std::string_view, 3> kInterfaces = {"/pcie", "/agp", "/integrated"};
  const auto lower = probe::Lower(name);
  auto end = name.size();
  for (const auto known : kInterfaces) end = std::min(end, lower.find(known));
  return name.substr(0, end);
}

// "AMD Ryzen 7 7840HS w/ Radeon 780M Graphics", as processors are named that have one.
std::string BehindProcessor(const std::string& name) {
  constexpr std::string_view kWith = " w/ ";
  const auto with = probe::Lower(name).find(kWith);
  return with == kNowhere ? name : name.substr(with + kWith.size());
}

// Behind what its maker is registered as, and the name of who writes a driver and builds no card: those have
// numbers of Khronos's.
std::string WithoutMakers(const std::string& name) {
  constexpr std::uint32_t kLastOfPci = 0xffff;
  const auto words = BlankSeparated(name);
  std::size_t from = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (IsLegalForm(words[i])) from = i + 1;
  }
  const auto writes_drivers = [](const std::string& word) {
    const auto known = probe::KnownVendors();
    return std::any_of(known.begin(), known.end(), [&](const probe::VendorNames& vendor) {
      return vendor.number > kLastOfPci && probe::Lower(vendor.name) == probe::Lower(word);
    });
  };
  // "Mesa DRI Intel(R) UHD Graphics 620": of its drivers before Gallium's.
  const auto is_driver = [&](std::size_t i) {
    return writes_drivers(words[i]) || (i > 0 && words[i] == "DRI" && writes_drivers(words[i - 1]));
  };
  while (from < words.size() && is_driver(from)) ++from;
  return JoinedByBlanks(words, from, words.size());
}

// Of the maker's own board, or of how it is plugged in: the same card.
std::string WithoutEdition(const std::string& name) {
  constexpr std::array<std::string_view, 6> kEditions = {
      " le", " fe", " oam", " limited edition", " founders edition", " founder's edition"};
  const auto lower = probe::Lower(name);
  for (const auto edition : kEditions) {
    if (lower.ends_with(edition)) return name.substr(0, name.size() - edition.size());
  }
  return name;
}

// What stands in the place of a name where none is known: "Device 2684", "Graphics".
bool IsPlaceholder(std::string_view name) {
  const auto words = BlankSeparated(probe::Lower(name));
  const auto is_one = [](const std::string& word) {
    return word == "device" || word == "graphics" || word == "generic";
  };
  return !words.empty() && is_one(words.front()) &&
         std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return is_one(word) || IsNumber(word); });
}

// "GTX 1650 with Max-Q Design", as NVIDIA's driver names it, is the table's "GTX 1650 Max-Q".
std::string WithoutDesign(const std::string& name) {
  constexpr std::string_view kWith = " with ";
  constexpr std::string_view kDesign = " design";
  const auto lower = probe::Lower(name);
  const auto with = lower.rfind(kWith);
  if (with == kNowhere || !lower.ends_with(kDesign) || with + kWith.size() + kDesign.size() > name.size())
    return name;
  const auto from = with + kWith.size();
  return name.substr(0, with) + " " + name.substr(from, name.size() - kDesign.size() - from);
}

// "RX 580 Series", as AMD's driver names an "RX 580".
std::string WithoutSeries(const std::string& name) {
  constexpr std::string_view kSeries = " series";
  const bool is_one = probe::Lower(name).ends_with(kSeries) && HasDigit(name);
  return is_one ? name.substr(0, name.size() - kSeries.size()) : name;
}

using Piece = std::vector<std::string>;  // of a list, its words

// Takes the sizes that stand for themselves out of a list, and the one before them: of "Mobile / Max-Q
// 8GB/16GB" they are none's own. What it took, in order.
std::vector<std::string> TakeSizes(std::vector<Piece>& pieces) {
  std::vector<std::string> sizes;
  std::vector<Piece> kept;
  const auto from = [](const Piece& piece, std::size_t at) {
    return JoinedByBlanks(piece, at, piece.size());
  };
  for (const Piece& piece : pieces) {
    if (kept.empty() || !IsSize(from(piece, 0))) {
      kept.push_back(piece);
      continue;
    }
    Piece& before = kept.back();
    for (std::size_t words = 1; words < std::min<std::size_t>(before.size(), 3); ++words) {  // "8 GB" is two
      const auto size = from(before, before.size() - words);
      if (!IsSize(size)) continue;
      sizes.push_back(size);
      before.resize(before.size() - words);
      break;
    }
    sizes.push_back(from(piece, 0));
  }
  pieces = std::move(kept);
  return sizes;
}

// How many of the words of a product the next one of its list begins with: "7900 XTX" lacks what stands
// before the first number ("Radeon RX 7900 XT"), "390" what stands before the first that is one ("Radeon R9
// 290"), and "Mobile" all but the last word, or with "Ti" all, where that is the number ("GTX 1080/Ti"); "PRO
// W7600" lacks nothing.
std::size_t SharedWith(const Piece& before, const Piece& piece) {
  const auto place = [&](auto holds) {
    return static_cast<std::size_t>(std::find_if(before.begin(), before.end(), holds) - before.begin());
  };
  const bool has_digit = std::any_of(piece.begin(), piece.end(), [](const std::string& word) {
    return HasDigit(word) && !IsMemorySize(word);
  });
  if (before.empty() || (has_digit && !HasDigit(piece.front()))) return 0;
  const bool ends_in_number = HasDigit(before.back()) && !IsMemorySize(before.back());
  if (!has_digit) return ends_in_number ? before.size() : before.size() - 1;
  const bool is_number = probe::IsDigit(piece.front().front());
  const auto alike = place(
      [&](const std::string& word) { return HasDigit(word) && probe::IsDigit(word.front()) == is_number; });
  if (alike < before.size()) return alike;
  const auto numbered = place(HasDigit);
  return is_number && numbered < before.size() ? numbered : 0;
}

}  // namespace

std::string PrintedName(std::string_view text) {
  auto rest = WithoutParentheses(text);
  auto name = TakeBracketed(rest);
  if (const auto colon = rest.rfind(": "); colon != std::string::npos) rest.erase(0, colon + 2);
  const auto whole = name ? *name : WithoutMakers(BehindProcessor(WithoutInterface(rest)));
  const auto plain = WithoutSeries(WithoutDesign(WithoutEdition(std::string(probe::Trim(whole)))));
  return plain.empty() || IsPlaceholder(plain) ? std::string(text) : plain;
}

std::optional<std::uint32_t> PrintedMaker(std::string_view text) {
  if (const auto colon = text.rfind(": "); colon != kNowhere) text.remove_prefix(colon + 2);
  const auto words = BlankSeparated(text);
  const auto form = std::find_if(words.begin(), words.end(), IsLegalForm);
  if (form == words.begin() || form == words.end()) return std::nullopt;
  const auto makers = probe::KnownVendors();
  const auto maker = std::find_if(makers.begin(), makers.end(), [&](const probe::VendorNames& one) {
    return probe::Lists(one.maker_words, probe::Lower(words.front()));
  });
  return maker == makers.end() ? std::nullopt : std::optional(maker->number);
}

std::vector<std::string> ProductsIn(std::string_view name) {
  std::vector<Piece> pieces;
  for (auto rest = name; !rest.empty();) {
    auto piece = BlankSeparated(probe::TakeUpTo(rest, '/'));
    if (!piece.empty()) pieces.push_back(std::move(piece));
  }
  const auto sizes = TakeSizes(pieces);
  std::vector<std::string> products;
  Piece before;
  for (Piece& piece : pieces) {
    const auto shared = static_cast<std::ptrdiff_t>(SharedWith(before, piece));
    piece.insert(piece.begin(), before.begin(), before.begin() + shared);
    products.push_back(JoinedByBlanks(piece, 0, piece.size()));
    before = piece;
  }
  // Of one product they tell which: "RX 6750 GRE 10GB / 12GB".
  if (products.size() != 1 || sizes.empty()) return products;
  const auto product = products.front();
  products.clear();
  for (const std::string& size : sizes) products.push_back(product + " " + size);
  return products;
}

bool GoesOn(std::string_view name, std::string_view rest) {
  const auto piece = rest.substr(0, rest.find(','));
  if (piece.find('=') != kNowhere) return false;
  auto first = probe::Trim(piece);
  if (IsLegalForm(probe::TakeUpTo(first, ' '))) return true;
  const auto is_closed_behind = [&](char open, char close) {
    return std::count(name.begin(), name.end(), open) > std::count(name.begin(), name.end(), close) &&
           rest.find(close) != kNowhere;
  };
  return is_closed_behind('(', ')') || is_closed_behind('[', ']');
}

}  // namespace report
