// SPDX-License-Identifier: MIT
// The limits that somebody set on this process (setrlimit(2), control groups): which of them may cost
// answers, and which one is behind an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/system/cgroup.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// As many open files as the tool with its children needs, and drivers with a GPU or two beside them.
inline constexpr unsigned long kOpenFilesNeeded = 64;

// A limit that is so low that drivers or measurements may suffer from it.
struct ScarceLimit {
  std::string name;      // as a shell does: "the limit on open files (ulimit -n)"
  std::string sentence;  // what it is and what it does; begins with the name
};
// The control groups are read from `files`, which must be the running machine's. Limits on memory and
// processors are left out: the report says more of them.
[[nodiscard]] std::vector<ScarceLimit> ScarceLimits(const FileSystem& files);
// The same limits as a part of the cache's key. It changes when somebody sets another limit, and when what is
// left of a control group becomes little or ceases to be.
[[nodiscard]] std::string ScarceLimitsKey(const CgroupLimits& group);
// The smaller of the limits on what this process may map (RLIMIT_AS, RLIMIT_DATA); nullopt where there is
// none.
[[nodiscard]] std::optional<std::uint64_t> MappingLimitBytes();

// The limit that makes calls fail with this errno, as a sentence; empty where no limit explains it.
[[nodiscard]] std::string LimitBehind(int number);

// Why starting a process failed with this errno, as a sentence.
[[nodiscard]] std::string WhyNoProcess(int number);

// Raises the limits on open files and on the stack to what is needed, as far as this process may. Returns a
// sentence where the stack stays too small to do anything, else an empty text. Call it first.
[[nodiscard]] std::string RaiseWhatIsNeeded();

}  // namespace probe::system
