// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/render/ranked.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

std::string Detail(const Report& report, const Score& score, const Page& page) {
  if (score.writing_tokens_per_s && score.first_token_s) {
    return fmt::format("{}, first token after {}", SpeedText(report, score, page.signs().dash),
                       SecondsText(score.first_token_s->value));
  }
  if (score.use != Use::kTraining) return "";
  double step_s = 0;
  for (const ScorePart& part : score.parts) step_s += part.seconds;
  return step_s == 0 ? "" : SecondsText(step_s) + " a step";
}

// The prediction by which the row stands where it does: of a whole request the time that it takes, so that
// tokens/s always are those of writing.
struct Prediction {
  std::string value;
  std::string likely;  // "" where the value is that range, for no more is known
};
Prediction Shown(const Report& report, const Score& score, const Page& page) {
  const auto dash = page.signs().dash;
  const bool alone = IsRangeAlone(report, score);
  if (const auto& time = score.request_s) {
    auto range = SecondsText(time->low).append(dash) + SecondsText(time->high);
    return alone ? Prediction{std::move(range), ""} : Prediction{SecondsText(time->value), std::move(range)};
  }
  auto range = TokensRangeText(*score.tokens_per_s, dash);
  return {SpeedText(report, score, dash), alone ? "" : std::move(range)};
}

constexpr int kRankWidth = 4;  // " 1. "

struct Columns {
  int backend = 0;
  int device = 0;
  int tokens = 0;
};

Columns Measure(const Report& report, const std::vector<const Score*>& scores, const Page& page) {
  Columns columns;
  for (const auto* score : scores) {
    columns.tokens = std::max(columns.tokens, DisplayWidth(Shown(report, *score, page).value));
    columns.backend = std::max(columns.backend, DisplayWidth(WayOf(report, *score)) + 2);
    columns.device = std::max(columns.device, DisplayWidth(DeviceName(report.devices, score->device_id)));
  }
  constexpr int kRangeWidth = 14;  // "  2090-3560", and air
  columns.device = std::clamp(page.width() - kRankWidth - columns.backend - columns.tokens - kRangeWidth, 0,
                              columns.device);
  return columns;
}

void Row(const Report& report, const Recommendation* answer, const Score& score, std::size_t rank,
         const Columns& columns, Page& page) {
  page.RightTo(3, Place(report, answer, score, rank), Style::kDim).To(kRankWidth);
  page.Add(WayOf(report, score), IsChosen(answer, score) ? Style::kGood : Style::kPlain)
      .To(kRankWidth + columns.backend);
  if (columns.device >= 8) {
    page.Add(Fit(DeviceName(report.devices, score.device_id), columns.device, page.options().unicode));
    page.To(kRankWidth + columns.backend + columns.device);
  }
  const auto shown = Shown(report, score, page);
  page.RightTo(page.column() + 2 + columns.tokens, shown.value, Style::kStrong);
  if (!shown.likely.empty()) page.Add("  ").Add(shown.likely, Style::kDim);
  const auto detail = Detail(report, score, page);
  if (page.room() < DisplayWidth(detail) + 2) {
    page.End();
    page.To(kRankWidth).Flow(detail, kRankWidth, Style::kDim);
  } else {
    page.Add("  ").Add(detail, Style::kDim);
    page.End();
  }
  for (const Reason& reason : score.reasons)
    page.To(kRankWidth).Flow(reason.text, kRankWidth + 2, Style::kFair);
}

void Notes(const Recommendation* answer, Page& page) {
  if (!answer) return;
  for (const auto& note : MarkNotes(*answer)) page.To(kRankWidth).Flow(note, kRankWidth, Style::kDim);
}

// What guides claim of a runtime beside what was measured on the same device.
void Guides(const Tables& tables, const std::vector<const Score*>& scores, Page& page) {
  for (const auto* score : scores) {
    const auto* facts = Find(tables, score->runtime);
    if (!facts || !facts->guides || score->basis == Basis::kEstimated) continue;
    const auto& claim = *facts->guides;
    const auto reference = std::find_if(scores.begin(), scores.end(), [&](const Score* other) {
      return other->runtime == claim.relative_to && other->device_id == score->device_id;
    });
    if (reference == scores.end()) continue;
    const double here = score->tokens_per_s->value / (*reference)->tokens_per_s->value;
    page.To(kRankWidth)
        .Flow(fmt::format("Guides say {} reaches {:.0f}{}{:.0f} % of {}; here it measures {}.",
                          score->runtime, claim.low * 100, page.signs().dash, claim.high * 100,
                          claim.relative_to, PercentText(here)),
              kRankWidth, Style::kDim);
  }
}

// Why nothing is ranked for the use: what became of the way that is recommended all the same.
std::string Unranked(const Report& report, const Recommendation& answer) {
  for (const auto& score : report.scores) {
    if (score.use == answer.use && IsChosen(&answer, score) && !score.reasons.empty())
      return fmt::format("not predicted: {}", Joined(score.reasons));
  }
  if (std::none_of(report.measurements.begin(), report.measurements.end(), IsVerified))
    return "not predicted: nothing was measured";
  // What was measured is of no use for it.
  for (const auto& option : answer.rejected) {
    if (option.device_id && option.runtime)
      return fmt::format("not predicted: {} on {}: {}", *option.runtime,
                         DeviceName(report.devices, *option.device_id), option.cause);
  }
  return "not predicted";
}

constexpr std::array<std::pair<Use, std::string_view>, 4> kTitles = {{{Use::kInference, "Inference"},
                                                                      {Use::kPrefill, "Reading a prompt"},
                                                                      {Use::kDecode, "Writing tokens"},
                                                                      {Use::kTraining, "Training"}}};

}  // namespace

void Ranking(const Tables& tables, const Report& report, Page& page) {
  for (const auto& row : kTitles) {
    const Use use = row.first;
    if ((use == Use::kPrefill || use == Use::kDecode) && !page.options().verbose) continue;
    const auto answer = std::find_if(report.recommendations.begin(), report.recommendations.end(),
                                     [&](const Recommendation& r) { return r.use == use; });
    const Recommendation* found = answer == report.recommendations.end() ? nullptr : &*answer;
    const auto scores = Ranked(report, found, use);
    if (scores.empty() && !found) continue;
    Heading(page, row.second,
            (use == Use::kInference ? "a whole request: " : "") + RequestText(tables.reference, use));
    if (scores.empty()) {
      page.To(kRankWidth).Flow(Unranked(report, *found), kRankWidth + 2, Style::kFair);
      continue;
    }
    const auto columns = Measure(report, scores, page);
    for (std::size_t i = 0; i < scores.size(); ++i) Row(report, found, *scores[i], i + 1, columns, page);
    Notes(found, page);
    if (use == Use::kInference) Guides(tables, scores, page);
    if (found && page.options().verbose && found->arithmetic) {
      page.To(kRankWidth).Flow(*found->arithmetic, kRankWidth + 2, Style::kDim);
    }
  }
}

}  // namespace report::render
