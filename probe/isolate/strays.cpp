// SPDX-License-Identifier: MIT
#include "probe/isolate/strays.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <vector>

#include "probe/system/process.h"

namespace probe::isolate {

void EndStrays(std::span<const pid_t> keep, pid_t first, system::SteadyTime until) {
  for (;;) {
    bool left = false;
    for (const pid_t pid : system::OwnChildren(first)) {
      if (std::find(keep.begin(), keep.end(), pid) != keep.end()) continue;
      kill(pid, SIGKILL);
      system::Reap(pid);
      left = true;  // even if it is gone: its own children may be ours now
    }
    if (!left || system::Now() >= until) return;
    poll(nullptr, 0, 1);
  }
}

void KillDescendants(pid_t of) {
  constexpr std::size_t kMostProcesses = 4096;
  std::vector<pid_t> found = {of};
  for (std::size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    for (const pid_t pid : system::ChildrenOf(found[i]).value_or(std::vector<pid_t>())) {
      found.push_back(pid);
      kill(pid, SIGKILL);
    }
  }
}

}  // namespace probe::isolate
