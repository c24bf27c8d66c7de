// SPDX-License-Identifier: MIT
// What all systems' FileSystem share of stat(2) and of paths.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "probe/system/filesystem.h"

struct stat;  // of sys/stat.h

namespace probe::system {

// The time of the last change has a name of its own in each system's stat(2).
[[nodiscard]] FileStatus FromStat(const struct stat& raw, std::int64_t modified_ns);
[[nodiscard]] inline std::int64_t Nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// The path for a system call; nullopt, and errno, for one that can not be any file's.
[[nodiscard]] std::optional<std::string> PathName(std::string_view path);
// The error of a call with that path in its text.
[[nodiscard]] Error ErrorOfPath(const char* call, int number, std::string_view path);

}  // namespace probe::system
