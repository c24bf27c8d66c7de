// SPDX-License-Identifier: MIT
// The card in what another tool prints, and lists of several.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "probe/core/text.h"
#include "report/assume/cards.h"
#include "report/assume/known_card.h"
#include "report/core/card_name.h"
#include "report/core/device_peak.h"

namespace report::assume {
namespace {

// Whether a description of one says of all that decides what one of another says.
bool LeadToOne(const Tables& tables, const std::vector<std::string>& names) {
  using Rates = std::array<std::optional<double>, 4>;
  // What is on no bus is known by its name alone.
  using Decisive = std::tuple<std::string, std::optional<std::string>, std::optional<std::uint64_t>, Rates>;
  std::set<Decisive> all;
  for (const std::string& name : names) {
    Words words;
    words.name = name;
    if (RecogniseCard(tables, words)) continue;
    probe::PhysicalDevice device;
    device.name = name;
    device.hardware.emplace().identity.ids = words.ids;
    const auto* peak = FindPeak(EmbeddedPeaks(), device);
    const bool is_on_no_bus = !words.ids && words.kind == probe::DeviceKind::kIntegrated;
    all.insert({is_on_no_bus ? name : std::string(), words.architecture, words.memory_bytes,
                peak && !IsOfAnother(*peak, device)
                    ? Rates{peak->memory, peak->fp32, peak->matrix16, peak->int8}
                    : Rates{}});
  }
  return all.size() < 2;
}

// "RX 480/580" of "rx480/580", of which the second lacks a word of the first.
std::string WithFirstSpelled(const std::string& list) {
  const auto first = list.substr(0, list.find('/'));
  return first.size() == list.size() || first.find(' ') != std::string::npos
             ? list
             : Spelled(first) + list.substr(first.size());
}

}  // namespace

bool IsCard(const std::string& name) { return AsWords(name).value_or("").starts_with("name="); }

std::optional<std::string> TakePrinted(const Tables& tables, std::string& name) {
  const auto printed = PrintedName(name);
  if (auto of_chip = NameWithChip(printed, name)) {
    name = *std::move(of_chip);
    return std::nullopt;
  }
  auto products = ProductsIn(WithFirstSpelled(printed));
  const auto listed = products.size();
  const auto first_unknown = std::stable_partition(products.begin(), products.end(), IsCard);
  const std::vector<std::string> unknown(first_unknown, products.end());
  products.erase(first_unknown, products.end());
  const auto ask = [&] {
    const auto start = fmt::format("'{}' is what several cards are called", probe::CleanText(printed, 64));
    if (unknown.empty() || IsRowsName(printed))
      return fmt::format("{}; say which one: {}", start, fmt::join(products, ", "));
    return fmt::format("{}, but '{}' is no card's name; say one card's, such as {}", start,
                       probe::CleanText(unknown.front(), 64), products.front());
  };
  if (!LeadToOne(tables, products)) return ask();
  if (listed > 1 && !products.empty()) {
    if (IsRowsName(name)) return std::nullopt;
    // Of one that is no card nobody knows how alike it is.
    if (!IsRowsName(printed) && products.size() < listed) return ask();
    name = IsRowsName(printed) ? printed : products.front();
    return std::nullopt;
  }
  if (printed != name && !IsCard(name) && IsCard(printed)) name = printed;
  return std::nullopt;
}

}  // namespace report::assume
