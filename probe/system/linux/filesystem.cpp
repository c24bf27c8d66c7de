// SPDX-License-Identifier: MIT
// The files of Linux: confined by openat2(2), looked at by O_PATH.
#include "probe/system/filesystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <climits>
#include <cstdio>

#include "probe/system/own_file.h"
#include "probe/system/posix/file_status.h"
#include "probe/system/trust.h"

namespace probe::system {
namespace {

Descriptor OpenInRoot(const Descriptor& root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<decltype(how.flags)>(flags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  int fd = -1;
  do {  // EAGAIN: something was renamed during the walk, openat2(2)
    fd = static_cast<int>(syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how));
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  return Descriptor(fd);
}

}  // namespace

std::optional<FileStatus> StatusOf(const Descriptor& file) {
  struct stat raw{};
  if (!file.ok() || fstat(file.get(), &raw) != 0) return std::nullopt;
  return FromStat(raw, Nanoseconds(raw.st_mtim));
}

std::optional<FileStatus> StatusAt(int directory, const std::string& name) {
  struct stat raw{};
  if (fstatat(directory, name.c_str(), &raw, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return FromStat(raw, Nanoseconds(raw.st_mtim));
}

bool HasNoAccessList(const std::string& path) {
  return getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) < 0 &&
         (errno == ENODATA || errno == EOPNOTSUPP);
}

// Of such a list the group's bits of the mode are the most that it gives.
bool IsWritableByList(const std::string& /*path*/) { return false; }

bool AreGroupsInFiles() { return true; }

bool IsNoexec(const std::string& directory) {
  struct statvfs status{};
  return statvfs(directory.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0;
}

bool ForceToDisk(const Descriptor& file, const std::string& directory) {
  if (fdatasync(file.get()) != 0) return false;
  if (directory.empty()) return true;
  const Descriptor named(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (named.ok()) fsync(named.get());
  return true;
}

Status Exchange(const std::string& one, const std::string& other) {
  if (renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return Ok();
  return ErrnoError("renameat2", errno);
}

void BeginForcingToDisk(const Descriptor& file) { sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE); }

Result<FileSystem> FileSystem::Open(const std::string& root) {
  Descriptor top(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top.ok()) return ErrorOfPath("open", errno, root);
  const bool live = root.find_first_not_of('/') == std::string::npos;
  if (!live && !OpenInRoot(top, "/", O_PATH | O_CLOEXEC).ok()) {
    return ErrnoError("openat2", errno,
                      "this kernel or sandbox can not confine paths to " + root + " (openat2, Linux 5.6)");
  }
  return FileSystem(std::move(top), root, live);
}

// The live root needs no confinement, so that kernels and sandboxes without openat2 can be surveyed too.
Descriptor FileSystem::OpenInside(std::string_view path, int flags) const {
  const auto name = PathName(path);
  if (!name) return {};
  flags |= O_CLOEXEC;
  return live_ ? Descriptor(open(name->c_str(), flags)) : OpenInRoot(top_, *name, flags);
}

// Trust is checked step by step along every path: one call a step where nothing has to be confined.
std::optional<FileStatus> FileSystem::StatusAt(std::string_view path, bool follow) const {
  if (!live_) return StatusOf(OpenInside(path, follow ? O_PATH : O_PATH | O_NOFOLLOW));
  const auto name = PathName(path);
  struct stat raw{};
  if (!name || fstatat(AT_FDCWD, name->c_str(), &raw, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return FromStat(raw, Nanoseconds(raw.st_mtim));
}

std::optional<std::string> FileSystem::ReadLink(std::string_view path) const {
  const Descriptor link = OpenInside(path, O_PATH | O_NOFOLLOW);
  if (!link.ok()) return std::nullopt;
  std::string text(PATH_MAX, '\0');
  const ssize_t length = readlinkat(link.get(), "", text.data(), text.size());
  if (length < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace probe::system
