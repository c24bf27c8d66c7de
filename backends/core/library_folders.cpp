// SPDX-License-Identifier: MIT
#include "backends/core/library_folders.h"

#include "probe/core/parse.h"

namespace backends {

std::vector<std::string> LibraryFolders(std::string_view table,
                                        const probe::system::Environment& environment) {
  std::vector<std::string> folders;
  for (const auto& [variable, path] : probe::ParseTable<2>(table)) {
    const auto root = variable.empty() ? std::string() : environment.Get(variable);
    if (root && (variable.empty() || !root->empty())) folders.push_back(*root + std::string(path));
  }
  return folders;
}

}  // namespace backends
