// SPDX-License-Identifier: MIT
// The small steps of reading text: lines and cells, numbers, blanks, letters, and tables of cells.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace probe {

// Takes the text up to the separator off its beginning, and the separator; all of it where there is none. For
// lines: while (!text.empty()) { const auto line = TakeUpTo(text, '\n'); ... }
inline std::string_view TakeUpTo(std::string_view& text, char separator) {
  const auto part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// The number that the whole text is; nullopt for anything else, and for one that T does not hold.
template <class T>
[[nodiscard]] std::optional<T> ParseNumber(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[nodiscard]] constexpr bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

[[nodiscard]] constexpr bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

[[nodiscard]] constexpr std::string_view Trim(std::string_view text,
                                              std::string_view blanks = " \t\r\n\v\f") {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Whether one of the words, between separators, is this one.
[[nodiscard]] inline bool Lists(std::string_view words, std::string_view word, char separator = ' ') {
  while (!words.empty()) {
    if (TakeUpTo(words, separator) == word) return true;
  }
  return false;
}

// ASCII alone, in whatever locale.
[[nodiscard]] constexpr char Lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}
[[nodiscard]] inline std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& byte : out) byte = Lower(byte);
  return out;
}

// Lower case letters and digits, all else as single dashes between them, 64 bytes at most: text that is safe
// in an id; "unnamed" where nothing is left of it.
[[nodiscard]] inline std::string Slug(std::string_view text) {
  constexpr std::size_t kMaxBytes = 64;
  std::string out;
  for (const char byte : text) {
    const char lower = Lower(byte);
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
      out += lower;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  out.resize(std::min(out.size(), kMaxBytes));
  if (out.ends_with('-')) out.pop_back();
  return out.empty() ? "unnamed" : out;
}

// Whether the text is the pattern, in which one * stands for any text.
[[nodiscard]] constexpr bool FitsPattern(std::string_view text, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return text == pattern;
  return text.size() + 1 >= pattern.size() && text.starts_with(pattern.substr(0, star)) &&
         text.ends_with(pattern.substr(star + 1));
}

// What stands after the last '/'.
[[nodiscard]] constexpr std::string_view FileName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

template <std::size_t kCells>
using TableRow = std::array<std::string_view, kCells>;

// The rows of a table of data/: cells between commas, of which the last is the rest of the line; missing ones
// are empty. Comments ("# ...") and the heading, which is the first other line, are left out. The cells lie
// in `table`.
template <std::size_t kCells>
[[nodiscard]] std::vector<TableRow<kCells>> ParseTable(std::string_view table) {
  std::vector<TableRow<kCells>> rows;
  bool is_heading = true;
  while (!table.empty()) {
    std::string_view line = TakeUpTo(table, '\n');
    if (line.empty() || line.starts_with('#') || std::exchange(is_heading, false)) continue;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i + 1 < kCells; ++i) row[i] = TakeUpTo(line, ',');
    row.back() = line;
  }
  return rows;
}

}  // namespace probe
