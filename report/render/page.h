// SPDX-License-Identifier: MIT
// A page of styled lines of bounded width, but for commands. Every text that is put on it is fitted to the
// locale; no line ends in a blank; without colour the same page is plain text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/render/terminal.h"

namespace report::render {

enum class Style { kPlain, kStrong, kDim, kAccent, kGood, kFair, kBad };

// The few signs beyond ASCII, or what stands for them without.
struct Signs {
  std::string_view dot;   // between facts
  std::string_view dash;  // of a range
  std::string_view plus_minus;
  std::string_view arrow;
  std::string_view cross;
  std::string_view warning;
};

class Page {
 public:
  explicit Page(const TerminalOptions& options);

  [[nodiscard]] int width() const { return options_.width; }
  // Prose is not set wider than is read with ease.
  [[nodiscard]] int prose_width() const;
  [[nodiscard]] const Signs& signs() const { return signs_; }
  [[nodiscard]] const TerminalOptions& options() const { return options_; }

  // Adds to the current line; what does not fit the width is cut.
  Page& Add(std::string_view text, Style style = Style::kPlain);
  // Blanks up to a column; none where the line is there already.
  Page& To(int column);
  // As To(column - width of text) and Add: the text ends before the column, or where the line is too long for
  // that, a blank behind it.
  Page& RightTo(int column, std::string_view text, Style style = Style::kPlain);
  // share of `columns`, in eighths of a column where the locale has such blocks.
  Page& Bar(double share, int columns, Style style);
  void End();
  void Blank() { text_ += '\n'; }
  // Prose from the current column on, later lines from `indent` on. Flow ends the last line, FlowOn leaves it
  // open.
  Page& FlowOn(std::string_view text, int indent, Style style = Style::kPlain);
  void Flow(std::string_view text, int indent, Style style = Style::kPlain);
  // The same for facts with a dot between them: a fact that fits a line is not broken.
  void FlowList(const std::vector<std::string>& facts, int indent, Style style = Style::kPlain);
  // A line of its own for what is to be copied: one that is wider than the page is neither cut nor broken.
  void Command(std::string_view text, int column);

  [[nodiscard]] int column() const { return column_; }
  [[nodiscard]] int room() const { return options_.width - column_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void Append(std::string_view text, Style style);

  TerminalOptions options_;
  const Signs& signs_;
  std::string text_;
  int column_ = 0;
  int pending_ = 0;  // blanks that are only written once something follows them
};

}  // namespace report::render
