// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/add_once.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/render/ranked.h"
#include "report/render/sections.h"
#include "report/render/told.h"

namespace report::render {
namespace {

bool HasVerified(const Report& report) {
  return std::any_of(report.measurements.begin(), report.measurements.end(), IsVerified);
}

// What one answer promises: "120 tokens/s", "first token after 82 ms", or "training 2590 tokens/s".
std::vector<std::string> Promises(const Report& report, const Recommendation& answer, std::string_view dash) {
  const auto* score = ScoreOf(report, answer);
  if (!answer.tokens_per_s || !score || answer.nothing_fits) return {};
  const std::string use(probe::NameOf(answer.use));
  // Where nothing was measured a warning says it of all.
  const bool alone = score->basis == Basis::kEstimated && HasVerified(report);
  const auto speed = SpeedText(report, *score, dash) + (alone ? " (estimated)" : "");
  if (score->writing_tokens_per_s && score->first_token_s)
    return {speed, "first token after " + SecondsText(score->first_token_s->value)};
  return {use + " " + speed};
}

// The sentence of one answer: "Use cuda on GeForce RTX 4090: 120 tokens/s, first token after 82 ms". The
// first promise is marked; none is broken over two lines where it fits one.
void Promise(const ToldAnswer& told, Page& page) {
  if (!told.nothing_fits.empty()) return page.Flow(told.nothing_fits, 2, Style::kStrong);
  constexpr int kIndent = 2;
  constexpr int kLongestName = 60;
  const auto& promises = told.promises;
  page.Add("Use ").Add(told.way, Style::kGood).Add(" on");
  const auto name = Fit(told.device, kLongestName, page.options().unicode);
  page.FlowOn(" " + name + (promises.empty() ? ";" : ":"), kIndent, Style::kStrong);
  if (promises.empty()) return page.Flow(" " + told.instead, kIndent);
  for (const auto& promise : promises) {
    const bool first = &promise == &promises.front();
    const std::string text = promise + (&promise == &promises.back() ? "" : ",");
    if (page.column() + 1 + DisplayWidth(text) > page.prose_width()) {
      page.End();
      page.To(kIndent);
    } else {
      page.Add(" ");
    }
    page.FlowOn(text, kIndent, first ? Style::kStrong : Style::kPlain);
  }
  page.End();
}

std::string Capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

// Whether not all that equal the answer's device do the work as it does: others hold the memory of one, or it
// failed.
bool HasLesserEqual(const Report& report, const Recommendation& answer, const probe::PhysicalDevice& device,
                    std::size_t equal) {
  const auto* own = ScoreOf(report, answer);
  if (!own) return true;
  const auto alike = std::count_if(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    const bool is_way = score.use == own->use && score.runtime == own->runtime && score.driver == own->driver;
    const auto* other = is_way ? FindDevice(report.devices, score.device_id) : nullptr;
    return other && (other == &device || AreEqualGpus(*other, device)) && score.eligible == own->eligible &&
           score.fits == own->fits && (score.on_host_bytes == 0) == (own->on_host_bytes == 0);
  });
  return static_cast<std::size_t>(alike) < equal;
}

// "one of 8 NVIDIA H100": its figures are of no more. Which one, where another is not as good.
std::string DeviceOf(const Report& report, const Recommendation& answer) {
  const auto* device = FindDevice(report.devices, answer.device_id);
  const auto equal = device ? CountEqualGpus(report.devices, *device) : 0;
  const auto name = DeviceName(report.devices, answer.device_id);
  if (equal < 2) return name;
  const auto one = fmt::format("one of {} {}", equal, PlainName(device->name));
  return HasLesserEqual(report, answer, *device, equal) ? fmt::format("{}, {}", one, answer.device_id) : one;
}

}  // namespace

std::vector<std::string> ReasonsBeside(const Recommendation& answer) {
  std::vector<std::string> reasons;
  for (const Reason& reason : answer.reasons) {
    using enum ReasonId;
    const bool compares = reason.id == kFaster || reason.id == kAhead || reason.id == kEqual;
    if (reason.id != kOneOfSeveral && !(answer.nothing_fits && compares)) reasons.push_back(reason.text);
  }
  return reasons;
}

namespace {

bool SameWay(const Recommendation& a, const Recommendation& b) {
  return a.backend == b.backend && a.device_id == b.device_id && a.driver == b.driver;
}

}  // namespace

