// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

bool IsChosen(const Recommendation* answer, const Score& score) {
  return answer && answer->backend == score.runtime && answer->device_id == score.device_id &&
         answer->driver == score.driver;
}

std::vector<const Score*> Ranked(const Report& report, const Recommendation* answer, Use use) {
  std::vector<const Score*> scores;
  for (const auto& score : report.scores) {
    if (score.use == use && score.eligible && score.tokens_per_s && score.ranking_tokens_per_s)
      scores.push_back(&score);
  }
  std::stable_sort(scores.begin(), scores.end(), [&](const Score* a, const Score* b) {
    // The chosen one stands before what it ties with.
    if (IsChosen(answer, *a) != IsChosen(answer, *b)) return IsChosen(answer, *a);
    return a->ranking_tokens_per_s->value > b->ranking_tokens_per_s->value;
  });
  return scores;
}

std::string Caption(const ReferenceRequest& reference, Use use) {
  const auto& r = reference.inference;
  if (use == Use::kTraining) {
    return fmt::format("{}, {}, {:.0f} tokens a step", r.model, reference.training.method,
                       reference.training.step_tokens);
  }
  return fmt::format("{} {}, {:.0f} tokens in, {:.0f} out", r.model, r.format, r.prompt_tokens,
                     r.output_tokens);
}

std::string Detail(const ReferenceRequest& reference, const Score& score) {
  if (const auto phases = PhasesOf(reference, score))
    return "first token after " + SecondsText(phases->first_token_s);
  const auto step = std::find_if(score.parts.begin(), score.parts.end(),
                                 [](const ScorePart& part) { return part.name == "step"; });
  return step == score.parts.end() ? "" : SecondsText(step->seconds) + " a step";
}

// The prediction that stands in the row: of a whole request the rate of writing, which people know as
// tokens/s.
const Range& Shown(const Report& report, const Score& score) {
  if (score.use == Use::kInference) {
    for (const auto& other : report.scores) {
      const bool same = other.device_id == score.device_id && other.runtime == score.runtime &&
                        other.driver == score.driver;
      if (same && other.use == Use::kDecode && other.tokens_per_s) return *other.tokens_per_s;
    }
  }
  return *score.tokens_per_s;
}

bool Tied(const Recommendation* answer, const Score& score) {
  if (!answer || answer->tie.empty()) return false;
  const auto name = WayName(score.runtime, score.device_id);
  return name == WayName(answer->backend, answer->device_id) ||
         std::find(answer->tie.begin(), answer->tie.end(), name) != answer->tie.end();
}

constexpr int kRankWidth = 4;  // " 1. "

struct Columns {
  int backend = 0;
  int device = 0;
  int tokens = 0;
};

std::string RateOf(const Report& report, const Score& score) {
  return TokensText(Shown(report, score).value) + " tokens/s";
}

Columns Measure(const Report& report, const std::vector<const Score*>& scores, const Page& page) {
  Columns columns;
  for (const auto* score : scores) {
    columns.tokens = std::max(columns.tokens, DisplayWidth(RateOf(report, *score)));
    columns.backend = std::max(columns.backend, DisplayWidth(score->runtime) + 2);
    const auto* device = FindDevice(report.devices, score->device_id);
    columns.device =
        std::max(columns.device, DisplayWidth(device ? PlainName(device->name) : score->device_id));
  }
  constexpr int kRangeWidth = 14;  // "  2090-3560", and air
  columns.device = std::clamp(page.width() - kRankWidth - columns.backend - columns.tokens - kRangeWidth, 0,
                              columns.device);
  return columns;
}

