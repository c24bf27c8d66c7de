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

// A GPU; the part of one that computes, whose DRM nodes its maker's display driver has; a display controller,
// with the DRM nodes of such a part where it has a render node; one that has none; what no GPU stands behind.
enum class DriverRole { kGpu, kPart, kWhole, kDisplay, kPretender };

struct PlatformDriver {
  std::string_view driver;
  std::string_view name;
  std::string_view vendor;
  DeviceKind kind;
  DriverRole role;
};
// nullptr for a driver that is not known.
[[nodiscard]] const PlatformDriver* FindPlatformDriver(std::string_view driver);

// Whether it is a display controller: it has no render node, or one that reaches no GPU.
[[nodiscard]] bool OnlyDraws(const Card& card);

// Paths of the nodes that a GPU of this driver has beside or instead of DRM's.
[[nodiscard]] std::vector<std::string> OwnNodes(const system::FileSystem& files, std::string_view driver);

// Adds the platform bus's GPUs to `cards`, which are those of the device classes without a PCI address; makes
// the parts of one GPU one card; takes the display controllers out where there is a GPU to name them.
void AddFromPlatform(const system::FileSystem& files, std::vector<Card>& cards);

}  // namespace probe::sysfs
