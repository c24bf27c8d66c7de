// SPDX-License-Identifier: MIT
// Which drivers the loader of Level Zero may see in a process that loads it, for every runtime that stands on
// it. Loads nothing.
#pragma once

#include <string>
#include <vector>

#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::system::level_zero {

// Keeps from the loader, opened afterwards, what is no driver of a GPU: its own null driver, and files that
// ZE_ENABLE_ALT_DRIVERS names and that are not trusted. Returns what was kept from it. Takes
// ZES_ENABLE_SYSMAN from it, too, with which drivers refuse zesInit.
[[nodiscard]] std::vector<std::string> RestrictLoader(const FileSystem& files,
                                                      const Environment& environment);
// Whether there is a file of a driver that the loader finds after that.
[[nodiscard]] bool HasDriverFile(const FileSystem& files, const Environment& environment);

}  // namespace probe::system::level_zero
