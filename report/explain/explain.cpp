// SPDX-License-Identifier: MIT
#include "report/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "probe/core/names.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"

namespace report::explain {
namespace {

std::string Equation(const ReferenceRequest& request, const Score& score) {
  const auto& r = request.inference;
  const auto part = [&](std::size_t i) { return score.parts[i].seconds; };
  switch (score.use) {
    case Use::kInference:
      return fmt::format("{} prefill + {:.0f} x {}", SecondsText(part(0)), r.output_tokens,
                         SecondsText(part(1) / r.output_tokens));
    case Use::kPrefill:
      return fmt::format("{:.0f} / {}", r.prompt_tokens, SecondsText(part(0)));
    case Use::kDecode:
      return fmt::format("1 / {}", SecondsText(part(0)));
    case Use::kTraining:
      if (score.parts.size() == 1)
        return fmt::format("{:.0f} / {} a step", request.training.step_tokens, SecondsText(part(0)));
      return fmt::format("{:.0f} / ({} a step + {} from the host)", request.training.step_tokens,
                         SecondsText(part(0)), SecondsText(part(1)));
  }
  return "";
}

// Of a whole request the time that it takes: tokens/s are those of one phase.
std::string Prediction(const Score& score) {
  if (!score.request_s) return TokensText(*score.tokens_per_s);
  const auto& range = *score.request_s;
  return fmt::format("{} a request [{} - {}]", SecondsText(range.value), SecondsText(range.low),
                     SecondsText(range.high));
}

// The part that takes longest first.
std::string Limits(std::vector<ScorePart> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ScorePart& a, const ScorePart& b) { return a.seconds > b.seconds; });
  std::string text = parts.front().name + " limited by " + parts.front().limited_by;
  for (std::size_t i = 1; i < parts.size(); ++i)
    text.append(", ").append(parts[i].name).append(" by ").append(parts[i].limited_by);
  return text;
}

// Of the figures that a score may rest on, the least sure.
std::string_view WorstQuality(const Report& report, const Score& score) {
  auto worst = backends::Quality::kGood;
  for (const Side side : {Side::kOwn, Side::kRest}) {
    for (const auto* m : FiguresBehind(report, score, side))
      worst = std::max(worst, m->quality.value_or(worst));
  }
  return probe::NameOf(worst);
}

}  // namespace

std::string OneLine(const Tables& tables, const Report& report, const Score& score) {
  const std::size_t parts = score.use == Use::kInference || score.streamed_bytes ? 2 : 1;
  if (!score.tokens_per_s || score.parts.size() != parts) return "";
  const auto trust = score.basis == Basis::kEstimated
                         ? std::string("estimated from facts")
                         : fmt::format("{}, {}", probe::NameOf(score.basis), WorstQuality(report, score));
  return fmt::format(
      "{} on {}: {} = {}; {}; {}", RuntimeName(report.devices, score.device_id, score.runtime, score.driver),
      score.device_id, Prediction(score), Equation(tables.reference, score), Limits(score.parts), trust);
}

void Explain(const Tables& tables, Report& report) {
  report.findings = Findings(tables, report);
  for (auto& answer : report.recommendations) {
    const auto chosen = std::find_if(report.scores.begin(), report.scores.end(), [&](const Score& score) {
      return score.use == answer.use && score.device_id == answer.device_id &&
             score.runtime == answer.backend && score.driver == answer.driver;
    });
    if (chosen == report.scores.end()) continue;
    if (auto line = OneLine(tables, report, *chosen); !line.empty()) answer.arithmetic = std::move(line);
  }
}

}  // namespace report::explain
