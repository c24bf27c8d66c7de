// SPDX-License-Identifier: MIT
#include "probe/system/cache_dir.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "probe/system/descriptor.h"

namespace probe::system {
namespace {

std::string DriverRoot(const std::string& cache_directory) { return cache_directory + "/drivers"; }

// Makes what is missing; a directory of a path that is there already is not changed.
Status MakeDirectories(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return Ok();
  const int number = errno;
  const auto parent = path.substr(0, path.rfind('/'));
  if (number != ENOENT || parent.empty()) return ErrnoError("mkdir " + path, number);
  if (auto made = MakeDirectories(parent); !made) return made;
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? Ok() : ErrnoError("mkdir " + path, errno);
}

Status CheckOurs(const FileSystem& files, const std::string& path) {
  const auto status = files.StatLink(path);
  const auto refuse = [&](std::string why) {
    return Error{"check " + path, std::nullopt, "not trusted", path + " " + std::move(why)};
  };
  if (!status || !status->is_directory) return refuse("is not a directory");
  if (status->owner_uid != geteuid()) return refuse("belongs to user " + std::to_string(status->owner_uid));
  if ((status->mode & 0022U) != 0) return refuse("can be written by others");
  if (access(path.c_str(), W_OK | X_OK) != 0) return ErrnoError("access " + path, errno);
  return geteuid() == 0 ? CheckTrusted(files, path) : Ok();
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
    base += "/.cache";
  }
  const std::string path = base + "/whichgpu";
  if (const auto made = MakeDirectories(path); !made) return made.error();
  if (const auto ours = CheckOurs(files, path); !ours) return ours.error();
  return path;
}

std::vector<EnvironmentVariable> DriverCacheVariables(std::span<const DriverCache> caches,
                                                      const std::string& cache_directory,
                                                      const Environment& environment) {
  std::vector<EnvironmentVariable> out;
  for (const auto& cache : caches) {
    if (environment.Get(cache.variable)) continue;
    std::string value(cache.value);
    if (cache.is_folder) {
      value.insert(0, DriverRoot(cache_directory) + "/");
      if (!MakeDirectories(value)) continue;
    }
    out.push_back({std::string(cache.variable), std::move(value)});
  }
  return out;
}

void TrimDriverCaches(const std::string& cache_directory, std::uint64_t max_bytes) {
  namespace fs = std::filesystem;
  struct File {
    fs::path path;
    fs::file_time_type changed;
    std::uint64_t bytes = 0;
  };
  std::vector<File> found;
  std::uint64_t total = 0;
  std::error_code error;
  fs::recursive_directory_iterator at(DriverRoot(cache_directory), error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    struct stat status{};
    if (lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    std::error_code ignored;
    found.push_back(
        {at->path(), fs::last_write_time(at->path(), ignored), static_cast<std::uint64_t>(status.st_size)});
    total += found.back().bytes;
  }
  if (total <= max_bytes) return;
  std::sort(found.begin(), found.end(), [](const File& a, const File& b) { return a.changed < b.changed; });
  for (const auto& file : found) {
    if (total <= max_bytes) break;
    if (unlink(file.path.c_str()) == 0) total -= file.bytes;
  }
}

}  // namespace probe::system
