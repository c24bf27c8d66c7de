// SPDX-License-Identifier: MIT
// What the terminal can show, and text laid out for it: widths in columns, colours, wrapping. Decides nothing
// about content.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace report::render {

struct TerminalOptions {
  int width = 80;  // columns
  bool colour = false;
  bool unicode = false;
  bool verbose = false;
};

enum class ColourChoice { kAuto, kAlways, kNever };

using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view)>;

inline constexpr int kDefaultWidth = 80;
inline constexpr int kMinWidth = 24;
inline constexpr int kMaxWidth = 200;

// What the descriptor is: whether a terminal, and how wide where it says so.
struct Descriptor {
  bool terminal = false;
  std::optional<int> columns;
};
[[nodiscard]] Descriptor Inspect(int descriptor);

// The width that somebody says: COLUMNS where it is a positive number, else the terminal's own, if it is one.
[[nodiscard]] std::optional<int> SaidWidth(const Descriptor& descriptor,
                                           const EnvironmentLookup& environment);

// Width: what somebody says, else 80; within the bounds above.
// Colour: as chosen; automatically only on a terminal, without NO_COLOR (https://no-color.org) and TERM=dumb.
// Unicode: the first non-empty of LC_ALL, LC_CTYPE and LANG names UTF-8.
[[nodiscard]] TerminalOptions DecideTerminal(const Descriptor& descriptor,
                                             const EnvironmentLookup& environment, ColourChoice colour);

// Columns that cleaned text takes: 2 for East Asian wide and emoji, 0 for combining marks, else 1 (Unicode
// 15, UAX 11). Malformed bytes count 1 each.
[[nodiscard]] int DisplayWidth(std::string_view text);

// The text cut to `width` columns; a cut one ends in an ellipsis ("..." without unicode).
[[nodiscard]] std::string Fit(std::string_view text, int width, bool unicode);
// The same of a sentence: cut between two words.
[[nodiscard]] std::string FitWords(std::string_view text, int width, bool unicode);

// Without unicode every character beyond ASCII becomes '?', wide ones two.
[[nodiscard]] std::string ForLocale(std::string_view text, bool unicode);

// Lines of at most `width` columns (the first: `first_width`, and empty where it has no room for the first
// word), broken at blanks; a longer word is broken where it must be. At least one line.
[[nodiscard]] std::vector<std::string> Wrap(std::string_view text, int width,
                                            std::optional<int> first_width = std::nullopt);

}  // namespace report::render
