// SPDX-License-Identifier: MIT
// The process between a child's work and the tool. What drivers start can outlive them, their process group
// and the tool: the reaper is the ancestor that outlives all of these and ends what is left.
#pragma once

#include <csignal>

namespace probe::isolate {

// Tells a reaper to end everything below it: from the tool at a deadline, from the kernel when the tool died.
inline constexpr int kEndSignal = SIGTERM;

// Splits this process, in which every signal must be blocked, in two. Returns true in the new one, which is
// to do the work, leads a process group and is killed when this one ends. This one never returns: at the
// work's end or at the signal it kills all that is below it, in whatever session, removes the scratch
// directory that it stands in, and ends as the work did. False where no second process can be started: then
// there is none.
[[nodiscard]] bool LeaveReaperBehind();

}  // namespace probe::isolate
