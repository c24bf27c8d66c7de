// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
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
#include "report/render/not_used.h"
#include "report/render/sections.h"
#include "report/render/steps.h"

namespace report::render {
namespace {

bool IsShown(const Finding& finding, bool verbose) { return finding.severity != Severity::kNote || verbose; }

// Ways that were scored and lost stand in the ranking.
bool IsRanked(const Report& report, const Rejected& option) {
  return std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.eligible && score.device_id == option.device_id && score.runtime == option.runtime &&
           score.driver == option.driver;
  });
}

// A finding below tells of this way or this runtime in full.
bool IsTold(const Report& report, const std::optional<std::string>& device_id,
            const std::optional<std::string>& runtime, bool verbose) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
    const bool is_of = device_id ? IsAbout(finding, *device_id) : !finding.device_id;
    return IsShown(finding, verbose) && is_of && finding.runtime == runtime;
  });
}

std::string Label(const Report& report, const Rejected& option) {
  const auto* device = option.device_id ? FindDevice(report.devices, *option.device_id) : nullptr;
  auto name = device ? PlainName(device->name) : option.device_id.value_or("");
  if (!option.runtime) return name;
  const bool several = report.devices.size() > 1 && !name.empty();
  return several ? *option.runtime + " on " + name : *option.runtime;
}

// By the first answer already: the other uses only repeat it.
bool IsRejected(const Report& report, const Rejected& option) {
  const auto& rejected = report.recommendations.front().rejected;
  return std::any_of(rejected.begin(), rejected.end(), [&](const Rejected& other) {
    return other.device_id == option.device_id && other.runtime == option.runtime &&
           other.driver == option.driver;
  });
}

// Another use's answer is of the runtime.
bool IsAnAnswer(const Report& report, const Rejected& option) {
  const auto& answers = report.recommendations;
  return std::any_of(answers.begin(), answers.end(),
                     [&](const auto& answer) { return answer.backend == option.runtime; });
}

// Figures differ from one of several equal devices to the next; what they mean does not.
std::string WithoutFigures(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

bool SaysTheSame(const NotUsedLine& a, const NotUsedLine& b) {
  return a.label == b.label && WithoutFigures(a.reason) == WithoutFigures(b.reason);
}

}  // namespace

std::vector<NotUsedLine> NotUsedLines(const Report& report, bool verbose) {
  std::vector<NotUsedLine> lines;
  for (const auto& answer : report.recommendations) {
    for (const auto& option : answer.rejected) {
      if (IsRanked(report, option) || IsTold(report, option.device_id, option.runtime, verbose)) continue;
      const bool first = &answer == &report.recommendations.front();
      if (!first && IsRejected(report, option)) continue;
      if (!option.device_id && IsAnAnswer(report, option)) continue;
      NotUsedLine line{Label(report, option), option.reason, {option.device_id.value_or("")}};
      if (option.driver) line.drivers.insert(*option.driver);
      const auto told = std::find_if(lines.begin(), lines.end(),
                                     [&](const NotUsedLine& known) { return SaysTheSame(known, line); });
      if (told == lines.end()) {
        lines.push_back(std::move(line));
      } else {
        told->device_ids.merge(line.device_ids);
        told->drivers.merge(line.drivers);
      }
    }
  }
  struct Alike {
    int lines = 0;
    std::set<std::string> device_ids, drivers;
  };
  std::map<std::string, Alike> alike;
  for (const NotUsedLine& line : lines) {
    Alike& all = alike[line.label];
    ++all.lines;
    all.device_ids.insert(line.device_ids.begin(), line.device_ids.end());
    all.drivers.insert(line.drivers.begin(), line.drivers.end());
  }
  for (NotUsedLine& line : lines) {
    const auto& id = *line.device_ids.begin();
    const Alike& all = alike[line.label];
    std::vector<std::string> apart;
    if (all.lines > 1 && all.device_ids.size() > 1 && !id.empty()) apart.push_back(id);
    if (all.drivers.size() > 1 && all.device_ids.size() == 1)
      apart.insert(apart.end(), line.drivers.begin(), line.drivers.end());
    if (!apart.empty()) line.label += fmt::format(" ({})", fmt::join(apart, ", "));
    if (line.device_ids.size() > 1) line.reason += fmt::format("; {} more alike", line.device_ids.size() - 1);
  }
  return lines;
}

// How a runtime's module calls it that no machine of this system has the runtime: nobody misses it.
constexpr std::string_view kOfOtherSystems = "other_system";

