// SPDX-License-Identifier: MIT
#include "probe/core/ids.h"

#include <cstdio>
#include <vector>

#include "probe/core/parse.h"

namespace probe {
namespace {

// Parses all of `text` as hexadecimal of at most `digits` digits, not above `limit`.
std::optional<std::uint32_t> Hex(std::string_view text, std::size_t digits, std::uint32_t limit) {
  const auto value = text.size() <= digits ? ParseNumber<std::uint32_t>(text, 16) : std::nullopt;
  return value && *value <= limit ? value : std::nullopt;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0;;) {
    const auto end = text.find(separator, start);
    parts.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

}  // namespace

std::string ToString(const PciAddress& address) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", address.domain, address.bus, address.device,
                address.function);
  return text.data();
}

std::optional<PciAddress> ParsePciAddress(std::string_view text) {
  auto parts = Split(text, ':');
  if (parts.size() == 2) parts.insert(parts.begin(), "0");
  if (parts.size() != 3) return std::nullopt;
  const auto slot = Split(parts[2], '.');
  if (slot.size() != 2) return std::nullopt;
  const auto domain = Hex(parts[0], 8, 0xffffffff);
  const auto bus = Hex(parts[1], 2, 0xff);
  const auto device = Hex(slot[0], 2, 0x1f);
  const auto function = Hex(slot[1], 1, 7);
  if (!domain || !bus || !device || !function) return std::nullopt;
  return PciAddress{*domain, *bus, *device, *function};
}

std::optional<PciAddress> PossibleAddress(const PciAddress& address) {
  const bool is_possible = address.bus < 256 && address.device < 32 && address.function < 8;
  return is_possible && address != PciAddress{} ? std::optional(address) : std::nullopt;
}

std::string ToString(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 15];
  }
  return text;
}

std::optional<Uuid> ParseUuid(std::string_view text) {
  constexpr std::array<std::size_t, 5> kGroups = {8, 4, 4, 4, 12};
  const auto parts = Split(text, '-');
  if (parts.size() != kGroups.size()) return std::nullopt;
  Uuid uuid{};
  std::size_t out = 0;
  for (std::size_t group = 0; group < parts.size(); ++group) {
    if (parts[group].size() != kGroups[group]) return std::nullopt;
    for (std::size_t i = 0; i < parts[group].size(); i += 2) {
      const auto byte = Hex(parts[group].substr(i, 2), 2, 0xff);
      if (!byte) return std::nullopt;
      uuid[out++] = static_cast<std::uint8_t>(*byte);
    }
  }
  return uuid;
}

}  // namespace probe