void Row(const Tables& tables, const Report& report, const Recommendation* answer, const Score& score,
         std::size_t rank, const Columns& columns, Page& page) {
  const auto* device = FindDevice(report.devices, score.device_id);
  const bool tied = Tied(answer, score);
  page.RightTo(3, tied ? "1=" : fmt::format("{}.", rank), Style::kDim).To(kRankWidth);
  page.Add(score.runtime, IsChosen(answer, score) ? Style::kGood : Style::kPlain)
      .To(kRankWidth + columns.backend);
  if (columns.device >= 8) {
    page.Add(Fit(device ? PlainName(device->name) : score.device_id, columns.device, page.options().unicode));
    page.To(kRankWidth + columns.backend + columns.device);
  }
  const auto& range = Shown(report, score);
  page.RightTo(page.column() + 2 + columns.tokens, RateOf(report, score), Style::kStrong);
  page.Add("  ").Add(TokensText(range.low) + std::string(page.signs().dash) + TokensText(range.high),
                     Style::kDim);
  const auto detail = Detail(tables.reference, score);
  if (page.room() < DisplayWidth(detail) + 2) {
    page.End();
    page.To(kRankWidth).Flow(detail, kRankWidth, Style::kDim);
  } else {
    page.Add("  ").Add(detail, Style::kDim);
    page.End();
  }
  for (const auto& reason : score.reasons) page.To(kRankWidth).Flow(reason, kRankWidth + 2, Style::kFair);
}

// What the order and the marks before it say, and what the printed figures hold beside.
void Notes(const Report& report, const Recommendation* answer, const std::vector<const Score*>& scores,
           Page& page) {
  const auto use = scores.front()->use;
  std::string note;
  if (answer && !answer->tie.empty())
    note = "1= measure alike: within 5 %, or inside the error of measuring. ";
  const bool sorted = std::is_sorted(scores.begin(), scores.end(), [&](const Score* a, const Score* b) {
    return Shown(report, *a).value > Shown(report, *b).value;
  });
  if (!sorted && use == Use::kInference)
    note += "Ordered by what was measured, prompt and writing together; ";
  else if (!sorted)
    note += "Ordered by what was measured; ";
  if (note.empty()) return;
  note += sorted ? "The printed predictions also hold assumed software factors."
                 : "the printed predictions also hold assumed software factors.";
  page.To(kRankWidth).Flow(note, kRankWidth, Style::kDim);
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
    const double here = score->ranking_tokens_per_s->value / (*reference)->ranking_tokens_per_s->value;
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
      return fmt::format("not predicted: {}", fmt::join(score.reasons, "; "));
  }
  return "not predicted: nothing was measured";
}

std::string_view TitleOf(Use use) {
  switch (use) {
    case Use::kInference:
      return "Inference";
    case Use::kPrefill:
      return "Reading a prompt";
    case Use::kDecode:
      return "Writing tokens";
    case Use::kTraining:
      return "Training";
  }
  return "";
}

}  // namespace

std::optional<Phases> PhasesOf(const ReferenceRequest& reference, const Score& score) {
  const auto seconds = [&](std::string_view name) {
    const auto found =
        std::find_if(score.parts.begin(), score.parts.end(), [&](const auto& p) { return p.name == name; });
    return found == score.parts.end() ? 0 : found->seconds;
  };
  const double prefill_s = seconds("prefill");
  const double decode_s = seconds("decode");
  const bool known = prefill_s > 0 && decode_s > 0;
  if (!known) return std::nullopt;
  return Phases{prefill_s, reference.inference.output_tokens / decode_s};
}

void Ranking(const Tables& tables, const Report& report, Page& page) {
  std::vector<Use> uses = {Use::kInference, Use::kTraining};
  if (page.options().verbose) uses = {Use::kInference, Use::kPrefill, Use::kDecode, Use::kTraining};
  for (const Use use : uses) {
    const auto answer = std::find_if(report.recommendations.begin(), report.recommendations.end(),
                                     [&](const Recommendation& r) { return r.use == use; });
    const Recommendation* found = answer == report.recommendations.end() ? nullptr : &*answer;
    const auto scores = Ranked(report, found, use);
    if (scores.empty() && !found) continue;
    Heading(page, TitleOf(use), Caption(tables.reference, use));
    if (scores.empty()) {
      page.To(kRankWidth).Flow(Unranked(report, *found), kRankWidth + 2, Style::kFair);
      continue;
    }
    const auto columns = Measure(report, scores, page);
    for (std::size_t i = 0; i < scores.size(); ++i)
      Row(tables, report, found, *scores[i], i + 1, columns, page);
    Notes(report, found, scores, page);
    if (use == Use::kInference) Guides(tables, scores, page);
    if (found && page.options().verbose && !found->reasons.empty()) {
      page.To(kRankWidth).Flow(found->reasons.back(), kRankWidth + 2, Style::kDim);
    }
  }
}

}  // namespace report::render
