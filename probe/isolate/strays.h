// SPDX-License-Identifier: MIT
// What children leave behind: processes that they started and that outlived them, in their group or not.
#pragma once

#include <sys/types.h>

#include <span>

#include "probe/system/clock.h"

namespace probe::isolate {

// Kills and reaps the children of this process, a subreaper, and what becomes its child by that, until none
// but those of `keep` is left or the time has come. `first`: the lowest number that one of them can have, for
// systems without /proc.
void EndStrays(std::span<const pid_t> keep, pid_t first, system::SteadyTime until);

// Kills what a process that does not die has started, as far as /proc shows it; whether any of it was alive.
bool KillDescendants(pid_t of);

}  // namespace probe::isolate
