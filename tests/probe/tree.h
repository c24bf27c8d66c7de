// SPDX-License-Identifier: MIT
// A small sysroot in a scratch folder, and one module's report on it. For tests of probes that read files
// only.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

#include "probe/core/module.h"
#include "probe/core/report.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace tests {

class Tree {
 public:
  // In memory where there is such a folder: thousands of small files take long on a busy disk.
  Tree() {
    std::error_code ignored;
    const bool in_memory = getenv("TMPDIR") == nullptr &&
                           std::filesystem::is_directory("/dev/shm", ignored) &&
                           access("/dev/shm", W_OK) == 0;
    const auto folder =
        in_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
    std::string pattern = (folder / "whichgpu-tree-XXXXXX").string();
    root_ = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
    if (root_.empty()) ADD_FAILURE() << "no scratch folder at " << pattern;
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] std::string Path(std::string_view path) const { return root_ + std::string(path); }

  Tree& Write(std::string_view path, std::string_view content) {
    const std::filesystem::path file = Path(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return *this;
  }
  Tree& Directory(std::string_view path) {
    std::filesystem::create_directories(Path(path));
    return *this;
  }
  Tree& Link(std::string_view path, std::string_view target) {
    const std::filesystem::path link = Path(path);
    std::filesystem::create_directories(link.parent_path());
    std::filesystem::create_symlink(target, link);
    return *this;
  }

  [[nodiscard]] probe::system::FileSystem Files() const {
    auto files = probe::system::FileSystem::Open(root_);
    if (!files) ADD_FAILURE() << probe::Describe(files.error());
    return std::move(files).value();
  }

 private:
  std::string root_;
};

inline probe::ProbeReport Run(const probe::Module& module, const probe::system::FileSystem& files) {
  probe::ProbeReport report;
  report.module = module.name;
  const probe::system::Environment environment;
  module.probe({files, environment, std::nullopt,
                [&](const probe::ProbeEvent& event) { probe::Apply(event, report); }});
  probe::Conclude(report);
  return report;
}
inline probe::ProbeReport Run(const probe::Module& module, const Tree& tree) {
  return Run(module, tree.Files());
}

}  // namespace tests
