// SPDX-License-Identifier: MIT
#include "report/assume/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor_names.h"
#include "report/assume/known_card.h"
#include "report/core/card_name.h"
#include "report/core/quantity.h"

namespace report::assume {
namespace {

bool SharesMemory(const Words& words) {
  return words.kind == probe::DeviceKind::kIntegrated && words.unified.value_or(true);
}

// Whether the row is of all GPUs of the maker ("1002"), or of this one ("1002:74a0").
bool IsOf(std::string_view row, const Words& words) {
  const auto vendor = probe::ParseNumber<std::uint32_t>(probe::TakeUpTo(row, ':'), 16);
  const auto device = probe::ParseNumber<std::uint32_t>(row, 16);
  return vendor == words.vendor && (row.empty() || (words.ids && device == words.ids->device));
}

// Of a memory that the GPU shares.
std::uint64_t GivenOf(const Whole& whole, const Words& words, std::uint64_t bytes,
                      std::vector<Warning>& warnings) {
  constexpr unsigned kGiB = 30;
  for (auto [gpus, os, from_gib, to_gib, share, more] : probe::ParseTable<6>(data::kSharedMemory)) {
    if (!IsOf(gpus, words) || os != whole.os) continue;
    const auto most = probe::ParseNumber<std::uint64_t>(to_gib);
    if (most && bytes > *most << kGiB) continue;
    const auto parts = probe::ParseNumber<std::uint64_t>(probe::TakeUpTo(share, '/'));
    const auto of = probe::ParseNumber<std::uint64_t>(share);
    const auto given = parts && of ? bytes / *of * *parts : bytes;
    if (given == bytes) return given;
    warnings.emplace_back(fmt::format(
        "of the {} that it shares {}'s GPU is taken to have {}, as the system gives it without {}: "
        "memory says otherwise",
        BytesText(static_cast<double>(bytes)), probe::VendorName(*words.vendor),
        BytesText(static_cast<double>(given)), more));
    return given;
  }
  return bytes;
}

// Chips that are sold with one size have all memory of their machine on them.
std::optional<std::string> MoreThanTheChips(const std::vector<Words*>& sharing,
                                            std::optional<std::uint64_t> ram) {
  std::uint64_t all = 0;
  bool are_all = !sharing.empty();
  for (const Words* words : sharing) {
    are_all = are_all && words->chip_bytes;
    all += words->chip_bytes.value_or(0) * words->count.value_or(1);
    if (words->chip_bytes && words->memory_bytes > words->chip_bytes)
      return fmt::format("memory: {} has {}, and {} are assumed", *words->name,
                         BytesText(static_cast<double>(*words->chip_bytes)),
                         BytesText(static_cast<double>(*words->memory_bytes)));
  }
  if (!are_all || ram.value_or(0) <= all) return std::nullopt;
  return fmt::format(
      "ram: {} has {} on it, which makes {} in all, and {} are assumed; count says how many there are",
      *sharing.front()->name, BytesText(static_cast<double>(*sharing.front()->chip_bytes)),
      BytesText(static_cast<double>(all)), BytesText(static_cast<double>(*ram)));
}

// More than any machine with that chip was sold with (data/largest_memory.csv).
std::optional<std::string> MoreThanWasSold(const std::vector<Words*>& sharing,
                                           std::optional<std::uint64_t> ram) {
  constexpr unsigned kGiB = 30;
  for (const Words* words : sharing) {
    const auto name = probe::Lower(WithoutMaker(words->spelling));
    const bool is_ram = ram.value_or(0) > words->memory_bytes.value_or(0);
    const auto assumed = is_ram ? *ram : words->memory_bytes.value_or(0);
    for (const auto& [vendor, chip, gib] : probe::ParseTable<3>(data::kLargestMemory)) {
      const auto most = probe::ParseNumber<std::uint64_t>(gib).value_or(0) << kGiB;
      if (probe::ParseNumber<std::uint32_t>(vendor, 16) != words->vendor || probe::Lower(chip) != name ||
          assumed <= most)
        continue;
      return fmt::format("{}: {} {} was sold with {} at most, and {} are assumed", is_ram ? "ram" : "memory",
                         probe::VendorName(*words->vendor), chip, BytesText(static_cast<double>(most)),
                         BytesText(static_cast<double>(assumed)));
    }
  }
  return std::nullopt;
}

// "128GB" of "(128GiB)"; nullopt of what is no size.
std::optional<std::string> SizeIn(std::string_view word) {
  const bool opens = word.starts_with('(') || word.starts_with('[');
  const bool closes = word.ends_with(')') || word.ends_with(']');
  if (opens != closes) return std::nullopt;
  if (opens) word = word.substr(1, word.size() - 2);
  auto size = probe::Lower(word);
  if (size.ends_with("gib")) size.replace(size.size() - 3, 3, "gb");
  if (!IsMemorySize(size)) return std::nullopt;
  return size.substr(0, size.size() - 2) + "GB";
}

void Fill(std::optional<std::uint64_t> bytes, probe::PhysicalDevice& device) {
  device.memory.total_bytes = bytes;
  if (device.hardware) device.hardware->memory_total_bytes = bytes;
  for (probe::View& view : device.views) view.device.memory_total_bytes = bytes;
}

}  // namespace

std::optional<std::uint64_t> MemoryInName(std::string_view name) {
  constexpr std::string_view kUnit = "gb";
  constexpr std::uint64_t kLargest = 4096;
  constexpr unsigned kGiB = 30;
  if (name.find('/') != std::string_view::npos) return std::nullopt;  // several cards, or several sizes
  auto words = probe::Lower(name);
  std::replace(words.begin(), words.end(), '-', ' ');
  std::optional<std::uint64_t> found;
  for (std::string_view rest = words; !rest.empty();) {
    auto word = probe::TakeUpTo(rest, ' ');
    if (!word.ends_with(kUnit)) continue;
    word.remove_suffix(kUnit.size());
    const auto number = probe::IsDigits(word) ? probe::ParseNumber<std::uint64_t>(word) : std::nullopt;
    if (!number || *number == 0 || *number > kLargest) continue;
    if (found) return std::nullopt;
    found = *number << kGiB;
  }
  return found;
}

std::string WithPlainSizes(std::string_view name) {
  std::string plain;
  for (auto rest = name; !rest.empty();) {
    auto word = std::string(probe::TakeUpTo(rest, ' '));
    if (word.empty()) continue;
    auto behind = rest;
    const auto next = probe::TakeUpTo(behind, ' ');
    if (auto size = SizeIn(word)) {
      word = *size;
    } else if (auto joined = SizeIn(word + std::string(next))) {
      word = *joined;
      rest = behind;
    }
    plain.append(plain.empty() ? "" : " ").append(word);
  }
  return plain;
}

std::uint64_t LeastSharedBytes(std::uint32_t vendor) {
  constexpr unsigned kGiB = 30;
  for (const auto& [gpus, os, from_gib, to_gib, share, more] : probe::ParseTable<6>(data::kSharedMemory)) {
    const auto least = probe::ParseNumber<std::uint64_t>(from_gib);
    if (least && probe::ParseNumber<std::uint32_t>(gpus, 16) == vendor) return *least << kGiB;
  }
  return 0;
}

std::optional<std::string> ShareMemory(std::vector<Words>& devices, Whole& whole,
                                       std::vector<Warning>& warnings) {
  const auto said = whole.ram_bytes;
  std::vector<Words*> sharing;
  for (Words& words : devices) {
    if (words.vendor && SharesMemory(words)) sharing.push_back(&words);
  }
  if (auto wrong = MoreThanTheChips(sharing, said)) return wrong;
  if (auto wrong = MoreThanWasSold(sharing, said)) return wrong;
  std::uint64_t of_chips = 0;
  for (const Words* words : sharing) {
    const auto own = words->memory_bytes.value_or(0);
    if (words->chip_bytes) of_chips += own * words->count.value_or(1);
    if (said && own > *said)
      return fmt::format(
          "memory: a GPU that shares the processor's has no more than that, and {} of {} are assumed",
          BytesText(static_cast<double>(own)), BytesText(static_cast<double>(*said)));
    if (!said && std::max(own, of_chips) > whole.ram_bytes.value_or(0))
      whole.ram_bytes = std::max(own, of_chips);
  }
  for (Words* words : sharing) {
    if (words->memory_bytes || !whole.ram_bytes) continue;
    const auto given = GivenOf(whole, *words, *whole.ram_bytes, warnings);
    words->memory_bytes = std::min(given, words->chip_bytes.value_or(given));
  }
  return std::nullopt;
}

void FillMemory(const Words& words, probe::PhysicalDevice& device) {
  Fill(words.memory_bytes, device);
  const bool is_apart = words.kind == probe::DeviceKind::kIntegrated && !words.unified.value_or(true);
  if (is_apart && device.hardware) device.hardware->vram_bytes = words.memory_bytes;
}

void FillMemory(const Whole& whole, probe::PhysicalDevice& processor) { Fill(whole.ram_bytes, processor); }

}  // namespace report::assume
