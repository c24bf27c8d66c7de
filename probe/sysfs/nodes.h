// SPDX-License-Identifier: MIT
// The device nodes of a card, and whether this user may open them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/system/filesystem.h"

namespace probe::sysfs {

// What the kernel's device classes list for one device, e.g. {"card0", "renderD128"} or {"accel0"}.
struct ClassDevice {
  std::string directory;           // sysfs directory of the device behind the node
  std::vector<std::string> names;  // sorted
};

// Entries of /sys/class/drm (cards and render nodes, no connectors) and /sys/class/accel, one a device: nodes
// whose `device` is the same directory belong together.
[[nodiscard]] std::vector<ClassDevice> ReadClassDevices(const system::FileSystem& files);
// The same from the device's own directory, for kernels and captures without the classes.
[[nodiscard]] std::vector<std::string> NodeNames(const system::FileSystem& files,
                                                 const std::string& directory);

// /dev path of a node name: "renderD128" -> "/dev/dri/renderD128", "accel0" -> "/dev/accel/accel0".
[[nodiscard]] std::string DevicePath(std::string_view name);

// "226:128", what runtimes identify a device by that is on no PCI bus: the device number of a node of the DRM
// or accel class of the device in `directory`.
[[nodiscard]] std::optional<std::string> DrmNumber(const system::FileSystem& files,
                                                   const std::string& directory, std::string_view name);

// A display's own node: its last close resets the console, so that it must not be opened just to look.
[[nodiscard]] bool IsDisplayNode(std::string_view name);
// A node of class accel, which no runtime here computes by. Its driver may start the device when it is opened
// and reset it when it is closed (linux, drivers/accel/habanalabs/common: reset_upon_device_release), so that
// it must not be opened just to look either.
[[nodiscard]] bool IsAcceleratorNode(std::string_view name);

}  // namespace probe::sysfs
