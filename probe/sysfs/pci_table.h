// SPDX-License-Identifier: MIT
// The table of PCI id facts (data/pci_names.csv): names, kinds and compute targets by number. Look-up only.
#pragma once

#include <optional>
#include <string_view>

#include "probe/core/device.h"
#include "probe/core/ids.h"

namespace probe::sysfs {

struct PciFacts {
  std::string_view name;
  bool one_product = false;  // false: several products share these numbers and the name lists them
  DeviceKind kind = DeviceKind::kUnknown;
  std::string_view architecture;  // "RDNA3"; empty when the table has none
  std::string_view target;        // "gfx1100", "sm_90", "dg2-g10"; likewise
};

// nullopt when the device number is not listed.
[[nodiscard]] std::optional<PciFacts> FindPciFacts(const PciIds& ids);

}  // namespace probe::sysfs
