// SPDX-License-Identifier: MIT
// GPUs that RADV imagines (RADV_FORCE_FAMILY): Mesa 26 has them no more, and its driver says so.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace tests {

// Whether the installed driver holds the message that it would print.
inline bool RadvImaginesNoGpus() {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> folders = {"/usr/lib", "/usr/lib64"};
  for (const auto& folder : fs::directory_iterator("/usr/lib", error)) folders.push_back(folder.path());
  return std::any_of(folders.begin(), folders.end(), [](const fs::path& folder) {
    std::ifstream library(folder / "libvulkan_radeon.so", std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(library), {}};
    return content.find("RADV_FORCE_FAMILY=<family> has been removed") != std::string::npos;
  });
}

inline constexpr const char* kImaginesNoGpus = "this Mesa has no RADV_FORCE_FAMILY any more";

}  // namespace tests
