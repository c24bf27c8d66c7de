// SPDX-License-Identifier: MIT
// GPUs that RADV imagines (RADV_FORCE_FAMILY): Mesa 26 has them no more, and its driver says so.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tests {

// Whether the installed driver holds the message that it would print.
inline bool RadvImaginesNoGpus() {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const auto& folder : fs::directory_iterator("/usr/lib", error)) {
    std::ifstream library(folder.path() / "libvulkan_radeon.so", std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(library), {}};
    if (content.find("RADV_FORCE_FAMILY=<family> has been removed") != std::string::npos) return true;
  }
  return false;
}

inline constexpr const char* kImaginesNoGpus = "this Mesa has no RADV_FORCE_FAMILY any more";

}  // namespace tests
