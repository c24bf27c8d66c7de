// SPDX-License-Identifier: MIT
// Where the user's math libraries lie that the loader does not know of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/system/environment.h"

namespace backends {

// Of a table like data/library_folders.csv, without the rows whose variable is not set, in its order.
[[nodiscard]] std::vector<std::string> LibraryFolders(std::string_view table,
                                                      const probe::system::Environment& environment);

}  // namespace backends
