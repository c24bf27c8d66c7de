// SPDX-License-Identifier: MIT
#include "report/targets/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "report/core/architecture.h"
#include "report/core/date.h"
#include "report/core/devices.h"
#include "report/core/wording.h"
#include "report/targets/build.h"
#include "report/targets/supposed.h"

namespace report::targets {
namespace {

constexpr std::chrono::days kOldDays{180};  // after which a table is called old

bool IsOlder(const std::string& version, const std::string& than) {
  return !version.empty() && !than.empty() && CompareVersions(version, than) < 0;
}

auto NearnessOf(const Verdict& verdict) {
  return std::tuple{verdict.is_meant, verdict.is_here, !verdict.is_outgrown, verdict.reached};
}

// "PyTorch has no build for SYCL on OpenCL"
std::string NoBuildText(const Tables& tables, const TargetTable& target, const probe::View& view) {
  const std::string& runtime = view.device.runtime;
  const auto* facts = Find(tables, runtime);
  const auto below = facts ? StandsOnOf(*facts, view) : std::nullopt;
  const bool is_elsewhere = below && std::any_of(target.builds.begin(), target.builds.end(),
                                                 [&](const Build& one) { return one.through == runtime; });
  return fmt::format("{} has no build for {}{}{}", target.title, Title(tables, runtime),
                     is_elsewhere ? " on " + Title(tables, *below) : "",
                     target.absent ? ": " + *target.absent : "");
}

// The nearest of the builds of the runtime: what its first unmet condition is. "" where one fits. One that is
// for such devices is nearer than any that is not, however far that came: a C library can be newer.
Unfit WhyNone(const Tables& tables, const Report& report, const Machine& machine, const Way& way, Use use) {
  const TargetTable& target = TargetOf(report);
  Unfit nearest;
  Verdict of_nearest{Step::kMachine, false, false};
  bool has_any = false;
  for (const Build& build : target.builds) {
    if (!Serves(tables, build, way.view)) continue;
    has_any = true;
    if (!IsFor(target, build, use)) continue;
    auto verdict = Judge(tables, build, machine, way, report.terms.policy);
    const bool fits = verdict.misfit.empty();
    if (fits) verdict.misfit = WhyExcluded(report.terms, build);
    if (verdict.misfit.empty()) return {};
    // Of several that want a newer driver or runtime, the one that is content with the oldest.
    const auto reaches = NearnessOf(verdict);
    const auto reached = NearnessOf(of_nearest);
    const bool is_nearer =
        reaches > reached || (reaches == reached && (IsOlder(verdict.driver, of_nearest.driver) ||
                                                     IsOlder(verdict.api, of_nearest.api)));
    if (!nearest.why.empty() && !is_nearer) continue;
    nearest.why = fmt::format("{}'s {} {}", target.title, build.id, verdict.misfit);
    nearest.can_be_mended = verdict.is_meant;
    nearest.option = fits ? "--exclude" : "--target";
    of_nearest = std::move(verdict);
  }
  if (!nearest.why.empty()) return nearest;
  if (has_any)
    return {fmt::format("{} has nothing by {} that {}", target.title, Title(tables, way.view.device.runtime),
                        use == Use::kTraining ? "trains models" : "runs models")};
  return {NoBuildText(tables, target, way.view)};
}

void JudgeWay(const Tables& tables, const Machine& machine, const std::string& device_id, const Way& way,
              Report& report) {
  const std::array<Unfit, 2> why = {WhyNone(tables, report, machine, way, Use::kInference),
                                    WhyNone(tables, report, machine, way, Use::kTraining)};
  report.terms.unfit[{device_id, way.view.device.runtime, way.view.device.driver}] = why;
}

// The other GPUs that the backend reaches and the terms leave: what an installation meets beside the
// answer's.
using Others = std::vector<std::pair<const probe::PhysicalDevice*, const probe::View*>>;
Others OthersOf(const Report& report, const Recommendation& answer) {
  Others others;
  std::set<std::string_view> seen = {answer.device_id};
  for (const auto& device : report.devices) {
    if (!IsGpu(device) || device.parent_id || report.terms.excluded_ids.contains(device.id)) continue;
    for (const auto& view : device.views) {
      if (view.device.runtime == answer.backend && !IsSoftware(device, view) && seen.insert(device.id).second)
        others.emplace_back(&device, &view);
    }
  }
  return others;
}

Others NotCovered(const Tables& tables, const Report& report, const Machine& machine, const Build& build,
                  const probe::View& own, const Others& others) {
  const bool for_one = IsForOneArchitecture(build);
  Others left;
  std::copy_if(others.begin(), others.end(), std::back_inserter(left), [&](const auto& other) {
    const auto& [device, view] = other;
    return (for_one && view->device.architecture != own.device.architecture) ||
           !Judge(tables, build, machine, WayOf(*device, *view), report.terms.policy).misfit.empty();
  });
  return left;
}

struct Choice {
  const Build* build = nullptr;
  Others not_covered{};
  std::vector<std::string> unknown{};
  std::vector<std::string>
      passed_over{};  // better builds: "PyTorch's cu132 needs driver 580 or newer, and here is 550"
};

Choice Choose(const Tables& tables, const Report& report, const Recommendation& answer, const Way& way) {
  const TargetTable& target = TargetOf(report);
  const auto machine = MachineOf(report);
  const auto others = OthersOf(report, answer);
  Choice chosen;
  std::vector<std::string> passed_over;
  for (const Build& build : target.builds) {
    if (!Serves(tables, build, way.view) || !IsFor(target, build, answer.use)) continue;
    auto verdict = Judge(tables, build, machine, way, report.terms.policy);
    if (verdict.misfit.empty()) verdict.misfit = WhyExcluded(report.terms, build);
    if (!verdict.misfit.empty()) {
      // Those of other machines are no alternative that anybody would ask about.
      const bool is_near = verdict.reached != Step::kMachine && !chosen.build;
      if (is_near) passed_over.push_back(fmt::format("{}'s {} {}", target.title, build.id, verdict.misfit));
      continue;
    }
    auto not_covered = NotCovered(tables, report, machine, build, way.view, others);
    if (chosen.build && !not_covered.empty()) continue;
    chosen = {&build, std::move(not_covered), std::move(verdict.unknown)};
    if (chosen.not_covered.empty()) break;
  }
  chosen.passed_over = std::move(passed_over);
  return chosen;
}

void WarnOfAge(const Report& report, const std::string& date, Recommendation& answer) {
  const auto then = DayOf(date);
  const auto now = DayOf(std::string_view(report.created).substr(0, date.size()));
  if (!then || !now || *now - *then <= kOldDays) return;
  answer.warnings.push_back(fmt::format(
      "what is known of {} is {} days old (of {}): there may be newer builds; a newer version of this "
      "program or --tables DIR brings newer tables",
      TargetOf(report).title, (*now - *then).count(), date));
}

// A backend of the program for the answer's GPU, or for one beside a processor that is the answer, of which
// this build has no module to look, and that it may or does run by.
void WarnOfUnseen(const Tables& tables, const Report& report, Recommendation& answer) {
  const auto* own = FindDevice(report.devices, answer.device_id);
  std::set<std::string> told;
  for (const Build& build : TargetOf(report).builds) {
    const auto* facts = Find(tables, build.backend);
    if (!facts || !facts->vendor || !IsFor(TargetOf(report), build, answer.use) ||
        !IsUnknownHere(tables, report, build.backend) || !told.insert(build.backend).second)
      continue;
    for (const auto& device : report.devices) {
      const auto vendor = VendorOf(device);
      const bool asks = own && (own->id == device.id || own->kind == probe::DeviceKind::kCpu);
      if (!asks || !IsGpu(device) || !vendor || !IsOfVendor(*facts, *vendor)) continue;
      auto view = OfRuntime(build.backend);
      if (auto architecture = ArchitectureOf(*facts, device); !architecture.empty()) {
        view.device.architecture = std::move(architecture);
        if (!WhyNone(tables, report, MachineOf(report), WayOf(device, view), answer.use).why.empty())
          continue;
      }
      answer.warnings.push_back(
          NotLookedForText(TargetOf(report), build, *facts, DeviceName(report.devices, device.id)));
      answer.confidence = Confidence::kLow;
      break;
    }
  }
}

// The program's own variable for the backend, where nobody knows the device's number for it.
void WarnOfNumber(const Tables& tables, const Report& report, Recommendation& answer) {
  const auto& target = TargetOf(report);
  if (!target.visible) return;
  for (const ProgramVisibility& own : *target.visible) {
    const bool is_set = std::any_of(answer.environment.begin(), answer.environment.end(),
                                    [&](const Selection& one) { return one.name == own.variable; });
    if (own.backend != answer.backend || is_set) continue;
    answer.warnings.push_back(fmt::format(
        "{} numbers {}'s devices itself, and the number of {} is not certain here: set {} to the one that it "
        "lists the device by",
        target.title, Title(tables, own.backend), DeviceName(report.devices, answer.device_id),
        own.variable));
  }
}

// What is left of a row's texts would be another command.
void WarnOfUnfilled(const Build& build, Recommendation& answer) {
  const auto place = UnfilledPlace(build, answer);
  if (place.empty()) return;
  constexpr std::string_view kVisible = "{visible}";
  answer.warnings.push_back(
      fmt::format("{} has no command here: its table has the place {}, and {} is not known", build.id, place,
                  place == kVisible ? "what selects the device" : "the device's architecture"));
  answer.command.reset();
  answer.artefact->requirements.clear();
  answer.artefact->cmake.clear();
  answer.artefact->options.emplace();  // none is wanted: one empty line
}

// What a build wants for a runtime beside the one that shows the device is there where that shows it, too, by
// a driver that the program computes by.
void ForgetWhatIsThere(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                       const Build& build, Artefact& artefact) {
  const auto& target = TargetOf(report);
  const auto machine = MachineOf(report);
  const bool is_there = std::any_of(device.views.begin(), device.views.end(), [&](const auto& view) {
    if (view.device.runtime != build.through || IsSupposed(view)) return false;
    return std::any_of(target.builds.begin(), target.builds.end(), [&](const Build& other) {
      return other.backend == *build.through &&
             Judge(tables, other, machine, WayOf(device, view), report.terms.policy).misfit.empty();
    });
  });
  if (is_there) artefact.missing.clear();
}

void WarnOfChoice(const Tables& tables, const Report& report, const Choice& choice, Recommendation& answer) {
  for (const auto& [device, view] : choice.not_covered)
    answer.left_out.push_back(DeviceName(report.devices, device->id));
  if (!answer.left_out.empty())
    answer.warnings.push_back(fmt::format("{} does not cover {}: keep the program to the answer's device{}",
                                          choice.build->id, fmt::join(answer.left_out, ", "),
                                          KeptBy(tables, answer)));
  if (!choice.unknown.empty()) {
    answer.warnings.push_back(fmt::format("{} of this machine {} not known: taken to be enough for {}",
                                          fmt::join(choice.unknown, " and "),
                                          choice.unknown.size() == 1 ? "is" : "are", choice.build->id));
    if (answer.confidence == Confidence::kHigh) answer.confidence = Confidence::kMedium;
  }
  WarnOfAge(report, choice.build->date.value_or(TargetOf(report).date), answer);
}

// What is compiled here is compiled for the GPUs that the build covers: a compiler may not know the others.
void LeaveOutArchitectures(const Tables& tables, const Report& report, const Choice& choice,
                           const probe::View& own, Recommendation& answer) {
  const auto* facts = Find(tables, answer.backend);
  if (!facts || !facts->target || choice.not_covered.empty()) return;
  const auto text = [&](const probe::View& view) {
    return ArchitectureText(*facts->target, view.device.architecture, Reader::kCMake);
  };
  const auto& left_out = choice.not_covered;
  std::set<std::string> covered = {text(own)};
  for (const auto& other : OthersOf(report, answer)) {
    if (std::find(left_out.begin(), left_out.end(), other) == left_out.end())
      covered.insert(text(*other.second));
  }
  for (const auto& other : left_out) {
    const auto architecture = text(*other.second);
    if (!covered.contains(architecture)) std::erase(answer.architectures, architecture);
  }
}

}  // namespace

void JudgeWays(const Tables& tables, Report& report) {
  const auto machine = MachineOf(report);
  // What is left to answer where nothing else is, be it shown or not.
  const auto processor = OfRuntime(kProcessorRuntime);
  JudgeWay(tables, machine, std::string(kProcessorId), {.view = processor}, report);
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) JudgeWay(tables, machine, device.id, WayOf(device, view), report);
    if (device.kind != probe::DeviceKind::kCpu || HasViewBy(device, kProcessorRuntime)) continue;
    JudgeWay(tables, machine, device.id, {.view = processor}, report);
  }
}

