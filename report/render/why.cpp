// SPDX-License-Identifier: MIT
// `recommend --why`: what, why, what limits it, what to do, and what else there is.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/core/clean.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/render/bound.h"
#include "report/render/faces.h"
#include "report/render/page.h"
#include "report/render/ranked.h"
#include "report/render/steps.h"
#include "report/render/told.h"

namespace report::render {
namespace {

constexpr int kIndent = 7;  // behind the longest label

// Its first line follows the label, later ones stand below it.
void Part(std::string_view label, const std::vector<std::string>& lines, Page& page) {
  for (const std::string& line : lines) {
    if (&line == &lines.front()) page.Add(label, Style::kDim);
    page.To(kIndent).Flow(line, kIndent);
  }
}

std::string_view PhaseOf(const ScorePart& part) {
  if (part.name == "prefill") return "the prompt";
  if (part.name == "decode") return "writing";
  return part.name;
}

// "writing, 887 ms: memory read 925 GB/s (92 % of the peak)", the longest part first.
std::vector<std::string> Limits(const Score* score) {
  if (score == nullptr) return {};
  auto parts = score->parts;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ScorePart& a, const ScorePart& b) { return a.seconds > b.seconds; });
  std::vector<std::string> lines;
  for (const ScorePart& part : parts)
    lines.push_back(fmt::format("{}, {}: {}", PhaseOf(part), SecondsText(part.seconds), part.limited_by));
  return lines;
}

// What the reader is to do, each command on a line of its own.
void Do(const Tables& tables, const Report& report, const Recommendation& answer, Page& page) {
  std::vector<NextStep> steps;
  if (answer.command) steps.push_back({"get the build", *answer.command});
  for (auto& step : StepsForGpus(report)) steps.push_back(std::move(step));
  for (auto& step : StepsForHidden(tables, report)) steps.push_back(std::move(step));
  for (auto& step : StepsOfAnswers(tables, report)) steps.push_back(std::move(step));
  for (const NextStep& step : steps) {
    if (&step == &steps.front()) page.Add("Do", Style::kDim);
    page.To(kIndent).Flow(WithNeeds(step).text, kIndent);
    if (!step.command.empty()) page.Command(step.command, kIndent);
  }
}

// "vulkan on GeForce RTX 4090, 139 tokens/s: slower: it measures 94 % of the speed of cuda"
void Else(const Report& report, Use use, const std::vector<Rejected>& rejected, Page& page) {
  std::vector<std::string> lines;
  for (const Rejected& option : rejected) {
    const auto driver = option.driver.value_or("");
    std::string name = option.runtime ? *option.runtime : DeviceName(report.devices, *option.device_id);
    if (option.runtime && option.device_id) {
      name = fmt::format("{} on {}", RuntimeName(report.devices, *option.device_id, *option.runtime, driver),
                         DeviceName(report.devices, *option.device_id));
      const auto* score = FindScore(report, use, *option.device_id, *option.runtime, driver);
      const auto speed = score && score->eligible ? SpeedText(report, *score, page.signs().dash) : "";
      if (!speed.empty()) name += ", " + speed;
    }
    lines.push_back(fmt::format("{}: {}", name, option.reason));
  }
  Part("Else", lines, page);
}

void Build(const Recommendation& answer, Page& page) {
  if (!answer.artefact) return;
  const auto& artefact = *answer.artefact;
  std::vector<std::string> lines = {fmt::format("{}'s {} ({}; {})", answer.target.value_or(""), artefact.id,
                                                artefact.source, artefact.date)};
  if (artefact.note) lines.push_back(*artefact.note);
  for (const std::string& missing : artefact.missing) lines.push_back("it needs: " + missing);
  Part("Build", lines, page);
}

}  // namespace

std::string Why(const Tables& tables, const Report& dirty, const TerminalOptions& options) {
  const Report report = Cleaned(Bounded(dirty), kLongestShownBytes);
  Page page(options);
  if (report.no_answer) {
    page.Flow(NoAnswerText(*report.no_answer), 2, Style::kStrong);
    Else(report, report.no_answer->use, report.no_answer->rejected, page);
  }
  if (report.recommendations.empty()) return page.text();
  const auto& answer = report.recommendations.front();
  const auto told = TellAnswers(report, page.signs().dash);
  const auto& first = told.front();
  page.Flow(!first.nothing_fits.empty()
                ? first.nothing_fits
                : fmt::format("{} on {}: {}", first.way, first.device,
                              first.promises.empty() ? first.instead
                                                     : fmt::format("{}", fmt::join(first.promises, ", "))),
            2, Style::kStrong);
  page.To(kIndent).Flow(
      fmt::format("{}, confidence {}", probe::NameOf(answer.basis), probe::NameOf(answer.confidence)),
      kIndent, Style::kDim);
  for (const Warning& warning : answer.warnings) {
    if (warning.kind == WarningKind::kNothingFits) continue;  // the first line is it
    page.Add(page.signs().warning, Style::kFair).To(kIndent).Flow(warning.text, kIndent);
  }
  Part("Why", {answer.reasons.begin(), answer.reasons.end()}, page);
  Part("Limit", Limits(ScoreOf(report, answer)), page);
  Build(answer, page);
  Do(tables, report, answer, page);
  Else(report, answer.use, answer.rejected, page);
  return page.text();
}

}  // namespace report::render
