// SPDX-License-Identifier: MIT
// A driver that the machine has not registered, used in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tests {

// Makes a new folder the current one and removes it at the end: some drivers write beside themselves.
class OtherDriver {
 public:
  explicit OtherDriver(const std::string& library) {
    std::string name = testing::TempDir() + "/opencl-driver-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    manifest_ = folder_ + "/driver.icd";
    std::ofstream(manifest_) << library << '\n';
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
  }
  ~OtherDriver() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  OtherDriver(const OtherDriver&) = delete;
  OtherDriver& operator=(const OtherDriver&) = delete;

  [[nodiscard]] const std::string& manifest() const { return manifest_; }

 private:
  std::string folder_;
  std::string manifest_;
  std::filesystem::path before_;
};

}  // namespace tests
