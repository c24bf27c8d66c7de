// SPDX-License-Identifier: MIT
// How much memory a draft's device has, and how much of it is free: of one source, never mixed.
#pragma once

#include <cstdint>
#include <optional>

#include "probe/core/device.h"
#include "probe/unify/match.h"

namespace probe::unify {

// Of a device that is not the host; as unify.h promises. `host_free_bytes` is what the host's memory has
// free.
[[nodiscard]] DeviceMemory MemoryOf(const Draft& draft, DeviceKind kind,
                                    std::optional<std::uint64_t> host_free_bytes);

}  // namespace probe::unify
