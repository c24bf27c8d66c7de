// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_fields.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

std::string DeviceName(const Report& report, const std::string& id) {
  const auto* device = FindDevice(report.devices, id);
  return device && !device->name.empty() ? PlainName(device->name) : id;
}

// The sentence of one answer: "Use cuda on NVIDIA GeForce RTX 4090: 312 tokens/s inference, 99 training".
void Use(const Report& report, const Recommendation& answer, const std::string& rest, Page& page) {
  constexpr int kIndent = 2;
  constexpr int kLongestName = 60;
  page.Add("Use ").Add(answer.backend, Style::kGood).Add(" on");
  const auto name = Fit(DeviceName(report, answer.device_id), kLongestName, page.options().unicode);
  page.FlowOn(" " + name + (answer.tokens_per_s ? ":" : ";"), kIndent, Style::kStrong);
  const auto use = std::string(probe::NameOf(answer.use));
  if (!answer.tokens_per_s) {
    const bool some = std::any_of(report.measurements.begin(), report.measurements.end(), IsVerified);
    return page.Flow(some ? " its speed is not known" : " nothing was measured", kIndent);
  }
  page.FlowOn(" " + TokensText(answer.tokens_per_s->value) + " tokens/s", kIndent, Style::kStrong);
  page.Flow(" " + use + rest, kIndent);
}

bool SameWay(const Recommendation& a, const Recommendation& b) {
  return a.backend == b.backend && a.device_id == b.device_id && a.driver == b.driver;
}

// The reasons but for the last, which is the arithmetic and stands with the ranking.
std::string Because(const Recommendation& answer) {
  const bool has_line = answer.tokens_per_s && answer.reasons.size() > 1;
  const std::size_t count = answer.reasons.size() - (has_line ? 1 : 0);
  const std::vector<std::string> reasons(answer.reasons.begin(),
                                         answer.reasons.begin() + static_cast<std::ptrdiff_t>(count));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

void Answer(const Report& report, Page& page) {
  if (report.recommendations.empty()) {
    page.Flow(report.interrupted ? "No answer: the run was interrupted before there was one"
                                 : "No answer was asked for",
              0, Style::kStrong);
    return;
  }
  const auto& first = report.recommendations.front();
  std::string also;
  for (const auto& other : report.recommendations) {
    if (&other == &first || !SameWay(first, other) || !other.tokens_per_s) continue;
    also += ", " + TokensText(other.tokens_per_s->value) + " " + std::string(probe::NameOf(other.use));
  }
  Use(report, first, also, page);
  page.Add("because ", Style::kDim).Flow(Because(first), 0);
  for (const auto& other : report.recommendations) {
    if (SameWay(first, other)) continue;
    Use(report, other, "", page);
    page.Add("because ", Style::kDim).Flow(Because(other), 0);
  }
  std::vector<std::string> warnings;
  for (const auto& answer : report.recommendations) {
    for (const auto& warning : answer.warnings) {
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
    }
  }
  for (const auto& warning : warnings) page.Add(page.signs().warning, Style::kFair).Add(" ").Flow(warning, 2);
}

void Foot(const Report& report, Page& page) {
  for (const auto& warning : report.warnings) {
    if (&warning == &report.warnings.front()) page.Blank();
    page.Add(page.signs().warning, Style::kFair).Add(" ").Flow(warning, 2);
  }
  page.Blank();
  std::vector<std::string> facts = {"whichgpu " + report.tool_version};
  for (const auto& fact : {report.host.os, report.host.kernel, std::optional(report.host.architecture),
                           report.host.container, std::optional(report.created)}) {
    if (fact && !fact->empty()) facts.push_back(*fact);
  }
  page.FlowList(facts, 2, Style::kDim);
}

void Heading(Page& page, std::string_view title, std::string_view caption) {
  page.Blank();
  page.Add(title, Style::kStrong);
  if (caption.empty()) return page.End();
  page.Add("  ");
  const int indent = page.column();
  page.Flow(caption, indent, Style::kDim);
}

}  // namespace report::render
