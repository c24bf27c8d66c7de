// SPDX-License-Identifier: MIT
#include "probe/isolate/strays.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <vector>

#include "probe/system/process.h"

namespace probe::isolate {

void EndStrays(std::span<const pid_t> keep, pid_t first, system::SteadyTime until) {
  constexpr int kLongestWaitMs = 50;  // between two looks at what is stuck in the kernel
  for (int wait_ms = 1;; wait_ms = std::min(wait_ms + 1, kLongestWaitMs)) {
    bool left = false;
    for (const pid_t pid : system::OwnChildren(first)) {
      if (std::find(keep.begin(), keep.end(), pid) != keep.end()) continue;
      kill(pid, SIGKILL);
      system::Reap(pid);
      left = true;  // even if it is gone: its own children may be ours now
    }
    if (!left || system::Now() >= until) return;
    poll(nullptr, 0, wait_ms);
  }
}

bool KillDescendants(pid_t of) {
  constexpr std::size_t kMostProcesses = 4096;
  bool alive = false;
  std::vector<pid_t> found = {of};
  for (std::size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    for (const pid_t pid : system::ChildrenOf(found[i]).value_or(std::vector<pid_t>())) {
      found.push_back(pid);
      alive = alive || !system::HasEnded(pid);
      kill(pid, SIGKILL);
    }
  }
  return alive;
}

}  // namespace probe::isolate
