// SPDX-License-Identifier: MIT
// Files that a person names on the command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "probe/core/result.h"

namespace report {

inline constexpr std::size_t kMaxTextFileBytes = 64U << 20U;

// "<path>: <text>", the path made safe to print.
[[nodiscard]] probe::Error FileError(const std::string& path, std::string_view text);

// The whole regular file. The error is one line that names it: missing, unreadable, no file, too large.
[[nodiscard]] probe::Result<std::string> ReadTextFile(const std::string& path);

}  // namespace report
