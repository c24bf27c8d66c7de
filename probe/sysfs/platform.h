// SPDX-License-Identifier: MIT
// GPUs that are part of a system on a chip: on no PCI bus, known by their kernel driver and by their node of
// the device tree; some have no DRM node. Which of a chip's devices are one GPU, and which only draw.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/sysfs/card.h"
#include "probe/system/filesystem.h"

namespace probe::sysfs {

// What a kernel driver of the table data/platform_drivers.csv is of, in its words.
enum class DriverRole { kGpu, kPart, kWhole, kDisplay, kPretender, kPci };

struct PlatformDriver {
  std::string_view driver;
  std::string_view name;
  std::string_view vendor;
  DeviceKind kind = DeviceKind::kUnknown;
  DriverRole role = DriverRole::kPretender;
  std::string_view nodes;  // beside or instead of DRM's: blanks between them, | between alternatives
  std::string_view
      computes_with;            // what is missing where its hardware computes with another one, or with none
  std::string_view no_runtime;  // that there is nothing to install; "" where there is
};
// nullptr for a driver that is not known, of the platform bus or of the PCI bus.
[[nodiscard]] const PlatformDriver* FindPlatformDriver(std::string_view driver, bool on_pci = false);

// Whether it is a display controller: it has no render node, or one that reaches no GPU.
[[nodiscard]] bool OnlyDraws(const Card& card);

// Paths of the nodes that a GPU of this card's driver has beside or instead of DRM's.
[[nodiscard]] std::vector<std::string> OwnNodes(const system::FileSystem& files, const Card& card);

// Adds the platform bus's GPUs to `cards`, which are those of the device classes without a PCI address; makes
// the parts of one GPU one card; takes the display controllers out where there is a GPU to name them.
void AddFromPlatform(const system::FileSystem& files, std::vector<Card>& cards);

}  // namespace probe::sysfs