std::vector<ToldAnswer> TellAnswers(const Report& report, std::string_view dash) {
  std::vector<ToldAnswer> told;
  const bool some = HasVerified(report);
  for (const auto& answer : report.recommendations) {
    auto promises = Promises(report, answer, dash);
    const bool merges = !told.empty() && !answer.nothing_fits && !told.front().answer->nothing_fits;
    if (merges && SameWay(*told.front().answer, answer)) {
      for (auto& promise : promises) told.front().promises.push_back(std::move(promise));
      continue;
    }
    told.push_back({&answer,
                    RuntimeName(report.devices, answer.device_id, answer.backend, answer.driver.value_or("")),
                    DeviceOf(report, answer), std::move(promises),
                    some ? "its speed is not known" : "nothing was measured",
                    Capitalised(NothingFitsText(report, answer))});
  }
  return told;
}

namespace {

// What several answers say of one memory in their words is one sentence: of this answer's, the first of them.
// "" of the others'.
std::string InAllWords(const Report& report, const Recommendation& own, const Warning& warning) {
  std::vector<const Score*> scores;
  for (const auto& answer : report.recommendations) {
    const bool says = std::any_of(answer.warnings.begin(), answer.warnings.end(), [&](const Warning& other) {
      return other.kind == WarningKind::kMemoryUntold && other.subject == warning.subject;
    });
    const auto* score = says ? ScoreOf(report, answer) : nullptr;
    if (score == nullptr) continue;
    if (scores.empty() && &answer != &own) return "";
    scores.push_back(score);
  }
  return scores.size() < 2 ? warning.text : UntoldMemoryText(report, scores);
}

}  // namespace

std::vector<std::string> WarningsOfAnswers(const Report& report) {
  std::vector<std::string> warnings;
  std::vector<std::string> of_estimates;
  for (const auto& answer : report.recommendations) {
    for (const Warning& warning : answer.warnings) {
      auto text =
          warning.kind == WarningKind::kMemoryUntold ? InAllWords(report, answer, warning) : warning.text;
      if (text.empty()) continue;
      probe::AddOnce(std::move(text), warning.kind == WarningKind::kEstimated ? of_estimates : warnings);
    }
  }
  for (std::string& text : of_estimates) probe::AddOnce(std::move(text), warnings);
  return warnings;
}

std::size_t WarningsOfEstimates(const Report& report) {
  std::set<std::string_view> texts;
  for (const auto& answer : report.recommendations) {
    for (const Warning& warning : answer.warnings) {
      if (warning.kind == WarningKind::kEstimated) texts.insert(warning.text);
    }
  }
  return texts.size();
}

std::string_view WithoutAnswer(const Report& report) {
  if (!report.interrupted) return "No answer was asked for";
  const bool has_ways = std::any_of(report.scores.begin(), report.scores.end(),
                                    [](const Score& score) { return score.tokens_per_s.has_value(); });
  return has_ways ? "No answer: the run was interrupted before all that decides it was measured"
                  : "No answer: the run was interrupted before there was one";
}

void Answer(const Report& report, std::size_t most_reasons, std::size_t most_warnings, Page& page) {
  if (report.recommendations.empty()) return page.Flow(WithoutAnswer(report), 0, Style::kStrong);
  std::vector<std::string> told_before;
  for (const ToldAnswer& told : TellAnswers(report, page.signs().dash)) {
    Promise(told, page);
    auto sentences = ReasonsBeside(*told.answer);
    sentences.resize(std::min(most_reasons, sentences.size()));
    if (!sentences.empty() && sentences != told_before)
      page.Add("because ", Style::kDim).Flow(fmt::format("{}", fmt::join(sentences, "; ")), 0);
    told_before = std::move(sentences);
  }
  auto warnings = WarningsOfAnswers(report);
  warnings.resize(std::min(most_warnings, warnings.size()));
  for (const auto& warning : warnings) page.Add(page.signs().warning, Style::kFair).Add(" ").Flow(warning, 2);
}

std::vector<std::string> FootFacts(const Report& report) {
  std::vector<std::string> facts = {"whichgpu " + report.tool_version};
  if (report.measured) facts.push_back("measured " + AgoText(*report.measured, report.created));
  for (const auto& fact : {report.host.os, report.host.kernel, std::optional(report.host.architecture),
                           report.host.container, std::optional(report.created)}) {
    if (fact && !fact->empty()) facts.push_back(*fact);
  }
  return facts;
}

void Foot(const Report& report, Page& page) {
  for (const auto& warning : report.warnings) {
    if (&warning == &report.warnings.front()) page.Blank();
    page.Add(page.signs().warning, Style::kFair).Add(" ").Flow(warning.text, 2);
  }
  page.Blank();
  page.FlowList(FootFacts(report), 2, Style::kDim);
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
