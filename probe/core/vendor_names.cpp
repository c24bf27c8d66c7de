// SPDX-License-Identifier: MIT
#include "probe/core/vendor_names.h"

#include <vector>

#include "data/tables.h"

#include "probe/core/names.h"
#include "probe/core/parse.h"

namespace probe {

std::span<const VendorNames> KnownVendors() {
  static const std::vector<VendorNames> vendors = [] {
    std::vector<VendorNames> out;
    for (const auto& [number, name, kind, maker, product, leading, target, generic, gpus, displays] :
         ParseTable<10>(data::kVendors)) {
      out.push_back({.number = ParseNumber<std::uint32_t>(number, 16).value_or(0),
                     .name = name,
                     .kind = ParseName<DeviceKind>(kind).value_or(DeviceKind::kUnknown),
                     .maker_words = maker,
                     .product_words = product,
                     .leading_words = leading,
                     .target_title = target,
                     .generic_names = generic,
                     .makes_gpus = gpus == "yes",
                     .display_drivers = displays});
    }
    return out;
  }();
  return vendors;
}

const VendorNames* FindVendorNames(std::uint32_t number) {
  for (const VendorNames& vendor : KnownVendors()) {
    if (vendor.number == number) return &vendor;
  }
  return nullptr;
}

std::string_view VendorName(std::uint32_t number) {
  const VendorNames* vendor = FindVendorNames(number);
  return vendor != nullptr ? vendor->name : std::string_view();
}

}  // namespace probe
