// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "report/core/clean.h"
#include "report/core/quantity.h"
#include "report/html/html.h"
#include "report/html/sections.h"
#include "report/render/compared.h"
#include "report/render/faces.h"

namespace report::html {
namespace {

using render::Style;
using render::VerdictGroup;

std::string_view KindOf(Style style) {
  switch (style) {
    case Style::kGood:
      return "good";
    case Style::kFair:
      return "fair";
    case Style::kBad:
      return "bad";
    case Style::kPlain:
    case Style::kStrong:
    case Style::kDim:
    case Style::kAccent:
      return "plain";
  }
  return "plain";
}

// From the middle to the right what became faster, to the left what became slower; the whole half is twofold.
Element Change(double ratio, std::string_view kind) {
  constexpr double kMiddle = 50;
  const double log = std::clamp(std::isfinite(ratio) && ratio > 0 ? std::log2(ratio) : 0.0, -1.0, 1.0);
  const double width = std::max(std::abs(log) * kMiddle, 0.5);
  Element bar("svg", {{"class", "bar"},
                      {"viewBox", "0 0 100 10"},
                      {"preserveAspectRatio", "none"},
                      {"aria-hidden", "true"}});
  bar.Add(Element("rect", {{"class", fmt::format("fill {}", kind)},
                           {"x", NumberText(log < 0 ? kMiddle - width : kMiddle)},
                           {"width", NumberText(width)},
                           {"height", "10"}}));
  return bar;
}

void AddRow(const ComparedRow& row, std::string_view kind, Table& table) {
  table.Row();
  table.Head(row.figure);
  table.Cell(row.runtime);
  table.Cell(row.ratio ? render::PercentChange(*row.ratio) : "", row.ratio, std::string(kind));
  if (row.ratio) {
    table.Put(Change(*row.ratio, kind), "bars");
  } else {
    table.Cell("");
  }
  table.Cell(render::ValueText(row.base, row.unit), row.base);
  table.Cell(render::ValueText(row.other, row.unit), row.other);
  table.Cell(row.device_id);
  table.Cell(row.reason.value_or(""), std::nullopt, "notes");
}

Element GroupPart(const Comparison& comparison, const VerdictGroup& group, std::size_t number) {
  Element section = Section(fmt::format("group-{}", number), group.title);
  const auto rows = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                  [&](const ComparedRow& row) { return render::IsIn(group, row); });
  Table table(fmt::format("{}: {} figure{}", group.title, rows, rows == 1 ? "" : "s"),
              {"Figure", "Backend", "#Change", "Slower | faster", "#Before", "#After", "Device", "Why"});
  for (const auto& row : comparison.rows) {
    if (render::IsIn(group, row)) AddRow(row, KindOf(group.style), table);
  }
  return std::move(section).With(std::move(table).Done());
}

}  // namespace

std::string ComparisonPage(const Comparison& comparison) {
  const Comparison clean = Cleaned(comparison, kLongestShownBytes);
  const auto verdict = render::VerdictText(clean);
  Element head("header");
  head.Add(Paragraph("brand", "whichgpu compare"));
  head.Add(Element("h1", {}, verdict));
  head.Add(Paragraph("dim", render::ComparedText(clean)));
  for (const auto& [text, style] : render::Meanings(clean, "\u2192", kDash))
    head.Add(Paragraph(style == Style::kDim ? "dim" : "promise", text));
  for (const auto& note : clean.notes) head.Add(Paragraph("warning", note));
  Element main("main");
  main.Add(std::move(head));
  std::size_t number = 0;
  for (const VerdictGroup& group : render::VerdictGroups()) {
    const bool any = std::any_of(clean.rows.begin(), clean.rows.end(),
                                 [&](const ComparedRow& row) { return render::IsIn(group, row); });
    ++number;
    if (any) main.Add(GroupPart(clean, group, number));
  }
  Element foot("footer");
  foot.Add(Facts({fmt::format("whichgpu {}", clean.tool_version), clean.created}));
  foot.Add(Paragraph("dim",
                     "All of it for programs: the JSON in this page's element with the id \"comparison\"."));
  main.Add(std::move(foot));
  return Document("whichgpu compare: " + verdict, std::move(main), "comparison",
                  render::ComparisonObject(comparison));
}

}  // namespace report::html
