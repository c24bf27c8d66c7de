// SPDX-License-Identifier: MIT
// A device node as this process meets it.
#pragma once

#include <string>

#include "probe/core/device.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// Opens the node once, for reading and writing.
[[nodiscard]] DeviceNode CheckNode(const FileSystem& files, std::string path);

}  // namespace probe::system
