// SPDX-License-Identifier: MIT
// The variables in which the environment of every child differs from that of this program.
#pragma once

#include <string>
#include <vector>

#include "probe/system/cache_dir.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace report {

// They keep the drivers' compile caches in our own directory, or in the child's scratch directory where ours
// can not be used, and folders that are not absolute or not trusted out of the paths by which the loader
// finds what drivers depend on (LD_LIBRARY_PATH) and drivers find the programs that they run (PATH). The
// warnings tell which were left out.
[[nodiscard]] probe::system::ChildVariables ChildEnvironment(const probe::system::FileSystem& files,
                                                             const probe::system::Environment& environment,
                                                             std::vector<std::string>& warnings);

}  // namespace report
