// SPDX-License-Identifier: MIT
// Whether this process may open a device node, by its permissions and without opening it: of drivers that
// start, hold or reset the device when it is opened or closed.
#pragma once

#include <string>
#include <string_view>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// For reading and writing, as this process's effective user; the error is errno's. What a container's rules
// forbid beside the permissions only opening would tell.
[[nodiscard]] Status MayOpen(const FileSystem& files, std::string_view path);

// As CheckNode() of filesystem.h.
[[nodiscard]] DeviceNode CheckNodeUnopened(const FileSystem& files, std::string path);

}  // namespace probe::system
