// SPDX-License-Identifier: MIT
// Texts that are compared with files.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace report::testing {

// Compares with tests/report/golden/<name>.txt, or rewrites it where WHICHGPU_UPDATE_GOLDENS is 1.
inline void ExpectGolden(const std::string& name, const std::string& text) {
  const char* folder = std::getenv("WHICHGPU_GOLDENS");
  ASSERT_NE(folder, nullptr) << "WHICHGPU_GOLDENS names the folder of the golden texts";
  const auto path = std::filesystem::path(folder) / (name + ".txt");
  const char* update = std::getenv("WHICHGPU_UPDATE_GOLDENS");
  if (update && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing: WHICHGPU_UPDATE_GOLDENS=1 writes it";
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(text, golden.str()) << "WHICHGPU_UPDATE_GOLDENS=1 rewrites " << path;
}

}  // namespace report::testing
