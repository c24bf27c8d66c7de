// SPDX-License-Identifier: MIT
#include "probe/system/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "probe/system/own_file.h"
#include "probe/system/process.h"
#include "probe/system/tree.h"

namespace probe::system {
namespace {

constexpr std::uint64_t kMaxFiles = 10000;
// Random letters stand in the place of the pattern.
constexpr std::string_view kName = "whichgpu-scratch-", kPattern = "XXXXXX";
constexpr mode_t kMode = 0700;
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
  for (const char* usual : {"/tmp", "/dev/shm"}) {
    if (std::find(parents.begin(), parents.end(), usual) == parents.end()) parents.emplace_back(usual);
  }
  return parents;
}

// The lock ends with the last process that has it.
Descriptor OpenDirectory(const std::string& path) {
  return Raise(Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)));
}
// The same of one that a driver may have closed to its own user.
Descriptor OpenOwnDirectory(const std::string& path) {
  auto directory = OpenDirectory(path);
  if (directory.ok() || fchmodat(AT_FDCWD, path.c_str(), kMode, AT_SYMLINK_NOFOLLOW) != 0) return directory;
  return OpenDirectory(path);
}

bool IsName(std::string_view name) {
  return name.starts_with(kName) && name.size() == kName.size() + kPattern.size();
}

bool LooksAbandoned(const struct stat& status) {
  return S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 077U) == 0 &&
         status.st_mtime <= time(nullptr) - kAbandonedSeconds;
}

// Removes it if its last process is gone. Opened only where it may be: there can be many of others in use.
void RemoveIfAbandoned(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0 || !LooksAbandoned(status)) return;
  const Descriptor directory = OpenOwnDirectory(path);
  if (!directory.ok() || fstat(directory.get(), &status) != 0 || !LooksAbandoned(status) ||
      TryLock(directory) != LockState::kTaken)
    return;
  EmptyTree(directory.get());
  rmdir(path.c_str());
}

// What has the name of an emptied directory; a driver may have put something else in its place.
bool RemoveName(const std::string& path) {
  return rmdir(path.c_str()) == 0 || (errno == ENOTDIR && unlink(path.c_str()) == 0);
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::Create(const Environment& environment, Medium medium) {
  int number = 0;
  for (const std::string& name : Names(environment, medium)) {
    if (mkdir(name.c_str(), kMode) == 0) return Adopt(name);
    number = errno;
  }
  return ErrnoError("mkdir", number);
}

std::optional<std::string> ScratchDirectory::UsualParent(const Environment& environment, Medium medium) {
  for (std::string& parent : Parents(environment, medium)) {
    if (access(parent.c_str(), W_OK | X_OK) == 0) return std::move(parent);
  }
  return std::nullopt;
}

std::vector<std::string> ScratchDirectory::Names(const Environment& environment, Medium medium) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::vector<std::string> out = Parents(environment, medium);
  for (std::string& name : out) {
    std::array<unsigned char, kPattern.size()> random{};
    if (!FillRandom(random.data(), random.size())) random.fill(0);
    name.append("/").append(kName);
    for (const unsigned char byte : random) name += kLetters[byte % kLetters.size()];
  }
  return out;
}

ScratchDirectory ScratchDirectory::Adopt(std::string path) {
  auto directory = OpenDirectory(path);
  // Not being able to leaves it to whoever looks for abandoned ones an hour from now.
  if (directory.ok()) static_cast<void>(TryLock(directory));
  return {std::move(path), std::move(directory)};
}

void ScratchDirectory::Remove(const std::string& path) {
  if (!IsName(path.substr(path.rfind('/') + 1)) || RemoveName(path)) return;
  EmptyTree(OpenOwnDirectory(path).get());
  RemoveName(path);
}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(directory_, other.directory_);
  return *this;
}

ScratchDirectory::~ScratchDirectory() {
  if (path_.empty()) return;
  if (!directory_.ok()) directory_ = OpenOwnDirectory(path_);
  EmptyTree(directory_.get());
  RemoveName(path_);
}

void ScratchDirectory::RemoveAbandoned(const Environment& environment) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> found;
  for (const std::string& parent : Parents(environment, Medium::kMemory)) {
    for (fs::directory_iterator at(parent, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
      const std::string name = at->path().filename();
      if (IsName(name)) found.push_back(at->path());
    }
  }
  for (const std::string& path : found) RemoveIfAbandoned(path);
}

void ScratchDirectory::RemoveIfEmpty() {
  if (path_.empty() || rmdir(path_.c_str()) != 0) return;
  path_.clear();
  directory_.Reset();
}

bool ScratchDirectory::Exceeds(std::uint64_t max_bytes) const {
  if (path_.empty()) return false;
  if (directory_.ok()) return TreeExceeds(directory_.get(), max_bytes, kMaxFiles);
  // There was no descriptor left when it was made. Where there is none now either nothing is known of it.
  const Descriptor opened = OpenDirectory(path_);
  return opened.ok() ? TreeExceeds(opened.get(), max_bytes, kMaxFiles) : errno == EACCES;
}

}  // namespace probe::system
