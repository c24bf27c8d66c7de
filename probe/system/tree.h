// SPDX-License-Identifier: MIT
// Walks and empties directory trees that a driver or another program filled. It goes by descriptor, one name
// at a time, so that no link is followed and no path is too long.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "probe/core/result.h"
#include "probe/system/descriptor.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// How deep directories may lie in each other; a tree that is deeper counts as too much to look at.
inline constexpr int kMaxTreeDepth = 64;

// Opens a directory below `parent` (or AT_FDCWD) for reading; not ok(), and errno, for a link and all else.
[[nodiscard]] Descriptor OpenDirectoryAt(int parent, const std::string& name);

// Calls `visit` with everything below the directory, links themselves included, each by its path from there.
// Ends where `visit` returns false. True when all of it was seen: false also where a part can not be looked
// at (no permission, too deep, another file system); what vanishes meanwhile is not missed.
bool WalkTree(int directory,
              const std::function<bool(const std::string& path, const FileStatus& status)>& visit);

// Whether what is below the directory takes more than max_bytes on the disk or is more than max_entries, or
// a part of it can not be looked at.
[[nodiscard]] bool TreeExceeds(int directory, std::uint64_t max_bytes, std::uint64_t max_entries);

// Removes everything below the directory, however deep, unreadable parts of this user's own included. Other
// file systems mounted there are left. False when something is left.
bool EmptyTree(int directory);

// Removes one file by its path below the directory, as WalkTree gave it. Follows no link on the way.
bool RemoveBelow(int directory, std::string_view path);

// Makes directories below an open one (mode 0700), one below the other, and opens the last. Each that exists
// must be a directory itself and this user's. The error names the one that can not be.
[[nodiscard]] Result<Descriptor> MakeBelow(int directory, std::string_view path);

}  // namespace probe::system
