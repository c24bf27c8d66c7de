// SPDX-License-Identifier: MIT
// Which row of data sheets' figures is a device's. Pure.
#pragma once

#include "probe/core/device.h"
#include "report/core/tables.h"

namespace report {

// By its PCI ids; of what is part of a chip by its maker and name. nullptr where the table does not have it.
[[nodiscard]] const DevicePeak* FindPeak(const Peaks& peaks, const probe::PhysicalDevice& device);

}  // namespace report
