// SPDX-License-Identifier: MIT
#include "probe/system/node_access.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "probe/core/text.h"
#include "probe/system/descriptor.h"

namespace probe::system {

namespace {

// Of the ids that opening it would go by. Filters of system calls older than faccessat2 (those of Docker
// before 20.10.6) answer EPERM to it, where the older call does the same unless the ids differ.
bool IsAccessible(const char* path) {
  if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0) return true;
  const int code = errno;
  const bool alike = getuid() == geteuid() && getgid() == getegid();
  if ((code == EPERM || code == ENOSYS) && alike) return access(path, R_OK | W_OK) == 0;
  errno = code;
  return false;
}

}  // namespace

Status MayOpen(const FileSystem& files, std::string_view path) {
  const auto status = files.Stat(path);
  const auto text = CleanText(path);
  if (!status) return Error{"access", ENOENT, std::string(ErrnoName(ENOENT)), text + ": no such node"};
  if (!files.live()) {
    if (status->is_regular) return Ok();
    return Error{"access", std::nullopt, "not live", text + ": devices of a sysroot are not opened"};
  }
  const std::string name(path);
  if (IsAccessible(name.c_str())) return Ok();
  const int code = errno;
  return Error{"access", code, std::string(ErrnoName(code)), text + " may not be opened"};
}

DeviceNode CheckNodeUnopened(const FileSystem& files, std::string path) {
  DeviceNode node;
  node.path = std::move(path);
  node.exists = files.Exists(node.path);
  if (!node.exists) return node;
  const auto may = MayOpen(files, node.path);
  node.openable = may.ok();
  if (!may) node.open_error = may.error().name;
  if (node.open_error == "EACCES") node.open_to = OpenTo(files, node.path);
  return node;
}

}  // namespace probe::system
