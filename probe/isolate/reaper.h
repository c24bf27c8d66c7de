// SPDX-License-Identifier: MIT
// The process between a child's work and the tool. What drivers start can outlive them, their process group
// and the tool: the reaper is the ancestor that outlives all of these and ends what is left. The tool does
// the same for what becomes a child of its own.
#pragma once

#include <csignal>
#include <span>
#include <string>
#include <vector>

#include "probe/isolate/crash_marker.h"
#include "probe/system/clock.h"
#include "probe/system/process.h"

namespace probe::isolate {

// Tells a reaper to end everything below it: from the tool at a deadline, from the kernel when the tool died.
inline constexpr int kEndSignal = SIGTERM;

// Whose reaper it is.
struct OwnTool {
  KilledRun run;       // what it is once it was killed
  std::string marker;  // CrashMarkers::PathOf its child's step; empty where it has none
};

// Splits this process, in which every signal must be blocked, in two. Returns true in the new one, which is
// to do the work, leads a process group and is killed when this one ends. This one never returns: at the
// work's end or at the signal it kills all that is below it, in whatever session, removes the scratch
// directory that it stands in, and ends as the work did. False where no second process can be started: then
// there is none. Where the tool was killed, it says in the step's marker what became of the work.
[[nodiscard]] bool LeaveReaperBehind(const OwnTool& tool);

// Kills and reaps the children of this process, a subreaper, and what becomes its child by that, until none
// but those of `keep` is left or the time has come. `first`: the lowest number that one of them can have, for
// systems without /proc.
void EndStrays(std::span<const system::ProcessId> keep, system::ProcessId first, system::SteadyTime until);

// Kills what a process that does not die has started, as far as /proc shows it. Returns what of it was alive.
std::vector<system::ProcessId> KillDescendants(system::ProcessId of);

// Tells from several looks, at each of which everything was killed, whether what is left starts others.
class Looks {
 public:
  // `alive`: what lived at this look; `work_is_dead`: the process that worked is known, and has ended.
  void Add(std::vector<system::ProcessId> alive, bool work_is_dead);
  // The work is dead, and three looks in a row, the last among them, found what was started after the one
  // before: what merely had no time to die is no sign.
  [[nodiscard]] bool AreMultiplying() const { return work_is_dead_ && in_a_row_ >= kEnough; }
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  static constexpr int kEnough = 3;
  std::vector<system::ProcessId> earlier_;
  int count_ = 0;
  int in_a_row_ = 0;
  bool work_is_dead_ = false;
};

}  // namespace probe::isolate
