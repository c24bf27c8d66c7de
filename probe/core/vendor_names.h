// SPDX-License-Identifier: MIT
// What makers of devices are called, by their number (data/vendors.csv).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "probe/core/device.h"

namespace probe {

// The words are in lower case and separated by blanks.
struct VendorNames {
  std::uint32_t number = 0;  // of PCI; above 0xffff, Khronos's
  std::string_view name;
  DeviceKind kind = DeviceKind::kUnknown;  // what it builds, where that is but one kind
  std::string_view maker_words;            // that mean it where a driver names the maker
  std::string_view product_words;          // that only its products are called
  std::string_view leading_words;          // that stand before a product's name or are left out
  std::string_view target_title;     // what it calls an architecture, where not knowing that is worth a word
  std::string_view generic_names;    // of every chip without a product's name; separated by |
  bool makes_gpus = false;           // its display devices are such, whatever else is known of them
  std::string_view display_drivers;  // but for those of these kernel drivers, which only show pictures
};

[[nodiscard]] std::span<const VendorNames> KnownVendors();
// nullptr for a number that is not listed.
[[nodiscard]] const VendorNames* FindVendorNames(std::uint32_t number);
// Empty for a number that is not listed.
[[nodiscard]] std::string_view VendorName(std::uint32_t number);

}  // namespace probe
