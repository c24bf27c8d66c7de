// SPDX-License-Identifier: MIT
// What the host processor grants to a device that computes on it, through whichever runtime.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

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

// The quota that stops a device on the host again and again: less than its threads (0: as many as
// processors).
[[nodiscard]] std::optional<double> BindingQuota(const OpenRequest& request, std::uint32_t threads);
// A quota hands out so much processor time a period, 100 ms as a rule (Linux: scheduler/sched-bwc.rst). What
// ends before its share of the period is used up is not stopped and as fast as without one. What the machine
// sustains is the larger of the wall clock's time and that in which the quota hands out what all threads
// used; the runtime's events know nothing of that.
[[nodiscard]] Timing Sustained(Timing timing, double processor_s, double quota_cores);
// Session::Run, timed so where the session's limits have a quota.
[[nodiscard]] probe::Result<Timing> RunSustained(Session& session, std::span<const Launch> launches,
                                                 std::uint32_t repeats);

// The device with no more memory than this process may use.
[[nodiscard]] probe::RuntimeDevice WithinHost(probe::RuntimeDevice device,
                                              const std::optional<probe::Processor>& processor);

}  // namespace backends
