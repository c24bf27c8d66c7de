// SPDX-License-Identifier: MIT
#include "report/assume/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/core/quantity.h"

namespace report::assume {
namespace {

bool SharesMemory(const Words& words) {
  return words.kind == probe::DeviceKind::kIntegrated && words.unified.value_or(true);
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

std::optional<std::string> ShareMemory(std::vector<Words>& devices, Whole& whole) {
  const auto said = whole.ram_bytes;
  for (Words& words : devices) {
    if (!words.vendor || !SharesMemory(words)) continue;
    if (!words.memory_bytes) words.memory_bytes = said;
    if (!words.memory_bytes) continue;
    if (said && *words.memory_bytes > *said)
      return fmt::format(
          "memory: a GPU that shares the processor's has no more than that, and {} of {} are assumed",
          BytesText(*words.memory_bytes), BytesText(*said));
    if (!said) whole.ram_bytes = std::max(whole.ram_bytes.value_or(0), *words.memory_bytes);
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
