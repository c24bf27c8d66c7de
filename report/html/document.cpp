// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "data/html.h"

#include "report/html/sections.h"

namespace report::html {

std::string Document(const std::string& title, Element main, const std::string& id, const probe::Json& json) {
  Element head("head");
  head.Add(Element("meta", {{"charset", "utf-8"}}));
  head.Add(Element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}));
  head.Add(Element("meta", {{"name", "color-scheme"}, {"content", "light dark"}}));
  // Whatever is in the page, nothing of it asks for anything elsewhere.
  head.Add(Element("meta", {{"http-equiv", "Content-Security-Policy"},
                            {"content",
                             "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                             "base-uri 'none'; form-action 'none'"}}));
  head.Add(Element("title", {}, title));
  head.Add(Element::Carried("style", data::html::kPage));
  head.Add(Element::Carried("style", data::html::kChart));
  Element body("body");
  body.Add(std::move(main));
  body.Add(Element::JsonScript(id, json));
  body.Add(Element::Carried("script", data::html::kSort));
  Element root("html", {{"lang", "en"}});
  root.Add(std::move(head)).Add(std::move(body));
  return HtmlPage(root);
}

Element Section(std::string id, std::string_view heading) {
  const auto title = id + "-heading";
  Element section("section", {{"id", std::move(id)}, {"aria-labelledby", title}});
  section.Add(Element("h2", {{"id", title}}, heading));
  return section;
}

Element Paragraph(std::string kind, std::string_view text) {
  return Element("p", {{"class", std::move(kind)}}, text);
}

Element Facts(const std::vector<std::string>& facts) {
  Element list("ul", {{"class", "facts"}});
  for (const auto& fact : facts) list.Add(Element("li", {}, fact));
  return list;
}

Element Command(std::string_view command) { return Element("pre").With(Element("code", {}, command)); }

Element Bar(double share, const std::string& colour) {
  constexpr double kLeast = 0.5;  // what is there at all is seen
  const double percent = std::clamp(std::isfinite(share) ? share * 100 : 0.0, kLeast, 100.0);
  Element bar("svg", {{"class", "bar"},
                      {"viewBox", "0 0 100 10"},
                      {"preserveAspectRatio", "none"},
                      {"aria-hidden", "true"}});
  bar.Add(Element("rect", {{"class", "fill " + colour}, {"width", NumberText(percent)}, {"height", "10"}}));
  return bar;
}

Table::Table(std::string_view caption, const std::vector<std::string_view>& heads) : caption_(caption) {
  for (auto head : heads) {
    const bool numbers = head.starts_with('#');
    if (numbers) head.remove_prefix(1);
    columns_.push_back({std::string(head), numbers, false});
  }
}

void Table::Row(bool chosen) { rows_.push_back({chosen, {}}); }

void Table::Add(Element cell, bool says_something) {
  auto& cells = rows_.back().cells;
  if (says_something) columns_[cells.size()].is_used = true;
  cells.push_back(std::move(cell));
}

void Table::Head(std::string_view text) { Add(Element("th", {{"scope", "row"}}, text), true); }

void Table::Cell(std::string_view text, std::optional<double> order, std::string kind) {
  if (columns_[rows_.back().cells.size()].numbers) kind = kind.empty() ? "number" : "number " + kind;
  std::vector<Attribute> attributes;
  if (!kind.empty()) attributes.push_back({"class", std::move(kind)});
  if (order) attributes.push_back({"data-order", fmt::format("{:.6g}", *order)});
  Add(Element("td", std::move(attributes), text), !text.empty());
}

void Table::Put(Element content, std::string kind) {
  const bool says_something = !content.IsEmpty();
  columns_[rows_.back().cells.size()].kind = kind;
  std::vector<Attribute> attributes;
  if (!kind.empty()) attributes.push_back({"class", std::move(kind)});
  Add(Element("td", std::move(attributes)).With(std::move(content)), says_something);
}

Element Table::Done() && {
  Element head("tr");
  for (const Column& column : columns_) {
    if (!column.is_used) continue;
    const std::string kind = column.numbers ? "number" : "word";
    head.Add(Element("th",
                     {{"scope", "col"}, {"class", column.kind.empty() ? kind : kind + " " + column.kind}},
                     column.head));
  }
  Element body("tbody");
  for (Cells& row : rows_) {
    Element line = row.chosen ? Element("tr", {{"class", "chosen"}}) : Element("tr");
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (columns_[i].is_used) line.Add(std::move(row.cells[i]));
    }
    body.Add(std::move(line));
  }
  Element table("table", {{"class", "sortable"}});
  table.Add(Element("caption", {}, caption_));
  table.Add(Element("thead").With(std::move(head))).Add(std::move(body));
  Element frame("div",
                {{"class", "scroll"}, {"role", "region"}, {"aria-label", caption_}, {"tabindex", "0"}});
  return std::move(frame).With(std::move(table));
}

}  // namespace report::html
