// SPDX-License-Identifier: MIT
// The parts of a report's page, and what they share. The report must be clean (report/core/clean.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"
#include "report/html/markup.h"
#include "report/render/material.h"

namespace report::html {

inline constexpr std::string_view kDash = "\u2013";
inline constexpr std::string_view kPlusMinus = "\u00b1";

// A whole page: `main` below what every page has, and in it `json` for programs, by its id.
[[nodiscard]] std::string Document(const std::string& title, Element main, const std::string& id,
                                   const probe::Json& json);

// "<section id=...><h2>"; the id is that of the page's contents.
[[nodiscard]] Element Section(std::string id, std::string_view heading);
// A paragraph of a kind: "dim", "warning", "bad".
[[nodiscard]] Element Paragraph(std::string kind, std::string_view text);
// A list of short facts beside each other.
[[nodiscard]] Element Facts(const std::vector<std::string>& facts);
// To be copied as it is.
[[nodiscard]] Element Command(std::string_view command);
// A bar of 0 to 1, which a figure beside it says in digits.
[[nodiscard]] Element Bar(double share, const std::string& colour);

// A table whose rows a reader may sort where there are scripts. A head that begins with '#' is of numbers. A
// column without anything in it is left out.
class Table {
 public:
  Table(std::string_view caption, const std::vector<std::string_view>& heads);

  // Begins a row; of a `chosen` one the answer is made.
  void Row(bool chosen = false);
  // The cell that says what the row is.
  void Head(std::string_view text);
  // `order` is what the cell is sorted by, where its text does not say it.
  void Cell(std::string_view text, std::optional<double> order = std::nullopt, std::string kind = "");
  void Put(Element content, std::string kind = "");
  // With what makes it scroll where it has no room.
  [[nodiscard]] Element Done() &&;

 private:
  struct Column {
    std::string head;
    bool numbers = false;
    bool is_used = false;
    std::string kind{};  // of all its cells
  };
  struct Cells {
    bool chosen = false;
    std::vector<Element> cells;
  };

  void Add(Element cell, bool says_something);

  std::string caption_;
  std::vector<Column> columns_;
  std::vector<Cells> rows_;
};

[[nodiscard]] Element AnswerPart(const Tables& tables, const Report& report);
[[nodiscard]] Element ToDoPart(const Report& report, const render::Material& material);
[[nodiscard]] Element WaysPart(const Tables& tables, const Report& report);
[[nodiscard]] Element DevicesPart(const Tables& tables, const Report& report);
[[nodiscard]] Element StackPart(const Tables& tables, const Report& report);

}  // namespace report::html
