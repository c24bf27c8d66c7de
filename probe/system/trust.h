// SPDX-License-Identifier: MIT
// Decides whether a file that this user is about to believe or to load may have been written by somebody
// else.
//
// In a user namespace (rootless containers) root is an ordinary user of the machine, and every file of a user
// who is not of the namespace shows one and the same owner, the overflow id. The machine's own root is among
// them: without believing those nothing installed could be used.
//
// Debian gives /usr/local/lib to the group staff, who may write there by its policy, and pip installs below
// it for everybody. Whoever is of that group is root's equal, since root runs what lies in /usr/local; but
// that is the administrator's to decide, not ours: such a directory is believed while the group has nobody in
// it. That is what /etc/group and /etc/passwd say. Other services may name members, too, and can not be asked
// by a program that is linked statically: so it holds for the numbers of system groups, which those leave
// alone. Not for group 0: containers give it to users of any number, whom no file lists. Nor for what has an
// access control list. A folder that a container got from its host is judged by the container's own lists.
#pragma once

#include <cstdint>
#include <string_view>

#include "probe/core/result.h"
#include "probe/system/filesystem.h"

namespace probe::system {

// Whether a /proc/self/uid_map leaves user ids out or changes them, user_namespaces(7). False for an empty
// one: nothing is known.
[[nodiscard]] bool IsPartialIdMap(std::string_view uid_map);

// Whether this owner of a file is no user of this process's user namespace. In the machine's own namespace
// every owner is one.
[[nodiscard]] bool IsOutsideNamespace(std::uint32_t owner_uid);

// Whether an access control list of a file of the running system lets somebody write whom its mode does not:
// of lists that do not bound each other, as macOS has them. True as well where that is not told.
[[nodiscard]] bool IsWritableByList(const std::string& path);
// Whether /etc/group and /etc/passwd have all groups and users of the system: false where a directory service
// has them.
[[nodiscard]] bool AreGroupsInFiles();

// Whether a file may be loaded or believed by this user. For root: it and every directory above it, links
// resolved, belong to root and nobody else may write them (a sticky directory is accepted, and one of a
// system group that nobody is in). In a user namespace a user outside it stands for root where neither this
// process nor group nor others may write. For others: anything that they can read. The error names the
// offending path and what is wrong with it.
[[nodiscard]] Status CheckTrusted(const FileSystem& files, std::string_view path);

}  // namespace probe::system
