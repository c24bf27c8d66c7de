// SPDX-License-Identifier: MIT
// Tells a child that the kernel killed for want of memory from one that its driver brought down.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "probe/isolate/supervisor.h"
#include "probe/system/filesystem.h"

namespace report {

// Made before children are started, asked when they have ended.
class OomWatch {
 public:
  explicit OomWatch(const probe::system::FileSystem& files);
  // Of the children that ended by a SIGKILL that was not ours, where the kernel has killed in our control
  // group meanwhile, the end becomes kOutOfMemory, and the detail says by which limit. Where nobody counts
  // such kills the same of those under a limit so low that measuring may exceed it.
  void Mark(std::span<probe::isolate::ChildResult> results) const;

 private:
  const probe::system::FileSystem& files_;
  std::optional<std::uint64_t> kills_before_;
};

}  // namespace report
