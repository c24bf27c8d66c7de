// SPDX-License-Identifier: MIT
#include "report/render/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include "probe/core/parse.h"
#include "probe/core/text.h"

namespace report::render {
namespace {

struct Span {
  std::uint32_t first;
  std::uint32_t last;
};

// Marks that take no column of their own: the blocks that consist of them, from Unicode's general categories
// Mn, Me and Cf.
constexpr std::array kZero = {
    Span{0x0300, 0x036f}, Span{0x0483, 0x0489}, Span{0x0591, 0x05bd},  Span{0x0610, 0x061a},
    Span{0x064b, 0x065f}, Span{0x06d6, 0x06dc}, Span{0x0900, 0x0902},  Span{0x093c, 0x093c},
    Span{0x0941, 0x0948}, Span{0x0e31, 0x0e31}, Span{0x0e34, 0x0e3a},  Span{0x0e47, 0x0e4e},
    Span{0x1ab0, 0x1aff}, Span{0x1dc0, 0x1dff}, Span{0x200b, 0x200f},  Span{0x2060, 0x2064},
    Span{0x20d0, 0x20ff}, Span{0x302a, 0x302d}, Span{0x3099, 0x309a},  Span{0xfe00, 0xfe0f},
    Span{0xfe20, 0xfe2f}, Span{0xfeff, 0xfeff}, Span{0xe0100, 0xe01ef}};

// Wide and full-width characters of EastAsianWidth.txt, neighbouring ranges joined.
constexpr std::array kWide = {
    Span{0x1100, 0x115f},   Span{0x231a, 0x231b},   Span{0x2329, 0x232a},   Span{0x23e9, 0x23ec},
    Span{0x25fd, 0x25fe},   Span{0x2614, 0x2615},   Span{0x2648, 0x2653},   Span{0x26a1, 0x26a1},
    Span{0x2705, 0x2705},   Span{0x270a, 0x270b},   Span{0x2728, 0x2728},   Span{0x274c, 0x274c},
    Span{0x2753, 0x2757},   Span{0x2795, 0x2797},   Span{0x2b1b, 0x2b1c},   Span{0x2b50, 0x2b55},
    Span{0x2e80, 0x303e},   Span{0x3041, 0x3247},   Span{0x3250, 0x4dbf},   Span{0x4e00, 0xa4cf},
    Span{0xa960, 0xa97f},   Span{0xac00, 0xd7a3},   Span{0xf900, 0xfaff},   Span{0xfe10, 0xfe19},
    Span{0xfe30, 0xfe6f},   Span{0xff01, 0xff60},   Span{0xffe0, 0xffe6},   Span{0x16fe0, 0x18aff},
    Span{0x1b000, 0x1b2ff}, Span{0x1f004, 0x1f004}, Span{0x1f0cf, 0x1f0cf}, Span{0x1f18e, 0x1f19a},
    Span{0x1f200, 0x1f320}, Span{0x1f32d, 0x1f64f}, Span{0x1f680, 0x1f6ff}, Span{0x1f7e0, 0x1f7eb},
    Span{0x1f90c, 0x1faff}, Span{0x20000, 0x3fffd}};

template <std::size_t N>
bool In(const std::array<Span, N>& spans, std::uint32_t point) {
  const auto after =
      std::upper_bound(spans.begin(), spans.end(), point,
                       [](std::uint32_t value, const Span& span) { return value < span.first; });
  return after != spans.begin() && point <= std::prev(after)->last;
}

int WidthOf(std::uint32_t point) {
  if (point < 0x300) return 1;
  return In(kZero, point) ? 0 : In(kWide, point) ? 2 : 1;
}

// The longest beginning of at most `width` columns, combining marks included.
std::string_view Beginning(std::string_view text, int width) {
  std::size_t end = 0;
  for (int used = 0; end < text.size();) {
    const auto next = probe::DecodeOne(text.substr(end));
    used += WidthOf(next.value);
    if (used > width) break;
    end += next.bytes;
  }
  return text.substr(0, end);
}

bool NamesUtf8(std::string locale) {
  locale = probe::Lower(locale);
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

Descriptor Inspect(int descriptor) {
  Descriptor found;
  found.terminal = isatty(descriptor) == 1;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) found.columns = size.ws_col;
  return found;
}

std::optional<int> SaidWidth(const Descriptor& descriptor, const EnvironmentLookup& environment) {
  const auto columns = probe::ParseNumber<int>(environment("COLUMNS").value_or(""));
  return columns.value_or(0) > 0 ? columns : descriptor.columns;
}

TerminalOptions DecideTerminal(const Descriptor& descriptor, const EnvironmentLookup& environment,
                               ColourChoice colour) {
  TerminalOptions options;
  options.width =
      std::clamp(SaidWidth(descriptor, environment).value_or(kDefaultWidth), kMinWidth, kMaxWidth);
  const bool wanted =
      environment("NO_COLOR").value_or("").empty() && environment("TERM").value_or("dumb") != "dumb";
  options.colour =
      colour == ColourChoice::kAlways || (colour == ColourChoice::kAuto && descriptor.terminal && wanted);
  for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = environment(name).value_or("");
    if (value.empty()) continue;
    options.unicode = NamesUtf8(value);
    break;
  }
  return options;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const auto next = probe::DecodeOne(text);
    width += WidthOf(next.value);
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string Fit(std::string_view text, int width, bool unicode) {
  if (width <= 0) return "";
  if (DisplayWidth(text) <= width) return std::string(text);
  const std::string_view ellipsis = unicode ? "\u2026" : "...";
  const int room = width - DisplayWidth(ellipsis);
  if (room <= 0) return std::string(Beginning(text, width));
  auto cut = Beginning(text, room);
  while (!cut.empty() && cut.back() == ' ') cut.remove_suffix(1);
  return std::string(cut).append(ellipsis);
}

std::string FitWords(std::string_view text, int width, bool unicode) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const auto fitted = Fit(text, width, unicode);
  const auto cut = std::mismatch(fitted.begin(), fitted.end(), text.begin(), text.end()).first;
  const auto kept = static_cast<std::size_t>(cut - fitted.begin());
  const auto end = text.rfind(' ', kept);
  // A word as long as that is no word.
  constexpr std::size_t kMostLost = 30;
  if (end == std::string_view::npos || kept - end > kMostLost) return fitted;
  return std::string(text.substr(0, end)).append(fitted, kept);
}

std::string ForLocale(std::string_view text, bool unicode) {
  if (unicode) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const auto next = probe::DecodeOne(text);
    if (next.value < 0x80) {
      out += text.front();
    } else {
      out.append(static_cast<std::size_t>(WidthOf(next.value)), '?');
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::vector<std::string> Wrap(std::string_view text, int width, std::optional<int> first_width) {
  constexpr int kNarrowest = 2;  // a wide character
  std::vector<std::string> lines;
  std::string line;
  const auto limit = [&] {
    return std::max(lines.empty() ? first_width.value_or(width) : width, kNarrowest);
  };
  while (!text.empty()) {
    const auto blank = text.find(' ');
    auto word = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    if (word.empty()) continue;
    if (!line.empty() && DisplayWidth(line) + 1 + DisplayWidth(word) > limit())
      lines.push_back(std::exchange(line, ""));
    if (!line.empty()) line += ' ';
    // A first line that has less room than the others stays empty rather than break a word.
    if (lines.empty() && line.empty() && limit() < width && DisplayWidth(word) > limit())
      lines.emplace_back();
    while (line.empty() && DisplayWidth(word) > limit()) {
      const auto piece = Beginning(word, limit());
      lines.emplace_back(piece);
      word.remove_prefix(piece.size());
    }
    line += word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

}  // namespace report::render
