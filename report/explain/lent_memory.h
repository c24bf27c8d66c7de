// SPDX-License-Identifier: MIT
// What an integrated GPU's two memories mean: the part that the firmware sets apart, and what the kernel
// lends.
#pragma once

#include <vector>

#include "report/core/report.h"

namespace report::explain {

// A note for a device whose own part is the smaller one.
void AddLentMemory(const probe::PhysicalDevice& device, std::vector<Finding>& out);

}  // namespace report::explain
