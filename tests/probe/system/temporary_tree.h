// SPDX-License-Identifier: MIT
// A directory of its own for one test, gone afterwards.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace probe::system {

class TemporaryTree {
 public:
  TemporaryTree() {
    std::string name = (std::filesystem::temp_directory_path() / "whichgpu-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    root_ = std::filesystem::canonical(name).string();
  }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;
  ~TemporaryTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] const std::string& root() const { return root_; }
  // Absolute path of an entry, given as "/a/b".
  [[nodiscard]] std::string At(std::string_view path) const { return root_ + std::string(path); }

  std::string Write(std::string_view path, std::string_view content, mode_t mode = 0644) const {
    const auto name = At(path);
    std::filesystem::create_directories(std::filesystem::path(name).parent_path());
    std::ofstream(name, std::ios::binary) << content;
    chmod(name.c_str(), mode);
    return name;
  }
  std::string Directory(std::string_view path, mode_t mode = 0755) const {
    const auto name = At(path);
    std::filesystem::create_directories(name);
    chmod(name.c_str(), mode);
    return name;
  }
  std::string Link(std::string_view path, const std::string& target) const {
    const auto name = At(path);
    std::filesystem::create_directories(std::filesystem::path(name).parent_path());
    std::filesystem::create_symlink(target, name);
    return name;
  }

 private:
  std::string root_;
};

}  // namespace probe::system
