// SPDX-License-Identifier: MIT
#include "probe/system/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "probe/system/process.h"

namespace probe::system {
namespace {

constexpr int kMaxFiles = 10000;
constexpr std::uint64_t kStatBlockBytes = 512;  // the unit of st_blocks, stat(3type)
// What mkdtemp(3) puts in the place of six letters.
constexpr std::string_view kName = "whichgpu-scratch-", kPattern = "XXXXXX";
constexpr mode_t kMode = 0700;  // mkdtemp's
// Far longer than from making a directory to locking it.
constexpr std::time_t kAbandonedSeconds = 3600;

// Where one may stand, the best place first.
std::vector<std::string> Parents(const Environment& environment, Medium medium) {
  std::vector<std::string> parents;
  const std::string chosen = environment.Get("TMPDIR").value_or("");
  if (chosen.starts_with('/')) {
    parents.push_back(chosen);
  } else if (medium == Medium::kMemory) {
    parents.emplace_back("/dev/shm");
  }
  parents.emplace_back("/tmp");
  return parents;
}

// The lock ends with the last process that has it.
Descriptor OpenDirectory(const std::string& path) {
  return Raise(Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)));
}
bool Lock(const Descriptor& directory) { return flock(directory.get(), LOCK_EX | LOCK_NB) == 0; }

bool IsAbandoned(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & 0777U) != kMode)
    return false;
  if (status.st_mtime > time(nullptr) - kAbandonedSeconds) return false;
  const Descriptor directory = OpenDirectory(path);
  return directory.ok() && Lock(directory);
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::Create(const Environment& environment, Medium medium) {
  int number = 0;
  for (const std::string& parent : Parents(environment, medium)) {
    std::string name = parent + "/" + std::string(kName) + std::string(kPattern);
    if (mkdtemp(name.data()) == nullptr) {
      number = errno;
      continue;
    }
    auto directory = OpenDirectory(name);
    number = errno;
    if (directory.ok()) Lock(directory);
    ScratchDirectory out(name, std::move(directory));
    if (out.directory_.ok()) return out;
  }
  return ErrnoError("mkdtemp", number);
}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(directory_, other.directory_);
  return *this;
}

ScratchDirectory::~ScratchDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void ScratchDirectory::RemoveAbandoned(const Environment& environment) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> found;
  for (const std::string& parent : Parents(environment, Medium::kMemory)) {
    for (fs::directory_iterator at(parent, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
      const std::string name = at->path().filename();
      if (name.starts_with(kName) && name.size() == kName.size() + kPattern.size())
        found.push_back(at->path());
    }
  }
  for (const std::string& path : found) {
    if (IsAbandoned(path)) fs::remove_all(path, error);
  }
}

void ScratchDirectory::RemoveIfEmpty() {
  if (path_.empty() || rmdir(path_.c_str()) != 0) return;
  path_.clear();
  directory_.Reset();
}

bool ScratchDirectory::Exceeds(std::uint64_t max_bytes) const {
  namespace fs = std::filesystem;
  std::error_code error;
  std::uint64_t bytes = 0;
  int files = 0;
  fs::recursive_directory_iterator at(path_, fs::directory_options::skip_permission_denied, error);
  while (!error && at != fs::recursive_directory_iterator()) {
    struct stat status{};
    if (lstat(at->path().c_str(), &status) == 0)
      bytes += static_cast<std::uint64_t>(status.st_blocks) * kStatBlockBytes;
    if (bytes > max_bytes || ++files > kMaxFiles) return true;
    at.increment(error);
  }
  return false;
}

}  // namespace probe::system
