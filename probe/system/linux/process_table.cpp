// SPDX-License-Identifier: MIT
// What /proc tells of all processes, for supervisors that look for their descendants there.
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "probe/core/parse.h"
#include "probe/system/filesystem.h"
#include "probe/system/process.h"

namespace probe::system {
namespace {

// More than a process can be started with: three quarters of 8 MiB (fs/exec.c, bprm_stack_limits).
constexpr std::size_t kMostEnvironmentBytes = 8U << 20U;

// Of /proc/<pid>/stat: behind the name, which is in parentheses and may hold anything, the state and the
// parent.
ProcessEntry EntryOf(ProcessId pid, const Result<std::string>& stat) {
  const ProcessEntry gone{pid, 0, true};
  if (!stat) return gone;
  const auto name_end = stat->rfind(')');
  if (name_end == std::string::npos || name_end + 4 > stat->size()) return gone;
  const auto rest = std::string_view(*stat).substr(name_end + 2);
  const auto parent = rest.substr(2, rest.find(' ', 2) - 2);
  return {pid, ParseNumber<ProcessId>(parent).value_or(0), rest.starts_with('Z') || rest.starts_with('X')};
}

}  // namespace

// The latest have the highest numbers, but for once in 32768 or more.
std::vector<ProcessEntry> ProcessTable() {
  std::vector<ProcessEntry> out;
  const auto files = FileSystem::Open("/");
  if (!files) return out;
  std::vector<ProcessId> pids;
  for (const auto& name : files->List("/proc")) {
    if (const auto pid = ParseNumber<ProcessId>(name)) pids.push_back(*pid);
  }
  std::sort(pids.rbegin(), pids.rend());
  for (const ProcessId pid : pids)
    out.push_back(EntryOf(pid, files->Read("/proc/" + std::to_string(pid) + "/stat")));
  return out;
}

// Root is shown all, and anybody may start a process with variables that he has seen. Of whom it is its
// status tells alone: the files are root's where a process wants to be no other's to look at. Few have
// variables, and the status costs more to make than they do: it is read last.
std::optional<std::string> EnvironmentOf(ProcessId pid) {
  const auto files = FileSystem::Open("/");
  if (!files) return std::nullopt;
  const std::string folder = "/proc/" + std::to_string(pid);
  auto block = files->Read(folder + "/environ", kMostEnvironmentBytes);
  if (!block) return std::nullopt;
  if (block->empty()) return *std::move(block);
  const auto status = files->Read(folder + "/status");
  if (!status || status->find("\nUid:\t" + std::to_string(getuid()) + "\t") == std::string::npos)
    return std::nullopt;
  return *std::move(block);
}

// Without opening anything, for there may be no descriptor left.
std::string PathOf(int descriptor) {
  std::array<char, PATH_MAX> path{};
  const auto link = "/proc/self/fd/" + std::to_string(descriptor);
  const auto length = readlink(link.c_str(), path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

}  // namespace probe::system
