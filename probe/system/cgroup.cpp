// SPDX-License-Identifier: MIT
#include "probe/system/cgroup.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/parse.h"

namespace probe::system {
namespace {

constexpr std::uint64_t kUnlimited = 1ULL << 60U;  // v1 writes LONG_MAX rounded down to pages for "no limit"
constexpr int kMaxDepth = 64;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (parts.size() < 256) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

bool Contains(std::string_view list, std::string_view word) {
  const auto parts = Split(list, ',');
  return std::find(parts.begin(), parts.end(), word) != parts.end();
}

// mountinfo writes blanks and backslashes of a path in octal, proc(5).
std::string Unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const bool octal =
        text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 4, value, 8).ptr == text.data() + i + 4;
    out += octal && value < 256 ? static_cast<char>(value) : text[i];
    if (octal) i += 3;
  }
  return out;
}

struct Mount {
  std::string root;  // the part of the hierarchy that is mounted
  std::string point;
};

// The mount of a controller; "" asks for the v2 hierarchy.
std::optional<Mount> FindMount(std::string_view mountinfo, std::string_view controller) {
  for (const auto line : Split(mountinfo, '\n')) {
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto left = Split(line.substr(0, dash), ' ');
    const auto right = Split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3) continue;
    const bool matches =
        controller.empty() ? right[0] == "cgroup2" : right[0] == "cgroup" && Contains(right[2], controller);
    if (matches) return Mount{Unescape(left[3]), Unescape(left[4])};
  }
  return std::nullopt;
}

// Our group in the hierarchy of a controller, as /proc/self/cgroup names it.
std::optional<std::string> FindGroup(std::string_view groups, std::string_view controller) {
  for (const auto line : Split(groups, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : Contains(controllers, controller)) {
      return std::string(line.substr(second + 1));
    }
  }
  return std::nullopt;
}

// Directories from our group up to the mount point. A group outside what is mounted, as in a container that
// sees the host's path, leaves the mount point, which is then the container's own group.
std::vector<std::string> GroupDirectories(const FileSystem& files, const Mount& mount, std::string group) {
  if (mount.root != "/" && group.starts_with(mount.root)) {
    group.erase(0, mount.root.size());
  } else if (mount.root != "/" || group.starts_with("/..")) {
    group.clear();
  }
  // Another group's name that begins like ours ("/ab" beside "/a"), or no path at all.
  if (!group.starts_with('/')) group.clear();
  std::vector<std::string> directories;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    while (group.ends_with('/')) group.pop_back();
    if (group.empty()) break;
    directories.push_back(mount.point + group);
    group.erase(group.rfind('/'));
  }
  if (!directories.empty() && !files.Exists(directories.front())) directories.clear();
  directories.push_back(mount.point);
  return directories;
}

template <class T>
void TakeSmaller(std::optional<T>& value, std::optional<T> candidate) {
  if (candidate && (!value || *candidate < *value)) value = candidate;
}

void TakeMemory(std::optional<std::uint64_t> limit, std::optional<std::uint64_t> used, CgroupLimits& out) {
  if (!limit || *limit >= kUnlimited) return;
  TakeSmaller(out.memory_limit_bytes, limit);
  if (used) TakeSmaller(out.memory_left_bytes, std::optional(*limit - std::min(*limit, *used)));
}

// The files are of the same names in both versions.
void ReadProcesses(const FileSystem& files, const std::vector<std::string>& directories, CgroupLimits& out) {
  for (const std::string& directory : directories) {
    const auto limit = files.ReadNumber(directory + "/pids.max");
    if (!limit) continue;
    const std::uint64_t used = files.ReadNumber(directory + "/pids.current").value_or(0);
    const std::uint64_t left = *limit - std::min(*limit, used);
    if (out.processes_left && *out.processes_left <= left) continue;
    out.process_limit = limit;
    out.processes_left = left;
  }
}

std::optional<double> Quota(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

void ReadV2(const FileSystem& files, const std::vector<std::string>& directories, CgroupLimits& out) {
  for (const std::string& directory : directories) {
    const std::string line = files.ReadLine(directory + "/cpu.max").value_or("");
    if (const auto words = Split(line, ' '); words.size() == 2) {
      TakeSmaller(out.quota_cores,
                  Quota(ParseNumber<std::uint64_t>(words[0]), ParseNumber<std::uint64_t>(words[1])));
    }
    TakeMemory(files.ReadNumber(directory + "/memory.max"), files.ReadNumber(directory + "/memory.current"),
               out);
  }
  ReadProcesses(files, directories, out);
}

void ReadV1Cpu(const FileSystem& files, const std::vector<std::string>& directories, CgroupLimits& out) {
  for (const std::string& directory : directories) {
    TakeSmaller(out.quota_cores, Quota(files.ReadNumber(directory + "/cpu.cfs_quota_us"),
                                       files.ReadNumber(directory + "/cpu.cfs_period_us")));
  }
}

void ReadV1Memory(const FileSystem& files, const std::vector<std::string>& directories, CgroupLimits& out) {
  for (const std::string& directory : directories) {
    TakeMemory(files.ReadNumber(directory + "/memory.limit_in_bytes"),
               files.ReadNumber(directory + "/memory.usage_in_bytes"), out);
  }
}

// The number behind a key at the start of a line of a group's file.
std::optional<std::uint64_t> KeyedNumber(const FileSystem& files, const std::string& path,
                                         std::string_view key) {
  const auto text = files.Read(path);
  if (!text) return std::nullopt;
  for (const auto line : Split(*text, '\n')) {
    const auto words = Split(line, ' ');
    if (words.size() == 2 && words[0] == key) return ParseNumber<std::uint64_t>(words[1]);
  }
  return std::nullopt;
}

struct Hierarchy {
  std::string_view controller;
  void (*read)(const FileSystem&, const std::vector<std::string>&, CgroupLimits&);
};
constexpr Hierarchy kHierarchies[] = {
    {"", ReadV2}, {"cpu", ReadV1Cpu}, {"memory", ReadV1Memory}, {"pids", ReadProcesses}};

}  // namespace

CgroupLimits ReadCgroupLimits(const FileSystem& files) {
  CgroupLimits out;
  const auto mounts = files.Read("/proc/self/mountinfo");
  const auto groups = files.Read("/proc/self/cgroup");
  if (!mounts || !groups) return out;
  for (const Hierarchy& hierarchy : kHierarchies) {
    const auto mount = FindMount(*mounts, hierarchy.controller);
    const auto group = FindGroup(*groups, hierarchy.controller);
    if (mount && group) hierarchy.read(files, GroupDirectories(files, *mount, *group), out);
  }
  return out;
}

std::optional<std::uint64_t> ReadOomKills(const FileSystem& files) {
  struct Counter {
    std::string_view controller;
    std::string_view file;
  };
  constexpr Counter kCounters[] = {{"", "/memory.events"}, {"memory", "/memory.oom_control"}};
  const auto mounts = files.Read("/proc/self/mountinfo");
  const auto groups = files.Read("/proc/self/cgroup");
  if (!mounts || !groups) return std::nullopt;
  for (const Counter& counter : kCounters) {
    const auto mount = FindMount(*mounts, counter.controller);
    const auto group = FindGroup(*groups, counter.controller);
    if (!mount || !group) continue;
    const auto directory = GroupDirectories(files, *mount, *group).front();
    if (const auto kills = KeyedNumber(files, directory + std::string(counter.file), "oom_kill"))
      return kills;
  }
  return std::nullopt;
}

}  // namespace probe::system
