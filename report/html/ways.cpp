// SPDX-License-Identifier: MIT
// The ways that were scored, the fastest first: what the terminal's page shows in its table, with all
// columns.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/html/sections.h"
#include "report/render/ranked.h"

namespace report::html {
namespace {

std::string MarkOf(const Report& report, const Score& score) {
  std::vector<std::string> words;
  if (IsNoisy(report, score)) words.emplace_back("noisy");
  if (score.basis == Basis::kEstimated || score.basis == Basis::kAssumed) words.emplace_back("estimated");
  words.insert(words.end(), score.reasons.begin(), score.reasons.end());
  return fmt::format("{}", fmt::join(words, "; "));
}

void Time(const std::optional<Range>& seconds, Table& table) {
  if (seconds) {
    table.Cell(SecondsText(seconds->value), seconds->value);
  } else {
    table.Cell("");
  }
}

void AddRow(const Report& report, const Recommendation* answer, const render::ShownWay& way, Table& table) {
  const Score& score = *way.score;
  const bool whole = score.use == Use::kInference;
  const Range& rate = score.writing_tokens_per_s ? *score.writing_tokens_per_s : *score.tokens_per_s;
  table.Row(render::IsChosen(answer, score));
  table.Cell(render::Place(report, answer, score, way.rank), static_cast<double>(way.rank));
  table.Head(render::WayOf(report, score));
  table.Cell(render::DeviceText(report, way));
  // What is only known within a range is shown as that, once.
  const bool alone = IsRangeAlone(report, score);
  table.Cell(alone ? TokensRangeText(rate, kDash) : TokensText(rate.value), rate.value, "strong");
  table.Cell(alone ? "" : TokensRangeText(rate, kDash), rate.value);
  if (whole) {
    Time(score.first_token_s, table);
    Time(score.request_s, table);
  } else {
    double seconds = 0;
    for (const ScorePart& part : score.parts) seconds += part.seconds;
    table.Cell(seconds > 0 ? SecondsText(seconds) : "", seconds);
  }
  table.Cell(MarkOf(report, score), std::nullopt, "notes");
}

void AddUse(const Tables& tables, const Report& report, Use use, std::string_view heading, Element& section) {
  const auto found = std::find_if(report.recommendations.begin(), report.recommendations.end(),
                                  [&](const Recommendation& of) { return of.use == use; });
  const Recommendation* answer = found == report.recommendations.end() ? nullptr : &*found;
  const auto ways = render::WaysOf(report, render::Ranked(report, answer, use));
  if (ways.empty()) return;
  section.Add(Element("h3", {}, heading));
  std::vector<std::string_view> heads = {"#Place", "Backend", "Device", "#Tokens/s", "#Likely"};
  if (use == Use::kInference) {
    heads.insert(heads.end(), {"#First token", "#In all"});
  } else {
    heads.emplace_back("#A step");
  }
  heads.emplace_back("Notes");
  Table table(render::RequestText(tables.reference, use), heads);
  for (const auto& way : ways) AddRow(report, answer, way, table);
  section.Add(std::move(table).Done());
  if (!answer) return;
  for (const auto& note : render::MarkNotes(*answer)) section.Add(Paragraph("dim", note));
}

}  // namespace

Element WaysPart(const Tables& tables, const Report& report) {
  Element section = Section("ways", "Ways to compute, the fastest first");
  const bool any = std::any_of(report.scores.begin(), report.scores.end(),
                               [](const Score& score) { return score.eligible && score.tokens_per_s; });
  if (!any) return std::move(section).With(Element("p", {}, "None was measured, so that none is ranked."));
  AddUse(tables, report, Use::kInference, "Inference", section);
  AddUse(tables, report, Use::kTraining, "Training", section);
  const bool ranges = std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.eligible && score.tokens_per_s && !IsRangeAlone(report, score);
  });
  section.Add(Paragraph("dim", std::string(ranges ? "Likely: where the true rate lies, with 95 %. " : "") +
                                   "In all: the prompt and the whole output, which orders."));
  return section;
}

}  // namespace report::html
