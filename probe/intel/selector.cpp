// SPDX-License-Identifier: MIT
#include "probe/intel/selector.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "probe/core/parse.h"

namespace probe::intel {
namespace {

// The loader knows the first of them, and reads no selector that has another.
constexpr std::array<std::string_view, 8> kBackends = {"*",   "level_zero", "opencl", "cuda",
                                                       "hip", "native_cpu", "host",   "offload"};
constexpr std::size_t kLoadersBackends = 6;
// The last two until oneAPI 2025 alone, of devices that are not here.
constexpr std::array<std::string_view, 6> kWords = {"*", "cpu", "gpu", "host", "acc", "fpga"};
constexpr std::size_t kLoadersWords = 3;

template <std::size_t N>
std::size_t PlaceOf(std::string_view word, const std::array<std::string_view, N>& words) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

// Every part, empty ones, too.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}
// nullopt where one is empty, or where there are not so many.
std::optional<std::vector<std::string_view>> SplitInto(std::string_view text, char separator,
                                                       std::size_t fewest, std::size_t most) {
  auto parts = Split(text, separator);
  const bool has_empty =
      std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (has_empty || parts.size() < fewest || parts.size() > most) return std::nullopt;
  return parts;
}

// As std::stoi reads it: blanks before it and anything behind it are of no account.
std::optional<int> LeadingNumber(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size()));
  if (text.starts_with('+') && text.size() > 1 && IsDigit(text[1])) text.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::string_view WordOf(DeviceKind kind) {
  if (kind == DeviceKind::kDiscrete || kind == DeviceKind::kIntegrated) return "gpu";
  return kind == DeviceKind::kSoftware ? "cpu" : "acc";
}

}  // namespace

std::optional<Selector::Target> Selector::ParseTarget(std::string_view text) {
  const auto parts = SplitInto(text, '.', 1, 3);
  if (!parts) return std::nullopt;
  Target target;
  const std::string_view device = parts->front();
  const std::size_t place = PlaceOf(device, kWords);
  target.is_numbered = device.front() == '*' || IsDigit(device.front());
  target.is_known = target.is_numbered || place < kLoadersWords;
  if (place < kWords.size()) {
    target.word = device;
  } else if (const auto number = LeadingNumber(device)) {
    target.number = *number;
  } else {
    return std::nullopt;
  }
  target.has_tile = parts->size() > 1;
  target.is_below_tile = parts->size() > 2;
  // Neither a kind has tiles nor all of one level a number below it.
  if (target.has_tile && !target.word.empty() && target.word != "*") return std::nullopt;
  bool is_any = target.word == "*";
  for (std::size_t i = 1; i < parts->size(); ++i) {
    if ((*parts)[i].front() == '*') {
      is_any = true;
      continue;
    }
    const auto number = LeadingNumber((*parts)[i]);
    if (is_any || !number) return std::nullopt;
    if (i == 1) target.tile = number;
  }
  return target;
}

// "level_zero:0,1.0", "!*:gpu"; false of a malformed one.
bool Selector::AddTerm(std::string_view term) {
  const auto pair = SplitInto(term, ':', 2, 2);
  if (!pair) return false;
  std::string_view backend = pair->front();
  const bool discards = backend.starts_with('!');
  if (discards) backend.remove_prefix(1);
  const std::size_t place = PlaceOf(backend, kBackends);
  if (place == kBackends.size()) return false;
  is_read_by_loader_ = is_read_by_loader_ && place < kLoadersBackends;
  for (const std::string_view text : Split(pair->back(), ',')) {
    if (text.empty()) continue;
    auto target = ParseTarget(text);
    // All that discard come last.
    if (!target || (!discards && !targets_.empty() && targets_.back().discards)) return false;
    target->discards = discards;
    target->backend = backend;
    targets_.push_back(*std::move(target));
  }
  return true;
}

std::optional<Selector> Selector::Parse(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Selector selector;
  const std::string lower = Lower(text);
  for (const std::string_view term : Split(lower, ';')) {
    if (!term.empty() && !selector.AddTerm(term)) return std::nullopt;
  }
  if (!selector.targets_.empty() && selector.targets_.front().discards) {
    Target all;
    all.backend = all.word = "*";
    all.is_known = true;
    selector.targets_.insert(selector.targets_.begin(), std::move(all));
  }
  return selector;
}

// A number that is discarded costs its whole backend, of which the loader does not know the devices yet.
bool Selector::IsLoaded(std::string_view backend) const {
  if (!is_read_by_loader_) return true;
  bool is_accepted = false;
  for (const Target& target : targets_) {
    if (target.backend != "*" && target.backend != backend) continue;
    if (target.discards && target.is_numbered) return false;
    is_accepted = is_accepted || (!target.discards && target.is_known);
  }
  return is_accepted;
}

std::uint32_t Selector::Count(const RuntimeDevice& device, std::string_view backend,
                              std::uint32_t number) const {
  if (!IsLoaded(backend)) return 0;
  const std::string* told = FindFact(device.facts, "tiles");
  const auto tiles = told == nullptr ? 0 : ParseNumber<std::uint32_t>(*told).value_or(0);
  std::uint32_t whole = 0, parts = 0;
  for (const Target& target : targets_) {
    if (target.backend != "*" && target.backend != backend) continue;
    const bool fits = target.word.empty() ? std::cmp_equal(target.number, number)
                                          : target.word == "*" || target.word == WordOf(device.kind);
    if (!fits) continue;
    if (target.discards) return 0;
    if (!target.has_tile) {
      whole = 1;
    } else if (!target.is_below_tile) {  // what is below a tile is no device of its own since 2023
      parts += !target.tile ? tiles : std::cmp_less(*target.tile, tiles) && *target.tile >= 0 ? 1U : 0U;
    }
  }
  return whole + parts;
}

}  // namespace probe::intel
