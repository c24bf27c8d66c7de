// SPDX-License-Identifier: MIT
// One card with everything that the kernel publishes of it, gathered from several places; and its
// description.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/other_devices.h"
#include "probe/core/vendor.h"
#include "probe/sysfs/pci_function.h"
#include "probe/system/filesystem.h"

namespace probe::sysfs {

struct SocFacts {
  std::string name;          // "VideoCore VII", "Mali-G610 (RK3588)"
  bool one_product = false;  // false: the tree only says whose GPU it is
  std::string_view vendor;
  std::string_view family;  // "Ampere"; empty where the name says it
  std::string_view target;  // "sm_87"; likewise
};

// `own`: the `compatible` strings of the GPU's node, `board`: those of the tree's root, both as the tree has
// them, the most particular first. nullopt where `own` is no GPU's.
[[nodiscard]] std::optional<SocFacts> FindSocFacts(std::span<const std::string> own,
                                                   std::span<const std::string> board);

struct Card {
  PciFunction function;
  std::vector<std::string> node_names;       // card0, renderD128, accel0
  std::optional<ListedCard> listed;          // by its maker's kernel driver
  std::optional<SocFacts> soc;               // of a GPU that is part of a chip
  std::vector<std::string> display_drivers;  // of that chip's display controllers, which compute nothing
  const OtherDevice* other = nullptr;        // what the table of those that no runtime reaches has of it
  std::string usb_id;                        // "1a6e:089a" of a device on USB
  std::string misc_node;                     // below /dev, of one that is known by it alone
};

// Accelerators on USB, and those of which a node below /sys/class/misc is all that is seen.
void AddFromUsb(const system::FileSystem& files, std::vector<Card>& cards);
void AddFromMisc(const system::FileSystem& files, std::vector<Card>& cards);

// Names, kind, driver, nodes, memory, link and facts. Reads the card's own files; opens its render nodes.
[[nodiscard]] HardwareDevice DescribeCard(const system::FileSystem& files, const Card& card);

}  // namespace probe::sysfs
