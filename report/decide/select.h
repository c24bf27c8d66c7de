// SPDX-License-Identifier: MIT
// Which device a person means by --device.
#pragma once

#include <string>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"

namespace report {

// Index of the device whose id is `text`, else the only one whose id starts with it, else the only one whose
// name contains it (letters' case does not matter). The error says what there is.
[[nodiscard]] probe::Result<std::size_t> SelectDevice(const std::vector<probe::PhysicalDevice>& devices,
                                                      const std::string& text);

}  // namespace report
