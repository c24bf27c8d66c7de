// SPDX-License-Identifier: MIT
#include "report/render/text.h"

#include <cstddef>

#include "report/core/clean.h"
#include "report/core/report_names.h"
#include "report/render/bound.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

// A driver's longest message is for --json; here nothing may push the answer off the screen.
constexpr std::size_t kLongestText = 400;

}  // namespace

std::string Text(const Tables& tables, const Report& report, const TerminalOptions& options) {
  const Report clean = Cleaned(Bounded(report), kLongestText);
  Page page(options);
  Answer(tables, clean, page);
  Devices(clean, page, true);
  Ranking(tables, clean, page);
  NotUsed(tables, clean, page);
  Problems(clean, page);
  AdviceLines(tables, clean, page);
  Foot(clean, page);
  return page.text();
}

std::string ListText(const Tables& tables, const Report& report, const TerminalOptions& options) {
  Report clean = Cleaned(Bounded(report), kLongestText);
  clean.recommendations.clear();
  Page page(options);
  Devices(clean, page, false);
  NotUsed(tables, clean, page);
  Problems(clean, page);
  Foot(clean, page);
  // The first device needs no line between it and the prompt.
  const auto first = page.text().find_first_not_of('\n');
  return first == std::string::npos ? "" : page.text().substr(first);
}

}  // namespace report::render
