// SPDX-License-Identifier: MIT
// What descends from whom where orphans become another's: told by looking at all processes, again and again.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "probe/isolate/reaper.h"

namespace probe::isolate {
namespace {

using system::ProcessEntry;
using system::ProcessId;

// What one look at all processes found.
struct Sight {
  std::vector<ProcessId> alive;  // descendants, all of them stopped
  std::vector<ProcessId> ended;  // others' that are gone: each may have been one, and have started the next
};

bool Contains(std::span<const ProcessId> list, ProcessId pid) {
  return std::find(list.begin(), list.end(), pid) != list.end();
}

// Whether one of the variables is a family's mark, the whole of it.
bool CarriesMark(std::string_view variables, std::span<const Family> of) {
  while (!variables.empty()) {
    const auto variable = variables.substr(0, variables.find('\0'));
    variables.remove_prefix(std::min(variable.size() + 1, variables.size()));
    if (!variable.starts_with(kMarkVariable) || variable.substr(kMarkVariable.size(), 1) != "=") continue;
    const auto value = variable.substr(kMarkVariable.size() + 1);
    const auto is_its = [&](const Family& one) { return !one.mark.empty() && one.mark == value; };
    if (std::any_of(of.begin(), of.end(), is_its)) return true;
  }
  return false;
}

bool IsMarked(const ProcessEntry& entry, std::span<const Family> of, Sight& sight) {
  const auto variables = system::EnvironmentOf(entry.pid);
  if (!variables && kill(entry.pid, 0) != 0 && errno == ESRCH) sight.ended.push_back(entry.pid);
  return variables && CarriesMark(*variables, of);
}

// What a descendant is, for the tool, its reapers and whoever else asks: the children of a family's process,
// what carries the family's mark, and the children of all these. Each is stopped as soon as it is found: what
// goes on starts others behind the back of who looks, and leaves children that nobody knows. Neither this
// process nor one of `keep` is among them.
Sight StopDescendants(std::span<const Family> of, std::span<const ProcessId> keep) {
  Sight sight;
  std::vector<ProcessId> parents;
  for (const Family& one : of) {
    if (one.process != 0) parents.push_back(one.process);
  }
  auto table = system::ProcessTable();
  const auto stop_those = [&](const auto& is_one) {
    return std::erase_if(table, [&](const ProcessEntry& entry) {
      if (!is_one(entry)) return false;
      kill(entry.pid, SIGSTOP);
      sight.alive.push_back(entry.pid);
      parents.push_back(entry.pid);
      return true;
    });
  };
  std::erase_if(table, [&](const ProcessEntry& entry) {
    if (entry.ended && entry.parent != getpid()) sight.ended.push_back(entry.pid);
    return entry.ended || entry.pid == getpid() || Contains(keep, entry.pid);
  });
  stop_those([&](const ProcessEntry& entry) { return IsMarked(entry, of, sight); });
  while (stop_those([&](const ProcessEntry& entry) { return Contains(parents, entry.parent); }) > 0) {
  }
  return sight;
}

Sight KillThem(std::span<const Family> of, std::span<const ProcessId> keep) {
  Sight sight = StopDescendants(of, keep);
  for (const ProcessId pid : sight.alive) {
    kill(pid, SIGKILL);
    system::Reap(pid);
  }
  return sight;
}

}  // namespace

std::string NewMark() {
  std::array<std::uint64_t, 2> numbers{};
  // Without them a mark of this run and process; two children of it then share one.
  if (!system::FillRandom(numbers.data(), sizeof numbers)) {
    numbers = {static_cast<std::uint64_t>(getpid()),
               static_cast<std::uint64_t>(system::Now().time_since_epoch().count())};
  }
  return "of-" + std::to_string(numbers[0]) + "-" + std::to_string(numbers[1]);
}

std::vector<ProcessId> EndStrays(std::span<const Family> of, std::span<const ProcessId> keep, ProcessId,
                                 system::SteadyTime until) {
  constexpr int kLongestWaitMs = 50;  // between two looks at what is stuck in the kernel
  // Looks in a row that found nothing and were not sure of it: one may miss processes that each start the
  // next and end, and on a machine that builds something none is sure.
  constexpr int kMostDoubtful = 25;
  int doubtful = 0;
  std::vector<ProcessId> known;  // to have ended, at the look before
  for (int wait_ms = 1;; wait_ms = std::min(wait_ms + 1, kLongestWaitMs)) {
    Sight sight = KillThem(of, keep);
    const bool is_sure = std::all_of(sight.ended.begin(), sight.ended.end(),
                                     [&](ProcessId pid) { return Contains(known, pid); });
    known = std::move(sight.ended);
    doubtful = sight.alive.empty() ? doubtful + 1 : 0;
    const bool is_done = sight.alive.empty() && (is_sure || doubtful >= kMostDoubtful);
    if (is_done || system::Now() >= until) return sight.alive;
    poll(nullptr, 0, sight.alive.empty() ? 0 : wait_ms);
  }
}

std::vector<ProcessId> KillDescendants(const Family& of) { return KillThem({&of, 1}, {}).alive; }

}  // namespace probe::isolate