void NotUsed(const Tables& tables, const Report& report, Page& page) {
  const auto lines = NotUsedLines(report, page.options().verbose);
  if (!lines.empty()) {
    Heading(page, "Not used", "");
    int label = 0;
    for (const auto& line : lines) label = std::max(label, DisplayWidth(line.label));
    const bool table = label + 4 <= page.width() / 3;
    for (const auto& line : lines) {
      page.To(2).Add(line.label, Style::kPlain);
      if (table) {
        page.To(label + 4).Flow(line.reason, label + 4, Style::kDim);
      } else {
        page.Add(": ").Flow(line.reason, 4, Style::kDim);
      }
    }
  }
  if (!report.recommendations.empty()) return;
  // `list` recommends nothing: what the runtimes said is told as it is.
  bool heading = false;
  for (const auto& probe : report.probes) {
    if (!Find(tables, probe.module) || probe.outcome == probe::Outcome::kOk || IsUntold(probe)) continue;
    if (probe.error && probe.error->name == kOfOtherSystems) continue;
    if (IsTold(report, std::nullopt, probe.module, page.options().verbose)) continue;
    if (!std::exchange(heading, true)) Heading(page, "Not available", "");
    page.To(2).Flow(OutcomeText(tables, probe), 4);
  }
  // With --verbose the finding says it.
  const auto left_out = report.not_asked.device_ids.size();
  if (left_out == 0 || page.options().verbose) return;
  Heading(page, "Not asked", "");
  page.To(2).Flow(fmt::format("{} GPU{}: {}", left_out, left_out == 1 ? "" : "s", report.not_asked.because),
                  4);
}

namespace {

// Those that stand above or are to come under Next are not said twice.
void Fixes(const Report& report, const Finding& finding, const FixKeys& next, FixKeys& above, Page& page) {
  std::set<std::string_view> elsewhere;
  for (const Fix& fix : finding.fix) {
    const auto key = KeyOf(fix);
    const bool comes_next = next.contains(key);
    if (comes_next || !above.insert(key).second) {
      elsewhere.insert(comes_next ? "see Next" : "as above");
      continue;
    }
    page.To(4).Add(page.signs().arrow, Style::kGood).Add(" ");
    page.Flow(fix.text, 7);
    if (fix.command) page.Command(CommandLine(report, fix), 7);
  }
  for (const auto where : elsewhere) page.To(4).Add(page.signs().arrow, Style::kGood).Add(" ").Flow(where, 7);
}

}  // namespace

void Problems(const Report& report, bool before_next, Page& page) {
  bool heading = false;
  std::set<const Finding*> told;
  FixKeys next;
  FixKeys above;
  for (const GpuFix& step : before_next ? FixesOfGpus(report) : std::vector<GpuFix>())
    next.insert(KeyOf(*step.fix));
  for (const auto& finding : report.findings) {
    if (!IsShown(finding, page.options().verbose) || told.contains(&finding)) continue;
    const auto alike = page.options().verbose ? std::vector<const Finding*>() : AlikeAfter(report, finding);
    told.insert(alike.begin(), alike.end());
    if (!std::exchange(heading, true)) Heading(page, "Worth fixing", "");
    const bool note = finding.severity == Severity::kNote;
    page.To(2).Add(note ? page.signs().dot : page.signs().cross, note ? Style::kDim : Style::kBad).Add(" ");
    page.Flow(finding.summary, 4);
    if (!alike.empty()) page.To(4).Flow(fmt::format("{} more alike", alike.size()), 4, Style::kDim);
    if (!finding.meaning.empty()) page.To(4).Flow(finding.meaning, 4, Style::kDim);
    Fixes(report, finding, next, above, page);
    if (!page.options().verbose) continue;
    for (const auto& evidence : finding.evidence) {
      page.To(4).Flow(fmt::format("{}: {}", evidence.source, evidence.value), 6, Style::kDim);
    }
  }
}

void AdviceLines(const Tables& tables, const Report& report, Page& page) {
  auto steps = StepsForGpus(report);
  for (auto& step : StepsOfAnswers(tables, report)) probe::AddOnce(std::move(step), steps);
  if (steps.empty()) return;
  Heading(page, "Next", "");
  for (const auto& step : steps) {
    page.To(2).Add(page.signs().arrow, Style::kGood).Add(" ").Flow(WithNeeds(step).text, 5);
    if (!step.command.empty()) page.Command(step.command, 5);
  }
}

}  // namespace report::render
