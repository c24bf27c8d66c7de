// SPDX-License-Identifier: MIT
// What the host processor grants to a device that computes on it, through whichever runtime.
#pragma once

#include <cstddef>
#include <optional>

#include "backends/core/backend.h"

namespace backends {

// Of `threads`, those that a cgroup's quota lets run at once; one at least. Quotas are rounded down, since a
// group that exceeds its quota is stopped for the rest of every period.
[[nodiscard]] std::size_t ThreadsAtOnce(std::size_t threads, std::optional<double> quota_cores);
// The threads of a device that the processor computes for; nullopt where nobody tells the processor's.
[[nodiscard]] std::optional<std::uint32_t> UsableThreads(const std::optional<probe::Processor>& processor);

// Those that a driver starts whose own variable says how many: the user's, else UsableThreads.
[[nodiscard]] std::optional<std::uint32_t> DriverThreads(const OpenRequest& request, const char* variable);
// Lets it start no more than those: sets the variable in this process, unless the user has.
void LimitThreads(const OpenRequest& request, const char* variable);

// The device with no more memory than this process may use.
[[nodiscard]] probe::RuntimeDevice WithinHost(probe::RuntimeDevice device,
                                              const std::optional<probe::Processor>& processor);

}  // namespace backends
