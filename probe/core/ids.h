// SPDX-License-Identifier: MIT
// What identifies a piece of hardware, independent of any runtime. Parsing and printing only.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace probe {

// Text form `0000:c1:00.0`: domain (4 to 8 hex digits), bus, device, function.
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;       // 0..255
  std::uint32_t device = 0;    // 0..31
  std::uint32_t function = 0;  // 0..7
  auto operator<=>(const PciAddress&) const = default;
};
[[nodiscard]] std::string ToString(const PciAddress& address);
// nullopt unless the whole text is an address; the domain may be missing (0 then).
[[nodiscard]] std::optional<PciAddress> ParsePciAddress(std::string_view text);
// The address that a driver gives, unless no device can have it: drivers without one give all zeros.
[[nodiscard]] std::optional<PciAddress> PossibleAddress(const PciAddress& address);

struct PciIds {
  std::uint32_t vendor = 0;
  std::uint32_t device = 0;
  std::optional<std::uint32_t> subsystem_vendor;
  std::optional<std::uint32_t> subsystem_device;
  std::optional<std::uint32_t> revision;
  bool operator==(const PciIds&) const = default;
};

// 16 bytes in the order in which the runtime gives them; text is lower-case 8-4-4-4-12.
using Uuid = std::array<std::uint8_t, 16>;
[[nodiscard]] std::string ToString(const Uuid& uuid);
[[nodiscard]] std::optional<Uuid> ParseUuid(std::string_view text);

struct Identity {
  std::optional<PciAddress> pci;
  std::optional<Uuid> uuid;
  std::optional<Uuid>
      driver_uuid;  // the same for devices of one driver; tells two drivers of one device apart
  std::optional<PciIds> ids;
  std::optional<std::string> partition;  // MIG instance, tile or compute partition, named as its vendor does
  bool operator==(const Identity&) const = default;
};

}  // namespace probe
