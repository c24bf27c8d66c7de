// SPDX-License-Identifier: MIT
// Our directory for what may be lost: crash markers, measurements, the drivers' compiled kernels. Nothing
// that is read from it becomes a command or a path.
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

// XDG_CACHE_HOME/whichgpu, else HOME/.cache/whichgpu, made with mode 0700 where it is missing; made to be
// ours alone: it belongs to this user and nobody else may write it, and for root the whole way to it is
// trusted (CheckTrusted). Nothing is made below a directory of another user, nor through another user's link:
// the deepest directory that exists is this user's or the system's. An error says why there is none;
// everything works without.
[[nodiscard]] Result<std::string> CacheDirectory(const Environment& environment, const FileSystem& files);

// What there is to keep compile caches in.
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

// Adds the variables that put those compile caches below our cache directory, bounded where a driver can do
// that itself; into the child's scratch directory where there is none, or where the cache is executed and
// ours can not be while the scratch directory can. A variable that the user has set is left out: the user's
// choice counts. Repeated ones are added once.
void AddDriverCaches(std::span<const DriverCache> caches, const CacheGround& ground,
                     const Environment& environment, ChildVariables& out);

inline constexpr std::uint64_t kMaxDriverCacheBytes = 256U << 20U;

// Deletes the least recently changed files of the drivers' caches until at most max_bytes are left.
// Directories stay, unless a part can not be looked at or there are more than 100000 files: then all goes.
// Links are removed, never followed.
void TrimDriverCaches(const std::string& cache_directory, std::uint64_t max_bytes = kMaxDriverCacheBytes);

}  // namespace probe::system
