// SPDX-License-Identifier: MIT
// Several sources' descriptions of one piece of hardware made one.
#pragma once

#include <vector>

#include "probe/core/device.h"

namespace probe::unify {

// Fills what `into` does not know from `from`. Where both know and differ, `into` keeps its value and
// `conflicts` gets the other's with its source. Quantities that change by the moment are no conflict.
void MergeHardware(const HardwareDevice& from, HardwareDevice& into, std::vector<Conflict>& conflicts);

// Disagreements of a driver with the hardware on kind, architecture and size of memory.
void CompareView(const RuntimeDevice& view, const HardwareDevice& hardware, std::vector<Conflict>& conflicts);

}  // namespace probe::unify
