// SPDX-License-Identifier: MIT
// The files of Linux: confined by openat2(2), looked at by O_PATH.
#include "probe/system/filesystem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <memory>

#include "probe/core/text.h"
#include "probe/system/own_file.h"

namespace probe::system {
namespace {

constexpr std::size_t kMaxEntriesOfDirectory = 65536;

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

FileStatus FromStat(const struct stat& raw) {
  FileStatus out;
  out.is_directory = S_ISDIR(raw.st_mode);
  out.is_regular = S_ISREG(raw.st_mode);
  out.is_character_device = S_ISCHR(raw.st_mode);
  out.is_link = S_ISLNK(raw.st_mode);
  out.size_bytes = static_cast<std::uint64_t>(std::max<off_t>(raw.st_size, 0));
  constexpr std::uint64_t kBlockBytes = 512;  // the unit of st_blocks, stat(3type)
  out.disk_bytes = static_cast<std::uint64_t>(raw.st_blocks) * kBlockBytes;
  out.owner_uid = raw.st_uid;
  out.owner_gid = raw.st_gid;
  out.mode = raw.st_mode & 07777U;
  out.links = raw.st_nlink;
  out.device = raw.st_dev;
  out.inode = raw.st_ino;
  out.modified_ns = static_cast<std::int64_t>(raw.st_mtim.tv_sec) * 1'000'000'000 + raw.st_mtim.tv_nsec;
  return out;
}

// The path for a system call; nullopt, and errno, for one that can not be any file's.
std::optional<std::string> Name(std::string_view path) {
  if (path.starts_with('/') && path.size() < PATH_MAX && path.find('\0') == std::string_view::npos) {
    return std::string(path);
  }
  errno = EINVAL;
  return std::nullopt;
}

Error OfPath(const char* call, int number, std::string_view path) {
  const auto plain = ErrnoError(call, number);
  return ErrnoError(call, number, CleanText(path) + ": " + plain.text);
}

Result<std::string> ReadAll(const Descriptor& file, std::string_view path, std::size_t max_bytes) {
  constexpr std::size_t kStep = 16384;
  std::string out;
  while (out.size() < max_bytes) {
    const std::size_t have = out.size();
    out.resize(have + std::min(kStep, max_bytes - have));
    const ssize_t got = read(file.get(), out.data() + have, out.size() - have);
    const int number = errno;
    out.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
    if (got < 0 && number != EINTR) return OfPath("read", number, path);
  }
  return out;
}

}  // namespace

std::optional<FileStatus> StatusOf(const Descriptor& file) {
  struct stat raw{};
  if (!file.ok() || fstat(file.get(), &raw) != 0) return std::nullopt;
  return FromStat(raw);
}

std::optional<FileStatus> StatusAt(int directory, const std::string& name) {
  struct stat raw{};
  if (fstatat(directory, name.c_str(), &raw, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return FromStat(raw);
}

bool HasNoAccessList(const std::string& path) {
  return getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) < 0 &&
         (errno == ENODATA || errno == EOPNOTSUPP);
}

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
  if (!top.ok()) return OfPath("open", errno, root);
  const bool live = root.find_first_not_of('/') == std::string::npos;
  if (!live && !OpenInRoot(top, "/", O_PATH | O_CLOEXEC).ok()) {
    return ErrnoError("openat2", errno,
                      "this kernel or sandbox can not confine paths to " + root + " (openat2, Linux 5.6)");
  }
  return FileSystem(std::move(top), root, live);
}

// The live root needs no confinement, so that kernels and sandboxes without openat2 can be surveyed too.
Descriptor FileSystem::OpenInside(std::string_view path, int flags) const {
  const auto name = Name(path);
  if (!name) return {};
  flags |= O_CLOEXEC;
  return live_ ? Descriptor(open(name->c_str(), flags)) : OpenInRoot(top_, *name, flags);
}

Result<std::string> FileSystem::Read(std::string_view path, std::size_t max_bytes) const {
  // Looked at before it is opened: opening a device can already change it, and a FIFO would block.
  const auto status = StatusOf(OpenInside(path, O_PATH));
  if (!status) return OfPath("open", errno, path);
  if (!status->is_regular) {
    return Error{"open", std::nullopt, "not a file", CleanText(path) + " is not a regular file"};
  }
  const Descriptor file = OpenInside(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.ok()) return OfPath("open", errno, path);
  auto content = ReadAll(file, path, max_bytes);
  if (content && observer_) observer_(path, *content);
  return content;
}

std::vector<std::string> FileSystem::List(std::string_view directory) const {
  Descriptor opened = OpenInside(directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  if (!opened.ok()) return {};
  const auto close_stream = [](DIR* stream) { closedir(stream); };
  const std::unique_ptr<DIR, decltype(close_stream)> stream(fdopendir(opened.get()), close_stream);
  if (!stream) return {};
  opened.Release();
  std::vector<std::string> names;
  while (names.size() < kMaxEntriesOfDirectory) {
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Trust is checked step by step along every path: one call a step where nothing has to be confined.
std::optional<FileStatus> FileSystem::StatusAt(std::string_view path, bool follow) const {
  if (!live_) return StatusOf(OpenInside(path, follow ? O_PATH : O_PATH | O_NOFOLLOW));
  const auto name = Name(path);
  struct stat raw{};
  if (!name || fstatat(AT_FDCWD, name->c_str(), &raw, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return FromStat(raw);
}

std::optional<FileStatus> FileSystem::Stat(std::string_view path) const { return StatusAt(path, true); }

std::optional<FileStatus> FileSystem::StatLink(std::string_view path) const { return StatusAt(path, false); }

std::optional<std::string> FileSystem::ReadLink(std::string_view path) const {
  const Descriptor link = OpenInside(path, O_PATH | O_NOFOLLOW);
  if (!link.ok()) return std::nullopt;
  std::string text(PATH_MAX, '\0');
  const ssize_t length = readlinkat(link.get(), "", text.data(), text.size());
  if (length < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(length));
  return text;
}

Status FileSystem::TryOpen(std::string_view path) const {
  const auto status = Stat(path);
  if (!status) return OfPath("open", errno, path);
  if (!live_ && !status->is_regular) {
    return Error{"open", std::nullopt, "not live", CleanText(path) + ": devices of a sysroot are not opened"};
  }
  const Descriptor file = OpenInside(path, O_RDWR | O_NONBLOCK | O_NOCTTY);
  if (!file.ok()) return OfPath("open", errno, path);
  return Ok();
}

}  // namespace probe::system
