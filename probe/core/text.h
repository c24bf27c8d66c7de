// SPDX-License-Identifier: MIT
// Makes foreign text (a driver's names, a file's content, a child's stderr) safe to print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace probe {

inline constexpr std::size_t kMaxTextBytes = 1024;
inline constexpr std::size_t kMaxDecodedTextBytes = 16384;  // of a string in a child's record or a file

// Valid UTF-8 of at most max_bytes bytes: malformed sequences become U+FFFD, control characters (C0, DEL, C1)
// are written as \xNN, what can not be seen (direction marks, zero-width and ignorable characters,
// separators, noncharacters) as \uNNNN or \UNNNNNNNN, surrounding blanks go, an overlong text ends in "...".
[[nodiscard]] std::string CleanText(std::string_view text, std::size_t max_bytes = kMaxTextBytes);

// Whether it is a name as groupadd(8) takes it, which can stand in a command as it is.
[[nodiscard]] bool IsGroupName(std::string_view text);

// The last lines of a compiler's log as one, clean; the log ends at its first zero.
[[nodiscard]] std::string LogTail(std::string_view log);

// The code point at the beginning of a text that is not empty.
struct CodePoint {
  std::uint32_t value = 0xfffd;
  std::size_t bytes = 1;  // consumed
  bool valid = false;     // false: one byte that begins no well-formed sequence (Unicode 15, table 3-7)
};
[[nodiscard]] CodePoint DecodeOne(std::string_view text);

// `digits` significant digits: 249.7 -> "250", 4.68 -> "4.7" (2 digits); with an exponent where a double has
// fewer than the number: "2.5e38"; "?" for what is no number.
[[nodiscard]] std::string SignificantText(double value, int digits);

}  // namespace probe
