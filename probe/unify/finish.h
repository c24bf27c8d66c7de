// SPDX-License-Identifier: MIT
// A draft's name, kind, vendor and memory, from the hardware and its views.
#pragma once

#include <optional>

#include "probe/core/device.h"
#include "probe/unify/match.h"

namespace probe::unify {

// `host_free_bytes` is what the host's memory has free, for GPUs that share it.
[[nodiscard]] PhysicalDevice Finish(Draft draft, std::optional<std::uint64_t> host_free_bytes);

}  // namespace probe::unify
