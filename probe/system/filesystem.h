// SPDX-License-Identifier: MIT
// The only door to files: every path is absolute as the surveyed machine sees it and is resolved inside the
// root (RESOLVE_IN_ROOT), so that a link of a foreign tree can not lead out of it. Read-only. A missing /proc
// or /sys is a normal answer, never an error of the tool.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/system/descriptor.h"

namespace probe::system {

struct FileStatus {
  bool is_directory = false;
  bool is_regular = false;
  bool is_character_device = false;
  bool is_link = false;
  std::uint64_t size_bytes = 0;
  std::uint64_t disk_bytes = 0;  // what it takes on the disk
  std::uint32_t owner_uid = 0;
  std::uint32_t owner_gid = 0;
  std::uint32_t mode = 0;   // permission bits, sticky included
  std::uint64_t links = 0;  // names that it has
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
};

class FileSystem {
 public:
  // The live machine ("/") or a sysroot. The error names the directory that can not be opened.
  [[nodiscard]] static Result<FileSystem> Open(const std::string& root);
  // False under a sysroot: then nothing of the running machine (CPUID, syscalls) may stand in for a file.
  [[nodiscard]] bool live() const { return live_; }
  [[nodiscard]] const std::string& root() const { return root_; }

  // At most max_bytes of the content; binary safe.
  [[nodiscard]] Result<std::string> Read(std::string_view path, std::size_t max_bytes = 1U << 20U) const;
  // First line, trimmed; nullopt when missing, unreadable or empty.
  [[nodiscard]] std::optional<std::string> ReadLine(std::string_view path) const;
  // Whole first line as one number: decimal, or hexadecimal after 0x.
  [[nodiscard]] std::optional<std::uint64_t> ReadNumber(std::string_view path) const;
  // Entry names, sorted, without . and ..; empty when there is no such directory. At most 65536.
  [[nodiscard]] std::vector<std::string> List(std::string_view directory) const;
  [[nodiscard]] std::optional<FileStatus> Stat(std::string_view path) const;       // follows links
  [[nodiscard]] std::optional<FileStatus> StatLink(std::string_view path) const;   // of a link itself
  [[nodiscard]] std::optional<std::string> ReadLink(std::string_view path) const;  // the text of one link
  [[nodiscard]] std::optional<std::string> Resolve(std::string_view path) const;  // real path inside the root
  [[nodiscard]] bool Exists(std::string_view path) const { return Stat(path).has_value(); }
  // Opens for reading and writing and closes again; the error is errno's (EACCES, EPERM, ENOENT).
  [[nodiscard]] Status TryOpen(std::string_view path) const;

  // Called with every path whose content was read, and that content; for --record.
  void OnRead(std::function<void(std::string_view path, std::string_view content)> observer);

 private:
  FileSystem(Descriptor top, std::string root, bool live)
      : top_(std::move(top)), root_(std::move(root)), live_(live) {}
  [[nodiscard]] Descriptor OpenInside(std::string_view path, int flags) const;
  [[nodiscard]] std::optional<FileStatus> StatusAt(std::string_view path, bool follow) const;
  Descriptor top_;  // the root directory
  std::string root_;
  bool live_ = false;
  std::function<void(std::string_view, std::string_view)> observer_;
};

// Follows a path one component at a time. Calls `visit` with every directory, link and file that resolving
// `path` passes, from "/" to the file itself, each by its real path. Stops when `visit` returns false. True
// when the end was reached; false also for a path that is not absolute, does not exist or has more than 40
// links (path_resolution(7)).
bool WalkPath(const FileSystem& files, std::string_view path,
              const std::function<bool(const std::string& step, const FileStatus& status)>& visit);

// A device node as this process meets it: it is opened once, for reading and writing.
[[nodiscard]] DeviceNode CheckNode(const FileSystem& files, std::string path);
// DeviceNode::open_to of a node that this process may not open by its permissions.
[[nodiscard]] std::optional<std::string> OpenTo(const FileSystem& files, std::string_view path);

// The status of an open file, and that of a name in an open directory, a link's own; nullopt, and errno,
// where the system tells none.
[[nodiscard]] std::optional<FileStatus> StatusOf(const Descriptor& file);
[[nodiscard]] std::optional<FileStatus> StatusAt(int directory, const std::string& name);

// Whether the mode of this file of the running system is all that says who may write it: false where it has
// an access control list (acl(5)), of which the group's bits are only the most that it gives, or where that
// is not told.
[[nodiscard]] bool HasNoAccessList(const std::string& path);

// Whether nothing below this directory can be executed, since its file system was mounted so (mount(8)).
[[nodiscard]] bool IsNoexec(const std::string& directory);

}  // namespace probe::system
