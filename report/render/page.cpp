// SPDX-License-Identifier: MIT
#include "report/render/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace report::render {
namespace {

constexpr Signs kUnicode = {"\u00b7", "\u2013", "\u00b1", "\u2192", "\u2717", "\u26a0"};
constexpr Signs kAscii = {"|", "-", "+-", "->", "x", "!"};
constexpr int kProseWidth = 100;

// SGR codes (ECMA-48), in the order of Style: only the first eight colours, which every theme keeps readable.
constexpr std::array<std::string_view, 7> kCodes = {"",         "\x1b[1m",  "\x1b[2m", "\x1b[36m",
                                                    "\x1b[32m", "\x1b[33m", "\x1b[31m"};
constexpr std::string_view kReset = "\x1b[0m";

}  // namespace

Page::Page(const TerminalOptions& options) : options_(options), signs_(options.unicode ? kUnicode : kAscii) {}

int Page::prose_width() const { return std::min(options_.width, kProseWidth); }

void Page::Append(std::string_view text, Style style) {
  if (text.empty()) return;
  text_.append(static_cast<std::size_t>(pending_), ' ');
  pending_ = 0;
  const auto code = options_.colour ? kCodes[static_cast<std::size_t>(style)] : std::string_view();
  text_.append(code).append(text);
  if (!code.empty()) text_.append(kReset);
}

Page& Page::Add(std::string_view text, Style style) {
  const auto fitted = Fit(ForLocale(text, options_.unicode), room(), options_.unicode);
  const auto first = fitted.find_first_not_of(' ');
  const auto leading = first == std::string::npos ? fitted.size() : first;
  const auto last = fitted.find_last_not_of(' ');
  pending_ += static_cast<int>(leading);
  column_ += DisplayWidth(fitted);
  if (first == std::string::npos) return *this;
  Append(std::string_view(fitted).substr(first, last - first + 1), style);
  pending_ = static_cast<int>(fitted.size() - last - 1);
  return *this;
}

Page& Page::To(int column) {
  const int blanks = std::max(0, std::min(column, options_.width) - column_);
  pending_ += blanks;
  column_ += blanks;
  return *this;
}

Page& Page::RightTo(int column, std::string_view text, Style style) {
  const int apart = column_ > 0 && pending_ == 0 && !text.empty() ? 1 : 0;
  return To(std::max(column - DisplayWidth(ForLocale(text, options_.unicode)), column_ + apart))
      .Add(text, style);
}

Page& Page::Bar(double share, int columns, Style style) {
  constexpr std::array<std::string_view, 8> kPartial = {"",       "\u258f", "\u258e", "\u258d",
                                                        "\u258c", "\u258b", "\u258a", "\u2589"};
  const int steps = options_.unicode ? 8 : 1;
  const double clamped = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0);
  // What is there at all is seen.
  const int filled = std::max(clamped > 0 ? 1 : 0, static_cast<int>(std::lround(clamped * columns * steps)));
  std::string bar;
  for (int i = 0; i < filled / steps; ++i) bar += options_.unicode ? "\u2588" : "#";
  if (options_.unicode) bar += kPartial[static_cast<std::size_t>(filled % steps)];
  const int start = column_;
  Append(bar, style);
  column_ += DisplayWidth(bar);
  return To(start + columns);
}

void Page::End() {
  text_ += '\n';
  column_ = pending_ = 0;
}

Page& Page::FlowOn(std::string_view text, int indent, Style style) {
  const bool spaced = text.starts_with(' ') && column_ > indent;
  const auto lines = Wrap(ForLocale(text, options_.unicode), prose_width() - indent,
                          std::max(prose_width() - column_ - (spaced ? 1 : 0), 0));
  if (spaced) Add(" ");
  for (const auto& line : lines) {
    if (&line != &lines.front()) {
      End();
      To(indent);
    }
    Add(line, style);
  }
  return *this;
}

void Page::FlowList(const std::vector<std::string>& facts, int indent, Style style) {
  for (const auto& fact : facts) {
    const bool first = &fact == &facts.front();
    const int separator = first ? 0 : 3;
    if (!first && column_ + separator + DisplayWidth(ForLocale(fact, options_.unicode)) > prose_width()) {
      End();
      To(indent);
    } else if (!first) {
      Add(" ").Add(signs_.dot, Style::kDim).Add(" ");
    }
    FlowOn(fact, indent, style);
  }
  End();
}

void Page::Flow(std::string_view text, int indent, Style style) {
  FlowOn(text, indent, style);
  End();
}

void Page::Command(std::string_view text, int column) {
  To(column).Append(ForLocale(text, options_.unicode), Style::kStrong);
  End();
}

}  // namespace report::render
