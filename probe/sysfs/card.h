// SPDX-License-Identifier: MIT
// One card with everything that the kernel publishes of it, gathered from several places; and its
// description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/core/device.h"
#include "probe/sysfs/pci_function.h"
#include "probe/sysfs/soc_names.h"
#include "probe/system/filesystem.h"
#include "probe/system/kfd.h"

namespace probe::sysfs {

// /proc/driver/nvidia/gpus/<address>/information.
struct NvidiaInformation {
  std::optional<std::string> model;
  std::optional<Uuid> uuid;
  std::optional<std::uint32_t> minor;  // of /dev/nvidia<minor>
};

struct Card {
  PciFunction function;
  std::vector<std::string> node_names;  // card0, renderD128, accel0
  std::vector<system::KfdNode> kfd;     // several when it is partitioned
  std::optional<NvidiaInformation> nvidia;
  std::optional<SocFacts> soc;               // of a GPU that is part of a chip
  std::vector<std::string> display_drivers;  // of that chip's display controllers, which compute nothing
};

// Names, kind, driver, nodes, memory, link and facts. Reads the card's own files; opens its render nodes.
[[nodiscard]] HardwareDevice DescribeCard(const system::FileSystem& files, const Card& card);

[[nodiscard]] std::optional<NvidiaInformation> ReadNvidia(const system::FileSystem& files,
                                                          const std::string& path);

// Memory, clocks and state in the words of the card's kernel driver (amdgpu, i915, xe), added to `device`.
void AddDriverFacts(const system::FileSystem& files, const Card& card, HardwareDevice& device);

}  // namespace probe::sysfs