void AddArtefact(const Tables& tables, bool all_asked, const Report& report, Recommendation& answer) {
  answer.target = TargetOf(report).name;
  answer.gpu_builds = BuildsOfGpus(tables, report, answer.use);
  const auto* device = FindDevice(report.devices, answer.device_id);
  const auto* view = device ? FindView(*device, answer.backend, answer.driver.value_or("")) : nullptr;
  const auto by_runtime = OfRuntime(answer.backend);
  const auto way = view ? WayOf(*device, *view) : Way{.view = by_runtime};
  const auto choice = Choose(tables, report, answer, way);
  if (!choice.build) return;
  LeaveOutArchitectures(tables, report, choice, way.view, answer);
  answer.artefact = ArtefactOf(TargetOf(report), *choice.build, answer);
  if (device && choice.build->through)
    ForgetWhatIsThere(tables, report, *device, *choice.build, *answer.artefact);
  if (report.host.container && answer.artefact->image)
    answer.artefact->missing.emplace_back(
        "Docker, on the host: this is a container, which has none of its own");
  answer.command = CommandOf(*choice.build, *answer.artefact, answer);
  WarnOfUnfilled(*choice.build, answer);
  WarnOfNumber(tables, report, answer);
  const auto* facts = Find(tables, answer.backend);
  if (facts && view && IsSupposed(*view) && view->matched_by != kUnseen)
    TellBeyond(report, *view, OwnText(report, TargetOf(report), *choice.build, *facts, *view), answer);
  for (const std::string& misfit : choice.passed_over)
    answer.reasons.push_back({ReasonId::kBuildPassedOver, misfit});
  WarnOfChoice(tables, report, choice, answer);
  WarnOfUnused(tables, report, answer);
  if (all_asked) WarnOfUnseen(tables, report, answer);
}

}  // namespace report::targets
