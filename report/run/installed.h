// SPDX-License-Identifier: MIT
// What a tree that is not this machine's holds of runtimes that are not asked there. Loads nothing.
#pragma once

#include <vector>

#include "probe/system/filesystem.h"
#include "report/core/report.h"

namespace report {

// Driver manifests of the runtimes that have such, the loaders' sonames of the others; in the registry's
// order.
[[nodiscard]] std::vector<Installed> FindInstalled(const probe::system::FileSystem& files);

}  // namespace report
