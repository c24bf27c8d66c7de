// SPDX-License-Identifier: MIT
// Files that a person names on the command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "probe/core/json.h"
#include "probe/core/result.h"

namespace report {

inline constexpr std::size_t kMaxTextFileBytes = 64U << 20U;

// "<path>: <text>", the path made safe to print.
[[nodiscard]] probe::Error FileError(const std::string& path, std::string_view text);
// The same of what may be standard input, and is called so then.
[[nodiscard]] probe::Error InputError(const std::string& path, std::string_view text);

// The name of standard input, POSIX utility syntax guideline 13.
inline constexpr std::string_view kStandardInput = "-";
// What messages and comparisons call an input: its path, or "standard input".
[[nodiscard]] std::string InputName(const std::string& path);

// Pipes are read to their end; whoever accepts them must be ready to wait for it.
enum class Accepted { kFiles, kFilesAndPipes };

// The whole regular file, or where that is accepted, the pipe or standard input. The error is one line that
// names it: missing, unreadable, no file, too large.
[[nodiscard]] probe::Result<std::string> ReadTextFile(const std::string& path,
                                                      Accepted accepted = Accepted::kFiles);

// The one JSON document in it. The error says where it breaks: `kind` ("not what ... prints: ") stands before
// what is wrong with its content. Keys that stand twice in an object and texts longer than any that this tool
// writes are refused, for no reader can know which one was meant, or what was cut off.
[[nodiscard]] probe::Result<probe::Json> ReadJsonFile(const std::string& path, std::string_view kind,
                                                      Accepted accepted = Accepted::kFiles);

}  // namespace report
