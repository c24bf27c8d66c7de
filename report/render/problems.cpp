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

#include "data/runtimes/runtimes.h"

#include "probe/core/add_once.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

bool IsShown(const Finding& finding, const Page& page) {
  return finding.severity != Severity::kNote || page.options().verbose;
}

// Ways that were scored and lost stand in the ranking.
bool IsRanked(const Report& report, const Rejected& option) {
  return std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.eligible && score.device_id == option.device_id && score.runtime == option.runtime &&
           score.driver == option.driver;
  });
}

// A finding below tells of this way or this runtime in full.
bool IsTold(const Report& report, const std::optional<std::string>& device_id,
            const std::optional<std::string>& runtime, const Page& page) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
    return IsShown(finding, page) && finding.device_id == device_id && finding.runtime == runtime;
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

struct Line {
  std::string label;
  std::string reason;
  std::set<std::string> device_ids;  // of equal devices, of which one speaks for all
};

// Figures differ from one of several equal devices to the next; what they mean does not.
std::string WithoutFigures(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

bool SaysTheSame(const Line& a, const Line& b) {
  return a.label == b.label && WithoutFigures(a.reason) == WithoutFigures(b.reason);
}

std::vector<Line> Lines(const Report& report, const Page& page) {
  std::vector<Line> lines;
  for (const auto& answer : report.recommendations) {
    for (const auto& option : answer.rejected) {
      if (IsRanked(report, option) || IsTold(report, option.device_id, option.runtime, page)) continue;
      const bool first = &answer == &report.recommendations.front();
      if (!first && IsRejected(report, option)) continue;
      Line line{Label(report, option), option.reason, {option.device_id.value_or("")}};
      const auto told = std::find_if(lines.begin(), lines.end(),
                                     [&](const Line& known) { return SaysTheSame(known, line); });
      if (told == lines.end()) {
        lines.push_back(std::move(line));
      } else {
        told->device_ids.merge(line.device_ids);
      }
    }
  }
  std::map<std::string, int> told;
  for (const Line& line : lines) ++told[line.label];
  for (Line& line : lines) {
    const auto& id = *line.device_ids.begin();
    if (told[line.label] > 1 && !id.empty()) line.label += " (" + id + ")";
    if (line.device_ids.size() > 1) line.reason += fmt::format("; {} more alike", line.device_ids.size() - 1);
  }
  return lines;
}

// As it is typed.
std::string CommandLine(const Report& report, const Fix& fix) {
  if (!fix.command || !fix.needs_root) return fix.command.value_or("");
  constexpr std::string_view kThen = " && ";
  std::string line = report.as_root + " " + *fix.command;
  for (auto at = line.find(kThen); at != std::string::npos; at = line.find(kThen, at + kThen.size()))
    line.insert(at + kThen.size(), report.as_root + " ");
  return line;
}

struct NextStep {
  std::string text;
  std::string command;
  bool operator==(const NextStep&) const = default;
};

// What is printed once, however many findings it mends.
using FixKeys = std::set<std::pair<std::string, std::string>>;
std::pair<std::string, std::string> KeyOf(const Fix& fix) { return {fix.text, fix.command.value_or("")}; }

struct GpuFix {
  const probe::PhysicalDevice* gpu;
  const Fix* fix;
};

// What makes a GPU usable that is not, and brings a card the runtime that is made for it.
std::vector<GpuFix> FixesOfGpus(const Report& report) {
  std::vector<GpuFix> fixes;
  for (const auto& device : report.devices) {
    if (!IsGpu(device)) continue;
    const bool not_asked = report.not_asked.device_ids.contains(device.id);
    const bool usable = std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
      return score.eligible && score.device_id == device.id;
    });
    const auto fixing = [&](bool of_device) {
      return std::find_if(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
        const bool wanted = usable      ? finding.id.starts_with("missing.") && finding.device_id == device.id
                            : of_device ? finding.device_id == device.id
                                        : finding.severity != Severity::kNote && !finding.device_id;
        return wanted && finding.changes_answer && !finding.fix.empty();
      });
    };
    auto found = fixing(true);
    if (found == report.findings.end() && !usable && !not_asked) found = fixing(false);
    if (found != report.findings.end()) fixes.push_back({&device, &found->fix.front()});
  }
  return fixes;
}

struct SharedFix {
  std::vector<std::string> names;  // of the GPUs that it mends
  const Fix* fix;
};

std::vector<SharedFix> FixesByGpus(const Report& report) {
  std::vector<SharedFix> shared;
  for (const auto& [gpu, fix] : FixesOfGpus(report)) {
    const auto known = std::find_if(shared.begin(), shared.end(),
                                    [key = KeyOf(*fix)](const auto& one) { return KeyOf(*one.fix) == key; });
    const auto name = PlainName(gpu->name);
    if (known == shared.end()) {
      shared.push_back({{name}, fix});
    } else if (std::find(known->names.begin(), known->names.end(), name) == known->names.end()) {
      known->names.push_back(name);
    }
  }
  return shared;
}

