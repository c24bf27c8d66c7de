// SPDX-License-Identifier: MIT
#include "report/render/ranked.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/core/devices.h"
#include "report/core/quantity.h"

namespace report::render {

std::string RequestText(const ReferenceRequest& reference, Use use) {
  const auto& r = reference.inference;
  if (use == Use::kTraining)
    return fmt::format("{}, {}, {:.0f} tokens a step", r.model, reference.training.method,
                       reference.training.step_tokens);
  return fmt::format("{} {}, {:.0f} tokens in, {:.0f} out", r.model, r.format, r.prompt_tokens,
                     r.output_tokens);
}

bool IsChosen(const Recommendation* answer, const Score& score) {
  return answer && answer->backend == score.runtime && answer->device_id == score.device_id &&
         answer->driver == score.driver;
}

std::vector<const Score*> Ranked(const Report& report, const Recommendation* answer, Use use) {
  std::vector<const Score*> scores;
  for (const auto& score : report.scores) {
    if (score.use == use && score.eligible && score.tokens_per_s) scores.push_back(&score);
  }
  std::stable_sort(scores.begin(), scores.end(), [&](const Score* a, const Score* b) {
    // The chosen one stands before what it ties with.
    if (IsChosen(answer, *a) != IsChosen(answer, *b)) return IsChosen(answer, *a);
    return a->tokens_per_s->value > b->tokens_per_s->value;
  });
  return scores;
}

std::string Place(const Report& report, const Recommendation* answer, const Score& score, std::size_t rank) {
  if (answer) {
    const auto name = WayName(report.devices, score.device_id, score.runtime, score.driver);
    const auto holds = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    const bool chosen = IsChosen(answer, score);
    if (holds(answer->tie) || (chosen && !answer->tie.empty())) return "1=";
    if (holds(answer->undecided) || (chosen && !answer->undecided.empty())) return "1?";
  }
  return fmt::format("{}.", rank);
}

std::vector<std::string> MarkNotes(const Recommendation& answer) {
  const bool measured = answer.basis == Basis::kMeasured || answer.basis == Basis::kCached;
  std::vector<std::string> notes;
  if (!answer.tie.empty())
    notes.emplace_back(measured ? "1= equal: within 5 %, each measured to 10 %." : "1= equal: within 5 %.");
  if (!answer.undecided.empty()) {
    notes.push_back(fmt::format("1? not told apart: {} is wider than the distance.",
                                measured ? "the error of measuring" : "what facts leave open"));
  }
  return notes;
}

std::string SpeedText(const Report& report, const Score& score, std::string_view dash) {
  const auto& speed = score.writing_tokens_per_s ? score.writing_tokens_per_s : score.tokens_per_s;
  if (!speed) return "";
  return (IsRangeAlone(report, score) ? TokensRangeText(*speed, dash) : TokensText(speed->value)) +
         " tokens/s";
}

std::string WayOf(const Report& report, const Score& score) {
  return RuntimeName(report.devices, score.device_id, score.runtime, score.driver);
}

}  // namespace report::render
