// SPDX-License-Identifier: MIT
// One card with everything that the kernel publishes of it, gathered from several places; and its
// description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/vendor.h"
#include "probe/sysfs/pci_function.h"
#include "probe/sysfs/soc_names.h"
#include "probe/system/filesystem.h"

namespace probe::sysfs {

struct Card {
  PciFunction function;
  std::vector<std::string> node_names;       // card0, renderD128, accel0
  std::optional<ListedCard> listed;          // by its maker's kernel driver
  std::optional<SocFacts> soc;               // of a GPU that is part of a chip
  std::vector<std::string> display_drivers;  // of that chip's display controllers, which compute nothing
};

// Names, kind, driver, nodes, memory, link and facts. Reads the card's own files; opens its render nodes.
[[nodiscard]] HardwareDevice DescribeCard(const system::FileSystem& files, const Card& card);

}  // namespace probe::sysfs