// The same of other GPUs that are equal to the finding's, or that what was set for this program hides as
// well: one line tells of all. With --verbose each is told.
std::vector<const Finding*> AlikeAfter(const Report& report, const Finding& finding) {
  std::vector<const Finding*> alike;
  const auto* device = finding.device_id ? FindDevice(report.devices, *finding.device_id) : nullptr;
  if (!device) return alike;
  const auto kind = [](const Finding& of) { return std::string_view(of.id).substr(0, of.id.find('.')); };
  const auto fix = [](const Finding& of) {
    return of.fix.empty() ? std::string_view() : of.fix.front().text;
  };
  const bool is_set = finding.layer == "programming_interface";
  for (const auto* other = &finding + 1; other != report.findings.data() + report.findings.size(); ++other) {
    const auto* another = other->device_id ? FindDevice(report.devices, *other->device_id) : nullptr;
    const bool same = kind(*other) == kind(finding) && other->runtime == finding.runtime &&
                      other->severity == finding.severity && other->meaning == finding.meaning &&
                      fix(*other) == fix(finding);
    const bool is_of_both = is_set && other->layer == finding.layer;
    if (same && another && another != device && (is_of_both || AreEqualGpus(*another, *device)))
      alike.push_back(other);
  }
  return alike;
}

}  // namespace

void NotUsed(const Tables& tables, const Report& report, Page& page) {
  const auto lines = Lines(report, page);
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
    if (IsTold(report, std::nullopt, probe.module, page)) continue;
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
    if (!IsShown(finding, page) || told.contains(&finding)) continue;
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

namespace {

// What is longer is asked for where it can be copied.
constexpr std::size_t kLongCommand = 120;

// `fixed_first`: a step before it makes a GPU usable, with which the answer may be another.
NextStep StepOf(const Tables& tables, const Recommendation& answer, const Program& program,
                bool fixed_first) {
  if (!program.artefact)
    return {fmt::format("{}: no answer: {}", program.title, program.reason.value_or("")), ""};
  auto text =
      fmt::format("{}: {}its build {}", program.title, fixed_first ? "until then " : "", *program.artefact);
  if (program.backend && program.backend != answer.backend) {
    const auto here = data::RuntimesOfThisBuild();
    const bool is_measured = std::find(here.begin(), here.end(), *program.backend) != here.end();
    text += fmt::format(" by {}{}", Title(tables, *program.backend),
                        is_measured ? "" : ", which this version does not measure");
  }
  if (!program.left_out.empty()) text += fmt::format(", not for {}", fmt::join(program.left_out, ", "));
  if (!program.command || program.command->size() > kLongCommand)
    return {fmt::format("{} (see whichgpu recommend --target {})", text, program.target), ""};
  if (program.missing) text += fmt::format("; it needs {}", fmt::join(*program.missing, "; "));
  return {std::move(text), *program.command};
}

}  // namespace

void AdviceLines(const Tables& tables, const Report& report, Page& page) {
  std::vector<NextStep> steps;
  for (const auto& [names, fix] : FixesByGpus(report))
    probe::AddOnce(
        NextStep{fmt::format("{}: {}", fmt::join(names, ", "), fix->text), CommandLine(report, *fix)}, steps);
  // A step that only a phantom has makes nothing usable.
  const auto fixes = FixesOfGpus(report);
  const bool fixed_first = std::any_of(fixes.begin(), fixes.end(),
                                       [](const GpuFix& one) { return one.gpu->hardware.has_value(); });
  // What may be there needs no renting.
  const bool gpu = std::any_of(report.devices.begin(), report.devices.end(), IsGpu) ||
                   report.other_gpus != OtherGpus::kNone || !report.hidden_gpus.empty() ||
                   !WhyNotLooked(report).empty();
  for (const auto& answer : report.recommendations) {
    const auto* facts = Find(tables, answer.backend);
    if (!facts) continue;
    for (const Selection& variable : answer.environment) {
      if (variable.selects != Selects::kDriver) continue;
      probe::AddOnce(
          NextStep{fmt::format("of its drivers for {} take {}", facts->title, answer.driver.value_or("")),
                   fmt::format("export {}={}", variable.name, variable.value)},
          steps);
    }
    if (answer.programs) {
      for (const Program& program : *answer.programs)
        probe::AddOnce(StepOf(tables, answer, program, fixed_first), steps);
    }
    if (gpu || !facts->advice.without_gpu || &answer != &report.recommendations.back()) continue;
    for (const auto& line : *facts->advice.without_gpu) probe::AddOnce(NextStep{line, ""}, steps);
  }
  if (steps.empty()) return;
  Heading(page, "Next", "");
  for (const auto& step : steps) {
    page.To(2).Add(page.signs().arrow, Style::kGood).Add(" ").Flow(step.text, 5);
    if (!step.command.empty()) page.Command(step.command, 5);
  }
}

}  // namespace report::render
