// SPDX-License-Identifier: MIT
// What becomes of a draft: several descriptions of its hardware made one, and its name, kind, vendor and
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probe/core/device.h"
#include "probe/unify/match.h"

namespace probe::unify {

// `host_free_bytes` is what the host's memory has free, for GPUs that share it.
[[nodiscard]] PhysicalDevice Finish(Draft draft, std::optional<std::uint64_t> host_free_bytes);

// Of a device that is not the host; as unify.h promises. `host_free_bytes` is what the host's memory has
// free.
[[nodiscard]] DeviceMemory MemoryOf(const Draft& draft, DeviceKind kind,
                                    std::optional<std::uint64_t> host_free_bytes);

// Fills what `into` does not know from `from`. Where both know and differ, `into` keeps its value and
// `conflicts` gets the other's with its source. Quantities that change by the moment are no conflict.
void MergeHardware(const HardwareDevice& from, HardwareDevice& into, std::vector<Conflict>& conflicts);

// Disagreements of a driver with the hardware on kind, architecture and size of memory.
void CompareView(const RuntimeDevice& view, const HardwareDevice& hardware, std::vector<Conflict>& conflicts);

}  // namespace probe::unify
