// SPDX-License-Identifier: MIT
// Follows a path one component at a time, inside the root of a FileSystem. By hand, because the kernel's own
// answer
// (/proc/self/fd) is not there without /proc and says nothing of the links on the way.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "probe/system/filesystem.h"

namespace probe::system {

// Calls `visit` with every directory, link and file that resolving `path` passes, from "/" to the file
// itself, each by its real path. Stops when `visit` returns false. True when the end was reached; false also
// for a path that is not absolute, does not exist or has more than 40 links (path_resolution(7)).
bool WalkPath(const FileSystem& files, std::string_view path,
              const std::function<bool(const std::string& step, const FileStatus& status)>& visit);

}  // namespace probe::system
