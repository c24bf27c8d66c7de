// SPDX-License-Identifier: MIT
#include "probe/isolate/reaper.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "probe/isolate/channel.h"
#include "probe/system/scratch.h"

namespace probe::isolate {
namespace {

// After the work has ended by itself; what still lives then is stuck in the kernel and left to the tool.
constexpr auto kStrayGrace = std::chrono::milliseconds(250);
constexpr int kExitUnknown = 70;

// How the work ended; without a value it was told to end.
std::optional<ProcessExit> AwaitEnd(pid_t work) {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int number : {SIGCHLD, kEndSignal}) sigaddset(&awaited, number);
  for (;;) {
    if (const auto exit = system::PeekExit(work)) return exit;
    if (sigwaitinfo(&awaited, nullptr) == kEndSignal) return std::nullopt;
  }
}

// So that the tool sees of this process what it would see of the work.
[[noreturn]] void EndAs(const ProcessExit& exit) {
  if (exit.signal) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // one crash, one core
    signal(*exit.signal, SIG_DFL);
    sigset_t fatal;
    sigemptyset(&fatal);
    sigaddset(&fatal, *exit.signal);
    sigprocmask(SIG_UNBLOCK, &fatal, nullptr);
    kill(getpid(), *exit.signal);
  }
  _exit(exit.code.value_or(kExitUnknown));
}

// Work that went on, or was done, did not end the tool; nor did work that ended because nobody heard it.
StepFate FateOf(const std::optional<ProcessExit>& work) {
  const bool went_on = !work || work->code == 0 || work->code == kExitLostChannel || work->signal == SIGPIPE;
  return went_on ? StepFate::kWentOn : StepFate::kDied;
}

// Whether the tool was killed: then its marker says so. Before anything that may take long, for the next run
// may begin already, and leave the step out. Yet all that lives is told to end before, for the disk of the
// marker may hang.
bool TellOfKilledTool(const OwnTool& tool, const std::optional<ProcessExit>& work) {
  if (tool.marker.empty() || getppid() == tool.run.pid) return false;
  KillDescendants(getpid());
  JudgeMarker(tool.marker, tool.run, FateOf(work));
  return true;
}

[[noreturn]] void Reap(pid_t work, const std::string& directory, const OwnTool& tool) {
  system::NameThisProcess("whichgpu-reaper");
  system::CloseAllDescriptors();
  const auto exit = AwaitEnd(work);
  kill(-work, SIGKILL);  // before it is reaped: until then nobody else can have this number
  const bool was_told = TellOfKilledTool(tool, exit);
  const auto until = exit ? system::Now() + kStrayGrace : system::SteadyTime::max();
  EndStrays({}, work, until);
  system::ScratchDirectory::Remove(directory);
  if (!was_told) TellOfKilledTool(tool, exit);  // it may have been killed by what the work left
  ProcessExit killed;
  killed.signal = SIGKILL;
  EndAs(exit.value_or(killed));
}

}  // namespace

void EndStrays(std::span<const system::ProcessId> keep, system::ProcessId first, system::SteadyTime until) {
  constexpr int kLongestWaitMs = 50;  // between two looks at what is stuck in the kernel
  for (int wait_ms = 1;; wait_ms = std::min(wait_ms + 1, kLongestWaitMs)) {
    bool left = false;
    for (const system::ProcessId pid : system::OwnChildren(first)) {
      if (std::find(keep.begin(), keep.end(), pid) != keep.end()) continue;
      kill(pid, SIGKILL);
      system::Reap(pid);
      left = true;  // even if it is gone: its own children may be ours now
    }
    if (!left || system::Now() >= until) return;
    poll(nullptr, 0, wait_ms);
  }
}

std::vector<system::ProcessId> KillDescendants(system::ProcessId of) {
  constexpr std::size_t kMostProcesses = 4096;
  std::vector<system::ProcessId> alive;
  std::vector<system::ProcessId> found = {of};
  for (std::size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    for (const system::ProcessId pid :
         system::ChildrenOf(found[i]).value_or(std::vector<system::ProcessId>())) {
      found.push_back(pid);
      if (!system::HasEnded(pid)) alive.push_back(pid);
    }
  }
  // After all were found: the children of one that is killed first would be elsewhere by then.
  for (const system::ProcessId pid : std::span(found).subspan(1)) kill(pid, SIGKILL);
  return alive;
}

void Looks::Add(std::vector<system::ProcessId> alive, bool work_is_dead) {
  const bool any_new = std::any_of(alive.begin(), alive.end(), [&](system::ProcessId pid) {
    return std::find(earlier_.begin(), earlier_.end(), pid) == earlier_.end();
  });
  in_a_row_ = count_ > 0 && any_new ? in_a_row_ + 1 : 0;
  work_is_dead_ = work_is_dead;
  earlier_ = std::move(alive);
  ++count_;
}

bool LeaveReaperBehind(const OwnTool& tool) {
  system::BecomeSubreaper();
  const std::string directory = system::WorkingDirectory();
  const pid_t reaper = getpid();
  const pid_t work = fork();
  if (work > 0) Reap(work, directory, tool);
  if (work < 0) {
    // The tool's death must end a driver at once, which might ignore any other signal.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    sigset_t pending;
    if (sigpending(&pending) == 0 && sigismember(&pending, kEndSignal) == 1) _exit(kExitUnknown);
    return false;
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != reaper) _exit(kExitUnknown);
  return true;
}

}  // namespace probe::isolate
