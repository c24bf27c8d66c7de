// SPDX-License-Identifier: MIT
#include "probe/system/node_access.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "probe/core/text.h"
#include "probe/system/descriptor.h"

namespace probe::system {

Status MayOpen(const FileSystem& files, std::string_view path) {
  const auto status = files.Stat(path);
  const auto text = CleanText(path);
  if (!status) return Error{"access", ENOENT, std::string(ErrnoName(ENOENT)), text + ": no such node"};
  if (!files.live()) {
    if (status->is_regular) return Ok();
    return Error{"access", std::nullopt, "not live", text + ": devices of a sysroot are not opened"};
  }
  const std::string name(path);
  if (faccessat(AT_FDCWD, name.c_str(), R_OK | W_OK, AT_EACCESS) == 0) return Ok();
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
