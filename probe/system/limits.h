// SPDX-License-Identifier: MIT
// The limits that somebody set on this process (setrlimit(2), control groups): which of them may cost
// answers, and which one is behind an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/system/filesystem.h"

namespace probe::system {

// What the tool with its children needs at least, and drivers with a GPU or two beside them.
inline constexpr unsigned long kOpenFilesNeeded = 64;

// A limit so low that drivers or measurements may suffer from it.
struct ScarceLimit {
  std::string name;      // as a shell does: "the limit on open files (ulimit -n)"
  std::string sentence;  // what it is and what it does; begins with the name
};
// `files`, of the machine itself, is where the control groups are read; of memory and processors
// the report says more.
[[nodiscard]] std::vector<ScarceLimit> ScarceLimits(const FileSystem& files);
// The same limits for a key of what is kept: it changes with what was set, and of what is left
// of a control group with whether that is little.
[[nodiscard]] std::string ScarceLimitsKey(const FileSystem& files);
// Of the memory that this process may map (RLIMIT_AS, RLIMIT_DATA) the least; nullopt where nothing binds.
[[nodiscard]] std::optional<std::uint64_t> MappingLimitBytes();

// The limit that makes calls fail with this errno, as a sentence; empty where no limit explains it.
[[nodiscard]] std::string LimitBehind(int number);

// Why no process can be started, likewise.
[[nodiscard]] std::string WhyNoProcess(int number);

// Raises the limits on open files and on the stack to what is needed, as far as this process may. Where the
// stack stays too small to do anything: a sentence that says so, else empty. Call it first.
[[nodiscard]] std::string RaiseWhatIsNeeded();

}  // namespace probe::system
