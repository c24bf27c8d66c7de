// SPDX-License-Identifier: MIT
// The table of PCI id facts (data/pci_names.csv): names, kinds and compute targets by number. Look-up only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/ids.h"

namespace probe {

// As the table has it.
struct PciRow {
  std::uint32_t vendor = 0;
  std::vector<std::uint32_t> devices;
  std::vector<std::uint32_t> revisions;  // empty: any, and else what is empty here is as in the row of any
  std::string_view name;
  std::string_view kind;
  std::string_view architecture;
  std::string_view target;
};
[[nodiscard]] std::span<const PciRow> PciRows();

// Whether a row's devices or revisions have the number.
[[nodiscard]] bool ListsNumber(std::span<const std::uint32_t> numbers, std::uint32_t number);

struct PciFacts {
  std::string_view name;
  bool one_product = false;  // false: several products share these numbers and the name lists them
  DeviceKind kind = DeviceKind::kUnknown;
  std::string_view architecture;  // "RDNA3"; empty when the table has none
  std::string_view target;        // "gfx1100", "sm_90", "dg2-g10"; likewise
};

// nullopt when the device number is not listed.
[[nodiscard]] std::optional<PciFacts> FindPciFacts(const PciIds& ids);

}  // namespace probe
