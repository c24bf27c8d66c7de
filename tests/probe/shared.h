// SPDX-License-Identifier: MIT
// Where the material lies that is not part of the project: beside the source tree, or where WHICHGPU_SHARED
// says.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tests {

inline std::filesystem::path SharedFolder() {
  const char* chosen = std::getenv("WHICHGPU_SHARED");
  return chosen != nullptr && *chosen != '\0' ? chosen : WHICHGPU_SHARED_DEFAULT;
}

}  // namespace tests
