// SPDX-License-Identifier: MIT
// What children leave behind: processes that they started and that outlived them, in their group or not.
#pragma once

#include <span>

#include "probe/system/clock.h"
#include "probe/system/process.h"

namespace probe::isolate {

// Kills and reaps the children of this process, a subreaper, and what becomes its child by that, until none
// but those of `keep` is left or the time has come. `first`: the lowest number that one of them can have, for
// systems without /proc.
void EndStrays(std::span<const system::ProcessId> keep, system::ProcessId first, system::SteadyTime until);

// Kills what a process that does not die has started, as far as /proc shows it; whether any of it was alive.
bool KillDescendants(system::ProcessId of);

}  // namespace probe::isolate
