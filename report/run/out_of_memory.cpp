// SPDX-License-Identifier: MIT
#include "report/run/out_of_memory.h"

#include <signal.h>

#include <algorithm>

#include "probe/system/cgroup.h"
#include "probe/system/processor.h"
#include "report/core/wording.h"

namespace report {
namespace {

using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;

// What a driver with a compiler of its own and the arrays of a plan take together.
constexpr std::uint64_t kAmpleBytes = std::uint64_t{1} << 30U;

bool IsKilled(const ChildResult& result) {
  return result.end == ChildEnd::kSignalled && result.exit.signal == SIGKILL;
}

}  // namespace

OomWatch::OomWatch(const probe::system::FileSystem& files)
    : files_(files), kills_before_(probe::system::ReadOomKills(files)) {}

void OomWatch::Mark(std::span<ChildResult> results) const {
  if (std::none_of(results.begin(), results.end(), IsKilled)) return;
  auto limit = probe::system::ReadCgroupLimits(files_).memory_limit_bytes;
  // The kernel counts those, too, that it kills for the whole machine's sake.
  if (limit && *limit >= probe::system::PhysicalMemoryBytes().value_or(UINT64_MAX)) limit.reset();
  const auto kills = probe::system::ReadOomKills(files_);
  const bool is_counted = kills && kills_before_;
  if (is_counted ? *kills <= *kills_before_ : limit.value_or(kAmpleBytes) >= kAmpleBytes) return;
  for (ChildResult& result : results) {
    if (!IsKilled(result)) continue;
    result.end = ChildEnd::kOutOfMemory;
    result.detail = OutOfMemoryText(limit);
  }
}

}  // namespace report
