// SPDX-License-Identifier: MIT
#include "probe/system/cache_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "probe/system/descriptor.h"
#include "probe/system/scratch.h"
#include "probe/system/tree.h"
#include "probe/system/trust.h"

namespace probe::system {
namespace {

constexpr std::size_t kMaxTrimmed = 100'000;

constexpr const char* kDrivers = "drivers";

std::string DriverRoot(const std::string& cache_directory) { return cache_directory + "/" + kDrivers; }

Error NotOurs(const std::string& path, const std::string& why) {
  return Own(OwnError::kNotTrusted, "check " + path, path + " " + why);
}

// Whether something may be made below a directory: it is this user's, or the system's and lets this user
// write. What is another user's stays untouched, even where root could write it.
Status CheckParent(const FileSystem& files, const std::string& path) {
  const auto status = files.Stat(path);
  if (!status) return NotOurs(path, "is a link to nothing");
  if (!status->is_directory) return ErrnoError("open " + path, ENOTDIR);
  if (geteuid() == 0) return CheckTrusted(files, path);
  const auto is_foreign = [](const FileStatus& step) {
    return step.owner_uid != geteuid() && step.owner_uid != 0 && !IsOutsideNamespace(step.owner_uid);
  };
  std::string offence;
  WalkPath(files, path, [&](const std::string& step, const FileStatus& of_step) {
    if (of_step.is_link && is_foreign(of_step)) offence = step;
    return offence.empty();
  });
  if (!offence.empty()) return NotOurs(offence, "is another user's link");
  const bool is_shared = (status->mode & 01000U) != 0;
  if (is_foreign(*status) || (IsOutsideNamespace(status->owner_uid) && !is_shared))
    return NotOurs(path, "belongs to user " + std::to_string(status->owner_uid));
  return Ok();
}

// Makes what is missing of a path; a directory that is there already is not changed.
Status MakeDirectories(const FileSystem& files, const std::string& path) {
  std::string existing = path;
  while (!existing.empty() && !files.StatLink(existing)) existing.erase(existing.rfind('/'));
  if (existing.size() == path.size()) return Ok();
  const std::string missing = path.substr(existing.size());
  if (existing.empty()) existing = "/";
  if (auto accepted = CheckParent(files, existing); !accepted) return accepted;
  const Descriptor parent(open(existing.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.ok()) return ErrnoError("open " + existing, errno);
  auto made = MakeBelow(parent.get(), missing);
  if (made) return Ok();
  Error error = made.error();
  error.call = "mkdir " + path;
  return error;
}

Status CheckOurs(const FileSystem& files, const std::string& path) {
  const auto status = files.StatLink(path);
  const auto refuse = [&](const std::string& why) { return NotOurs(path, why); };
  if (!status || !status->is_directory) return refuse("is not a directory");
  if (status->owner_uid != geteuid()) return refuse("belongs to user " + std::to_string(status->owner_uid));
  if ((status->mode & 0022U) != 0) return refuse("can be written by others");
  if (access(path.c_str(), W_OK | X_OK) != 0) return ErrnoError("access " + path, errno);
  return geteuid() == 0 ? CheckTrusted(files, path) : Ok();
}

// What pocl_cache_tempname makes (PoCL, lib/CL/pocl_cache.c) and its caller leaves in every run: an empty
// file. One that may still be in use, by this run or by another, is younger than any run lasts.
bool IsLeftover(const std::string& path, const FileStatus& status, std::int64_t now_ns) {
  constexpr std::string_view kBegin = "tempfile_";
  constexpr std::int64_t kLongestRunNs = 3'600'000'000'000;
  const auto name = std::string_view(path).substr(path.rfind('/') + 1);
  return status.is_regular && status.size_bytes == 0 && status.owner_uid == geteuid() &&
         name.starts_with(kBegin) && now_ns - status.modified_ns > kLongestRunNs;
}

std::int64_t NowNs() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<std::string> CacheDirectory(const Environment& environment, const FileSystem& files) {
  const Error none{"cache directory", std::nullopt, "none",
                   "neither XDG_CACHE_HOME nor HOME is an absolute path"};
  if (!files.live()) return Error{"cache directory", std::nullopt, "none", "a sysroot has none"};
  std::string base = environment.Get("XDG_CACHE_HOME").value_or("");
  if (!base.starts_with('/')) {
    base = environment.Get("HOME").value_or("");
    if (!base.starts_with('/')) return none;
    // Services are given one that does not exist: it is not ours to make.
    if (!files.Exists(base))
      return Error{"cache directory", std::nullopt, "none", base + " (HOME) does not exist"};
    base += "/.cache";
  }
  const std::string path = base + "/whichgpu";
  if (const auto made = MakeDirectories(files, path); !made) return made.error();
  if (const auto ours = CheckOurs(files, path); !ours) return ours.error();
  return path;
}

CacheGround InspectCacheGround(const Result<std::string>& cache_directory, const Environment& environment) {
  CacheGround ground;
  if (cache_directory) ground.directory = *cache_directory;
  ground.is_noexec = cache_directory && IsNoexec(*cache_directory);
  const auto scratch = ScratchDirectory::UsualParent(environment, Medium::kDisk);
  ground.scratch_is_noexec = scratch && IsNoexec(*scratch);
  return ground;
}

void AddDriverCaches(std::span<const DriverCache> caches, const CacheGround& ground,
                     const Environment& environment, ChildVariables& out) {
  const auto add = [](auto& list, auto item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(std::move(item));
  };
  const Descriptor root =
      ground.directory.empty() ? Descriptor() : OpenDirectoryAt(AT_FDCWD, ground.directory);
  for (const auto& cache : caches) {
    if (environment.Get(cache.variable)) continue;
    std::string name(cache.variable);
    std::string value(cache.value);
    if (!cache.is_folder) {
      add(out.fixed, EnvironmentVariable{std::move(name), std::move(value)});
      continue;
    }
    const bool is_useless = cache.is_executed && ground.is_noexec && !ground.scratch_is_noexec;
    if (is_useless || !root.ok() || !MakeBelow(root.get(), std::string(kDrivers) + "/" + value)) {
      add(out.scratch, std::move(name));
      continue;
    }
    value.insert(0, DriverRoot(ground.directory) + "/");
    add(out.fixed, EnvironmentVariable{std::move(name), std::move(value)});
  }
}

// Through descriptors, for a driver may have put links there, and as much as it likes.
void TrimDriverCaches(const std::string& cache_directory, std::uint64_t max_bytes) {
  struct File {
    std::string path;
    std::int64_t modified_ns = 0;
    std::uint64_t bytes = 0;
  };
  const Descriptor root = OpenDirectoryAt(AT_FDCWD, DriverRoot(cache_directory));
  if (!root.ok()) return;
  std::vector<File> found;
  std::vector<std::string> leftovers;
  std::uint64_t total = 0;
  const auto now_ns = NowNs();
  const bool all = WalkTree(root.get(), [&](const std::string& path, const FileStatus& status) {
    if (!status.is_regular) return true;
    if (IsLeftover(path, status, now_ns)) leftovers.push_back(path);
    found.push_back({path, status.modified_ns, status.size_bytes});
    total += found.back().bytes;
    return found.size() <= kMaxTrimmed;
  });
  if (!all) {  // what can not be counted is not kept
    EmptyTree(root.get());
    return;
  }
  for (const auto& path : leftovers) static_cast<void>(RemoveBelow(root.get(), path));
  if (total <= max_bytes) return;
  std::sort(found.begin(), found.end(),
            [](const File& a, const File& b) { return a.modified_ns < b.modified_ns; });
  for (const auto& file : found) {
    if (total <= max_bytes) break;
    if (RemoveBelow(root.get(), file.path)) total -= file.bytes;
  }
}

}  // namespace probe::system
