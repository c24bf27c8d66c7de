// SPDX-License-Identifier: MIT
// The directory where whichgpu keeps what may be lost: crash markers, measurements and the drivers' compiled
// kernels. Nothing that is read from it becomes a command or a path.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/module.h"
#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// XDG_CACHE_HOME/whichgpu, else HOME/.cache/whichgpu; it is made with mode 0700 where it is missing. It is
// refused unless it belongs to this user and nobody else may write it, and for root unless the whole way to
// it is trusted (CheckTrusted). It is not made below a directory of another user, nor through another user's
// link: the deepest directory that exists has to be this user's or the system's. The error says why there is
// none; everything works without one.
[[nodiscard]] Result<std::string> CacheDirectory(const Environment& environment, const FileSystem& files);

// Where compile caches can be kept.
struct CacheGround {
  std::string directory;           // CacheDirectory's, "" where there is none
  bool is_noexec = false;          // its file system executes nothing, mount(8)
  bool scratch_is_noexec = false;  // that of the children's scratch directories
};
[[nodiscard]] CacheGround InspectCacheGround(const Result<std::string>& cache_directory,
                                             const Environment& environment);

// What children get besides their parent's environment.
struct ChildVariables {
  std::vector<EnvironmentVariable> fixed;
  std::vector<std::string> scratch;  // names of those whose value is the child's own scratch directory
};

// Adds the variables that put those compile caches below the cache directory, and bound them where a driver
// can do so itself. They go into the child's scratch directory where there is no cache directory, or where
// the driver executes what it caches and only the scratch directory allows that. A variable that the user has
// set is left out, since the user's choice counts. None is added twice.
void AddDriverCaches(std::span<const DriverCache> caches, const CacheGround& ground,
                     const Environment& environment, ChildVariables& out);

inline constexpr std::uint64_t kMaxDriverCacheBytes = 256U << 20U;

// Deletes the least recently changed files of the drivers' caches until at most max_bytes are left.
// Directories stay, unless a part can not be looked at or there are more than 100000 files: then all goes.
// Links are removed, never followed. Empty temporary files that a driver left an hour ago or longer go in any
// case.
void TrimDriverCaches(const std::string& cache_directory, std::uint64_t max_bytes = kMaxDriverCacheBytes);

}  // namespace probe::system
