// SPDX-License-Identifier: MIT
// The files of the running macOS. A kernel that can confine a path to a directory is not among those that are
// asked for, so that no other tree is surveyed there.
#include "probe/system/filesystem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/acl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>

#include "probe/system/own_file.h"
#include "probe/system/posix/file_status.h"
#include "probe/system/trust.h"

namespace probe::system {
namespace {

struct FreeList {
  void operator()(acl_t list) const { acl_free(list); }
};
using AccessList = std::unique_ptr<std::remove_pointer_t<acl_t>, FreeList>;

// Of a directory each of these lets somebody put another file in the place of one.
constexpr std::array kWrites = {ACL_WRITE_DATA,   ACL_APPEND_DATA,    ACL_DELETE,
                                ACL_DELETE_CHILD, ACL_WRITE_SECURITY, ACL_CHANGE_OWNER};

// What is not told counts as a right to write.
bool LetsWrite(acl_entry_t entry) {
  acl_tag_t tag{};
  acl_permset_t rights = nullptr;
  if (acl_get_tag_type(entry, &tag) != 0 || acl_get_permset(entry, &rights) != 0) return true;
  return tag == ACL_EXTENDED_ALLOW && std::any_of(kWrites.begin(), kWrites.end(), [&](acl_perm_t right) {
           return acl_get_perm_np(rights, right) != 0;
         });
}

}  // namespace

std::optional<FileStatus> StatusOf(const Descriptor& file) {
  struct stat raw{};
  if (!file.ok() || fstat(file.get(), &raw) != 0) return std::nullopt;
  return FromStat(raw, Nanoseconds(raw.st_mtimespec));
}

std::optional<FileStatus> StatusAt(int directory, const std::string& name) {
  struct stat raw{};
  if (fstatat(directory, name.c_str(), &raw, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return FromStat(raw, Nanoseconds(raw.st_mtimespec));
}

// acl_get_link_np answers ENOENT of a file without a list, and of none at all, which has no rights either.
bool IsWritableByList(const std::string& path) {
  const AccessList list(acl_get_link_np(path.c_str(), ACL_TYPE_EXTENDED));
  if (!list) return errno != ENOENT && errno != ENOTSUP;
  acl_entry_t entry = nullptr;
  for (int which = ACL_FIRST_ENTRY; acl_get_entry(list.get(), which, &entry) == 0; which = ACL_NEXT_ENTRY) {
    if (LetsWrite(entry)) return true;
  }
  return false;
}

bool HasNoAccessList(const std::string& path) { return !IsWritableByList(path); }

bool AreGroupsInFiles() { return false; }

bool IsNoexec(const std::string& directory) {
  struct statfs status{};
  return statfs(directory.c_str(), &status) == 0 && (status.f_flags & MNT_NOEXEC) != 0;
}

// fsync leaves it to the drive when it writes, fsync(2) of macOS; not every file system knows the other.
bool ForceToDisk(const Descriptor& file, const std::string& directory) {
  if (fcntl(file.get(), F_FULLFSYNC) != 0 && fsync(file.get()) != 0) return false;
  if (directory.empty()) return true;
  const Descriptor named(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (named.ok()) fsync(named.get());
  return true;
}

Status Exchange(const std::string& one, const std::string& other) {
  if (renamex_np(one.c_str(), other.c_str(), RENAME_SWAP) == 0) return Ok();
  return ErrnoError("renamex_np", errno == ENOTSUP ? ENOSYS : errno);
}

// There is no call that only begins to.
void BeginForcingToDisk(const Descriptor& /*file*/) {}

Result<FileSystem> FileSystem::Open(const std::string& root) {
  if (root.find_first_not_of('/') != std::string::npos || root.empty())
    return ErrorOfPath("open", ENOTSUP, root);
  Descriptor top(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top.ok()) return ErrorOfPath("open", errno, root);
  return FileSystem(std::move(top), root, true);
}

Descriptor FileSystem::OpenInside(std::string_view path, int flags) const {
  const auto name = PathName(path);
  return name ? Descriptor(open(name->c_str(), flags | O_CLOEXEC)) : Descriptor();
}

std::optional<FileStatus> FileSystem::StatusAt(std::string_view path, bool follow) const {
  const auto name = PathName(path);
  struct stat raw{};
  if (!name || fstatat(AT_FDCWD, name->c_str(), &raw, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return FromStat(raw, Nanoseconds(raw.st_mtimespec));
}

std::optional<std::string> FileSystem::ReadLink(std::string_view path) const {
  const auto name = PathName(path);
  std::string text(PATH_MAX, '\0');
  const ssize_t length = name ? readlink(name->c_str(), text.data(), text.size()) : -1;
  if (length < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace probe::system
