// SPDX-License-Identifier: MIT
// The process between a child's work and the tool. What drivers start can outlive them, their process group
// and the tool: the reaper outlives all of these and ends what is left. The tool does the same for what a
// reaper that was killed leaves. What a driver started is told in two ways. Linux makes orphans children of
// the reaper, an ancestor of all of them. Elsewhere they become another's, and the work has a mark in the
// environment that it is started with, which whatever it starts inherits.
#pragma once

#include <csignal>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/isolate/crash_marker.h"
#include "probe/system/clock.h"
#include "probe/system/process.h"

namespace probe::isolate {

// Tells a reaper to end everything below it: from the tool at a deadline, from the kernel when the tool died.
inline constexpr int kEndSignal = SIGTERM;

// Which of its child's processes one is. On Linux the first becomes the others by itself.
enum class Part {
  kReaper,
  kWork,   // below a reaper
  kAlone,  // the work, where no second process could be started
};

// Whose reaper it is, as its arguments say.
struct OwnTool {
  KilledRun run;       // what it is once it was killed; of what a reaper started (kWork) the reaper's
  std::string marker;  // CrashMarkers::PathOf its child's step; empty where it has none
  std::string mark;    // NewMark() of the child
  Part part = Part::kReaper;
};
[[nodiscard]] std::vector<std::string> ArgumentsFor(const OwnTool& tool);
[[nodiscard]] OwnTool ToolOf(std::span<char* const> arguments);

// The variable that a mark is the value of.
inline constexpr std::string_view kMarkVariable = "WHICHGPU_CHILD_MARK";
// A mark that no other child has; empty where the kernel itself tells who descends from whom. Nothing that
// the reaper itself is started with but an argument holds it, so that the reaper is no descendant of its own.
[[nodiscard]] std::string NewMark();

// Whose descendants are meant: those of a process (0: of none) and whatever carries the mark, if there is
// one.
struct Family {
  system::ProcessId process = 0;
  std::string mark;
};

// Splits this process, in which every signal must be blocked, in two. Returns true in the new one, which is
// to do the work and leads a process group. This one never returns: at the work's end or at the signal it
// kills all that is below it, in whatever session, removes the scratch directory that it stands in, and ends
// as the work did. Where it is killed itself the work ends, too: the kernel sees to it, or the tool. False
// where no second process can be started: then there is none. Where the tool was killed, it says in the
// step's marker what became of the work.
[[nodiscard]] bool LeaveReaperBehind(const OwnTool& tool);

// How the work ended; without a value it was told to end, or the tool is gone.
[[nodiscard]] std::optional<ProcessExit> AwaitEnd(system::ProcessId work, const OwnTool& tool);
// The rest of a reaper's life, from the start of the work on.
[[noreturn]] void BeReaperOf(system::ProcessId work, const std::string& directory, const OwnTool& tool);
inline constexpr int kExitUnknown = 70;  // of a reaper, or of work that has lost it

// Keeps this process and all that it starts from leaving core files. By a size of 1, not 0: with 0 the kernel
// of Linux still starts a piped core handler, core(5).
void ForbidCoreDumps();
// Ends a reaper so that its end tells the tool of the work's, and leaves no second core or report of one
// crash. On Linux it ends as the work did, for a process can keep itself from leaving a core whatever the
// limits are: under a hard limit of 0, to which 1 is too much, ForbidCoreDumps does not suffice. On macOS no
// process keeps the system from reporting its crash, and a signal becomes a code, 128 and its number.
[[noreturn]] void EndAs(const ProcessExit& work);
// How the work of a reaper that ended so did. Where a signal is a code, work that itself exits by such a
// code, as shells do, is taken for work that the signal ended.
[[nodiscard]] ProcessExit WorkOf(const ProcessExit& reaper);

// Kills the descendants of these families, and what becomes one by that, until none but those of `keep` is
// left or the time has come; reaps what is a child of this process. Returns those that were left. On Linux
// these families are the children of this process, a subreaper, and `first` is the lowest number that one of
// them can have, for systems without /proc.
std::vector<system::ProcessId> EndStrays(std::span<const Family> of, std::span<const system::ProcessId> keep,
                                         system::ProcessId first, system::SteadyTime until);

// Kills what this family has, as far as the system shows it: of a process that does not die, or may. Returns
// what of it was alive.
std::vector<system::ProcessId> KillDescendants(const Family& of);

// Tells from several looks, at each of which everything was killed, whether what is left starts others.
class Looks {
 public:
  // `alive`: what lived at this look; `work_is_dead`: the process that worked is known, and has ended.
  void Add(std::vector<system::ProcessId> alive, bool work_is_dead);
  // The work is dead, and three looks in a row, the last among them, found what was started after the one
  // before: what merely had no time to die is no sign.
  [[nodiscard]] bool AreMultiplying() const { return work_is_dead_ && in_a_row_ >= kEnough; }
  [[nodiscard]] int count() const { return count_; }
  // The last look found nothing: one alone may have come between the end of one process and the start of
  // another.
  [[nodiscard]] bool FoundNothing() const { return count_ > 0 && earlier_.empty(); }

 private:
  static constexpr int kEnough = 3;
  std::vector<system::ProcessId> earlier_;
  int count_ = 0;
  int in_a_row_ = 0;
  bool work_is_dead_ = false;
};

}  // namespace probe::isolate
