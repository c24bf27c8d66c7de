// SPDX-License-Identifier: MIT
#include "report/render/steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "probe/core/add_once.h"
#include "report/core/devices.h"
#include "report/core/not_measurable.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"

namespace report::render {

std::string CommandLine(const Report& report, const Fix& fix) {
  if (!fix.command || !fix.needs_root) return fix.command.value_or("");
  constexpr std::string_view kThen = " && ";
  std::string line = report.as_root + " " + *fix.command;
  for (auto at = line.find(kThen); at != std::string::npos; at = line.find(kThen, at + kThen.size()))
    line.insert(at + kThen.size(), report.as_root + " ");
  return line;
}

FixKey KeyOf(const Fix& fix) { return {fix.text, fix.command.value_or("")}; }

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
        const bool wanted = usable      ? finding.id.starts_with("missing.") && IsAbout(finding, device.id)
                            : of_device ? IsAbout(finding, device.id)
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

namespace {

struct SharedFix {
  std::vector<const probe::PhysicalDevice*> gpus;  // that it mends
  const Fix* fix;
};

// Once by the name that several have, where it mends all of those; else each with its id.
std::vector<std::string> NamesOfMended(const Report& report, const SharedFix& shared) {
  std::map<std::string_view, std::size_t> missing;  // GPUs of a name that it does not mend
  for (const auto& device : report.devices) {
    if (IsGpu(device)) ++missing[device.name];
  }
  for (const auto* gpu : shared.gpus) --missing[gpu->name];
  std::vector<std::string> names;
  std::set<std::string_view> told;
  for (const auto* gpu : shared.gpus) {
    if (missing[gpu->name] > 0)
      names.push_back(DeviceName(report.devices, gpu->id));
    else if (told.insert(gpu->name).second)
      names.push_back(PlainName(gpu->name));
  }
  return names;
}

std::vector<SharedFix> FixesByGpus(const Report& report) {
  std::vector<SharedFix> shared;
  for (const auto& [gpu, fix] : FixesOfGpus(report)) {
    const auto known = std::find_if(shared.begin(), shared.end(),
                                    [key = KeyOf(*fix)](const auto& one) { return KeyOf(*one.fix) == key; });
    if (known == shared.end())
      shared.push_back({{gpu}, fix});
    else
      known->gpus.push_back(gpu);
  }
  return shared;
}

// What is longer is asked for where it can be copied.
constexpr std::size_t kLongCommand = 120;

// What asks for a program's answer once more, of the machine that this report is of.
std::string Asking(const Recommendation& answer, const Program& program) {
  const auto use = program.is_of_use ? fmt::format(" --for {}", probe::NameOf(answer.use)) : "";
  return fmt::format("whichgpu recommend{} --target {}{}", use, program.target,
                     answer.basis == Basis::kAssumed ? " with the same --assume" : "");
}

// `fixed_first`: a step before it makes a GPU usable, with which the answer may be another.
NextStep StepOf(const Tables& tables, const Recommendation& answer, const Program& program,
                bool fixed_first) {
  if (!program.artefact)
    return {fmt::format("{}: no answer: {}", program.title, program.reason.value_or("")), ""};
  auto text =
      fmt::format("{}: {}its build {}", program.title, fixed_first ? "until then " : "", *program.artefact);
  if (program.backend && program.backend != answer.backend) {
    text += fmt::format(" by {}{}", Title(tables, *program.backend),
                        LooksFor(tables, *program.backend) ? "" : ", which this version does not measure");
  }
  if (!program.left_out.empty()) text += fmt::format(", not for {}", fmt::join(program.left_out, ", "));
  for (const auto& limit : program.limits) text += "; " + limit;
  if (!program.command || program.command->size() > kLongCommand)
    return {fmt::format("{} (see {})", text, Asking(answer, program)), ""};
  NextStep step{std::move(text), *program.command, "", Asking(answer, program)};
  if (program.missing) step.needs = fmt::format("{}", fmt::join(*program.missing, "; "));
  return step;
}

}  // namespace

NextStep WithNeeds(NextStep step) {
  if (!step.needs.empty()) step.text += "; it needs " + step.needs;
  return step;
}

std::vector<NextStep> StepsForGpus(const Report& report, const FixKeys& told) {
  std::vector<NextStep> steps;
  for (const SharedFix& shared : FixesByGpus(report)) {
    if (told.contains(KeyOf(*shared.fix))) continue;
    const auto names = NamesOfMended(report, shared);
    probe::AddOnce(NextStep{fmt::format("{}: {}", fmt::join(names, ", "), shared.fix->text),
                            CommandLine(report, *shared.fix)},
                   steps);
  }
  return steps;
}

std::vector<NextStep> StepsForHidden(const Tables& tables, const Report& report) {
  std::vector<NextStep> steps;
  for (const Finding& finding : report.findings) {
    // What hides a device that is shown is that device's finding.
    const auto* facts = finding.runtime && !finding.device_id ? Find(tables, *finding.runtime) : nullptr;
    const bool hides = finding.id == fmt::format("runtime.{}.{}", finding.runtime.value_or(""),
                                                 probe::NameOf(probe::Outcome::kHidden));
    if (!facts || !facts->vendor || !hides || finding.fix.empty()) continue;
    const Fix& fix = finding.fix.front();
    probe::AddOnce(NextStep{fmt::format("{}: {}", facts->title, fix.text), CommandLine(report, fix)}, steps);
  }
  return steps;
}

std::vector<NextStep> StepsOfAnswers(const Tables& tables, const Report& report) {
  std::vector<NextStep> steps;
  // A step that only a phantom has makes nothing usable.
  const auto fixes = FixesOfGpus(report);
  // What may be there needs no renting, and an accelerator for such work is no less than a GPU.
  const auto trains = [](const probe::PhysicalDevice& device) {
    const auto why = WhyNotMeasurable(device);
    return IsGpu(device) || (why && why->what == probe::Purpose::kAiAccelerator);
  };
  const bool gpu = std::any_of(report.devices.begin(), report.devices.end(), trains) ||
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
    const auto* own = FindDevice(report.devices, answer.device_id);
    // With another like the answer's own it stays what it is.
    const bool fixed_first = std::any_of(fixes.begin(), fixes.end(), [&](const GpuFix& one) {
      const bool is_like = own && own != one.gpu && PlainName(own->name) == PlainName(one.gpu->name);
      return one.gpu->hardware && !is_like;
    });
    if (answer.programs) {
      for (const Program& program : *answer.programs)
        probe::AddOnce(StepOf(tables, answer, program, fixed_first), steps);
    }
    if (gpu || !facts->advice.without_gpu || &answer != &report.recommendations.back()) continue;
    for (const auto& line : *facts->advice.without_gpu) probe::AddOnce(NextStep{line, ""}, steps);
  }
  return steps;
}

std::vector<const Finding*> AlikeAfter(const Report& report, const Finding& finding) {
  std::vector<const Finding*> alike;
  const auto* device = finding.device_id ? FindDevice(report.devices, *finding.device_id) : nullptr;
  if (!device) return alike;
  const auto kind = [](const Finding& of) { return std::string_view(of.id).substr(0, of.id.find('.')); };
  const auto fix = [](const Finding& of) {
    return of.fix.empty() ? std::string_view() : of.fix.front().text;
  };
  for (const auto* other = &finding + 1; other != report.findings.data() + report.findings.size(); ++other) {
    const auto* another = other->device_id ? FindDevice(report.devices, *other->device_id) : nullptr;
    const bool same = kind(*other) == kind(finding) && other->runtime == finding.runtime &&
                      other->severity == finding.severity && other->meaning == finding.meaning &&
                      fix(*other) == fix(finding);
    if (same && another && another != device && AreEqualGpus(*another, *device)) alike.push_back(other);
  }
  return alike;
}

}  // namespace report::render
