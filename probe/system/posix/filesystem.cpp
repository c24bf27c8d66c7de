// SPDX-License-Identifier: MIT
// What every system does alike once a file is opened inside the root.
#include "probe/system/filesystem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <memory>

#include "probe/core/text.h"
#include "probe/system/posix/file_status.h"

namespace probe::system {
namespace {

constexpr std::size_t kMaxEntriesOfDirectory = 65536;

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
    if (got < 0 && number != EINTR) return ErrorOfPath("read", number, path);
  }
  return out;
}

}  // namespace

FileStatus FromStat(const struct stat& raw, std::int64_t modified_ns) {
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
  out.device = static_cast<std::uint64_t>(raw.st_dev);
  out.inode = raw.st_ino;
  out.modified_ns = modified_ns;
  return out;
}

std::optional<std::string> PathName(std::string_view path) {
  if (path.starts_with('/') && path.size() < PATH_MAX && path.find('\0') == std::string_view::npos) {
    return std::string(path);
  }
  errno = EINVAL;
  return std::nullopt;
}

Error ErrorOfPath(const char* call, int number, std::string_view path) {
  const auto plain = ErrnoError(call, number);
  return ErrnoError(call, number, CleanText(path) + ": " + plain.text);
}

Result<std::string> FileSystem::Read(std::string_view path, std::size_t max_bytes) const {
  // Looked at before it is opened: opening a device can already change it, and a FIFO would block.
  const auto status = StatusAt(path, true);
  if (!status) return ErrorOfPath("open", errno, path);
  if (!status->is_regular) {
    return Error{"open", std::nullopt, "not a file", CleanText(path) + " is not a regular file"};
  }
  const Descriptor file = OpenInside(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.ok()) return ErrorOfPath("open", errno, path);
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

std::optional<FileStatus> FileSystem::Stat(std::string_view path) const { return StatusAt(path, true); }

std::optional<FileStatus> FileSystem::StatLink(std::string_view path) const { return StatusAt(path, false); }

Status FileSystem::TryOpen(std::string_view path) const {
  const auto status = Stat(path);
  if (!status) return ErrorOfPath("open", errno, path);
  if (!live_ && !status->is_regular) {
    return Error{"open", std::nullopt, "not live", CleanText(path) + ": devices of a sysroot are not opened"};
  }
  const Descriptor file = OpenInside(path, O_RDWR | O_NONBLOCK | O_NOCTTY);
  if (!file.ok()) return ErrorOfPath("open", errno, path);
  return Ok();
}

}  // namespace probe::system
