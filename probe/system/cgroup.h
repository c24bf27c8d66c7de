// SPDX-License-Identifier: MIT
// What the control groups of this process leave it of processors, memory and processes: cgroup v2 and v1,
// nested groups, and containers, whose mount shows only a part of the tree.
#pragma once

#include <cstdint>
#include <optional>

#include "probe/system/filesystem.h"

namespace probe::system {

struct CgroupLimits {
  std::optional<double> quota_cores;                // smallest of all groups above us
  std::optional<std::uint64_t> memory_limit_bytes;  // likewise
  std::optional<std::uint64_t> memory_left_bytes;   // smallest (limit - use)
  std::optional<std::uint64_t> process_limit;       // of the group that leaves the fewest; threads count too
  std::optional<std::uint64_t> processes_left;      // smallest (limit - use)
};

// Nothing set when there are no groups or no limits. Kernel documentation: admin-guide/cgroup-v2.rst,
// cgroup-v1/.
[[nodiscard]] CgroupLimits ReadCgroupLimits(const FileSystem& files);

// Processes of our group that the kernel has killed for want of memory (oom_kill); nullopt where it does not
// count them.
[[nodiscard]] std::optional<std::uint64_t> ReadOomKills(const FileSystem& files);

}  // namespace probe::system
