// SPDX-License-Identifier: MIT
// A reaper that is forked, and to which the kernel gives the orphans of its work.
#include "probe/isolate/reaper.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>

namespace probe::isolate {

std::string NewMark() { return ""; }

void EndAs(const ProcessExit& work) {
  if (work.signal) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(*work.signal, SIG_DFL);
    sigset_t fatal;
    sigemptyset(&fatal);
    sigaddset(&fatal, *work.signal);
    sigprocmask(SIG_UNBLOCK, &fatal, nullptr);
    kill(getpid(), *work.signal);
  }
  _exit(work.code.value_or(kExitUnknown));
}

ProcessExit WorkOf(const ProcessExit& reaper) { return reaper; }

std::optional<ProcessExit> AwaitEnd(system::ProcessId work, const OwnTool&) {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int number : {SIGCHLD, kEndSignal}) sigaddset(&awaited, number);
  for (;;) {
    if (const auto exit = system::PeekExit(work)) return exit;
    if (sigwaitinfo(&awaited, nullptr) == kEndSignal) return std::nullopt;
  }
}

std::vector<system::ProcessId> EndStrays(std::span<const Family>, std::span<const system::ProcessId> keep,
                                         system::ProcessId first, system::SteadyTime until) {
  constexpr int kLongestWaitMs = 50;  // between two looks at what is stuck in the kernel
  for (int wait_ms = 1;; wait_ms = std::min(wait_ms + 1, kLongestWaitMs)) {
    std::vector<system::ProcessId> left;
    bool any = false;
    for (const system::ProcessId pid : system::OwnChildren(first)) {
      if (std::find(keep.begin(), keep.end(), pid) != keep.end()) continue;
      kill(pid, SIGKILL);
      any = true;  // even if it is gone: its own children may be ours now
      if (!system::Reap(pid)) left.push_back(pid);
    }
    if (!any || system::Now() >= until) return left;
    poll(nullptr, 0, wait_ms);
  }
}

std::vector<system::ProcessId> KillDescendants(const Family& of) {
  constexpr std::size_t kMostProcesses = 4096;
  std::vector<system::ProcessId> alive;
  std::vector<system::ProcessId> found = {of.process};
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

bool LeaveReaperBehind(const OwnTool& tool) {
  system::BecomeSubreaper();
  const std::string directory = system::WorkingDirectory();
  const pid_t reaper = getpid();
  const pid_t work = fork();
  if (work > 0) BeReaperOf(work, directory, tool);
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
