// SPDX-License-Identifier: MIT
// Recorded machines that are not part of the project: unpacked into a scratch tree, one machine at a time
// shown as the sysroot's /sys.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

#include "tests/probe/shared.h"
#include "tests/probe/tree.h"

namespace tests {

// Runs `tar -xf archive -C directory` for the members that match; false when it fails. A * does not match a
// slash.
inline bool Unpack(const std::filesystem::path& archive, const std::string& directory,
                   const char* members = nullptr) {
  std::filesystem::create_directories(directory);
  const pid_t child = fork();
  if (child == 0) {
    execlp("tar", "tar", "--wildcards", "--no-wildcards-match-slash", "-xf", archive.c_str(), "-C",
           directory.c_str(), members, nullptr);
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

inline std::filesystem::path Capture(std::string_view name) { return SharedFolder() / "captures" / name; }

}  // namespace tests

// Skips the test when the recorded machines are not on this computer.
#define SKIP_WITHOUT_CAPTURE(name)                                      \
  if (!std::filesystem::exists(tests::Capture(name))) {                 \
    GTEST_SKIP() << "no recorded machines at " << tests::Capture(name); \
  }
