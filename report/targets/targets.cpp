// SPDX-License-Identifier: MIT
#include "report/targets/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "report/core/architecture.h"
#include "report/core/date.h"
#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/quantity.h"
#include "report/core/unreached.h"
#include "report/core/wording.h"
#include "report/targets/build.h"
#include "report/targets/supposed.h"

namespace report::targets {
namespace {

constexpr std::chrono::days kOldDays{180};  // after which a table is called old

const TargetTable& TargetOf(const Report& report) { return *report.terms.target; }

probe::View OfRuntime(std::string_view runtime) {
  probe::View view;
  view.device.runtime = runtime;
  return view;
}

bool IsOlder(const std::string& version, const std::string& than) {
  return !version.empty() && !than.empty() && CompareVersions(version, than) < 0;
}

auto NearnessOf(const Verdict& verdict) {
  return std::tuple{verdict.is_meant, verdict.is_here, !verdict.is_outgrown, verdict.reached};
}

// The nearest of the builds of the runtime: what its first unmet condition is. "" where one fits. One that is
// for such devices is nearer than any that is not, however far that came: a C library can be newer.
Unfit WhyNone(const Tables& tables, const Report& report, const Machine& machine, const Way& way, Use use) {
  const TargetTable& target = TargetOf(report);
  const std::string& runtime = way.view.device.runtime;
  std::string nearest;
  Verdict of_nearest{Step::kMachine, false, false};
  bool has_any = false;
  for (const Build& build : target.builds) {
    if (build.backend != runtime) continue;
    has_any = true;
    if (!IsFor(target, build, use)) continue;
    auto verdict = Judge(tables, build, machine, way, report.terms.policy);
    if (verdict.misfit.empty()) return {};
    // Of several that want a newer driver or runtime, the one that is content with the oldest.
    const auto reaches = NearnessOf(verdict);
    const auto reached = NearnessOf(of_nearest);
    const bool is_nearer =
        reaches > reached || (reaches == reached && (IsOlder(verdict.driver, of_nearest.driver) ||
                                                     IsOlder(verdict.api, of_nearest.api)));
    if (!nearest.empty() && !is_nearer) continue;
    nearest = fmt::format("{}'s {} {}", target.title, build.id, verdict.misfit);
    of_nearest = std::move(verdict);
  }
  if (!nearest.empty()) return {nearest, of_nearest.is_meant};
  const auto title = Title(tables, runtime);
  if (has_any)
    return {fmt::format("{} has nothing by {} that {}", target.title, title,
                        use == Use::kTraining ? "trains models" : "runs models")};
  return {fmt::format("{} has no build for {}{}", target.title, title,
                      target.absent ? ": " + *target.absent : "")};
}

bool HasViewBy(const probe::PhysicalDevice& device, std::string_view runtime) {
  return std::any_of(device.views.begin(), device.views.end(),
                     [&](const probe::View& view) { return view.device.runtime == runtime; });
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
    if (build.backend != answer.backend || !IsFor(target, build, answer.use)) continue;
    auto verdict = Judge(tables, build, machine, way, report.terms.policy);
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

// That the program has nothing for a way to the GPU that the caller asks for; "" where it has, or nothing
// reaches the GPU.
std::string WhyUnfit(const Report& report, const probe::PhysicalDevice& device, Use use) {
  for (const auto& view : device.views) {
    const auto found = report.terms.unfit.find({device.id, view.device.runtime, view.device.driver});
    if (found == report.terms.unfit.end() || IsSoftware(device, view) || !IsLeft(report.terms, device, view))
      continue;
    if (const auto& why = found->second[use == Use::kTraining ? 1 : 0].why; !why.empty()) return why;
  }
  return "";
}

// That the program has something for a way to the GPU, and that this way does not work; "" where none is so.
std::string WhyMeantWayFails(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                             const Recommendation& answer) {
  for (const Rejected& option : answer.rejected) {
    if (option.device_id != device.id || option.id != ReasonId::kUnusable || !option.runtime) continue;
    const auto found = report.terms.unfit.find({device.id, *option.runtime, option.driver.value_or("")});
    if (found != report.terms.unfit.end() && found->second[answer.use == Use::kTraining ? 1 : 0].why.empty())
      return fmt::format("by {} {}", Title(tables, *option.runtime), option.cause);
  }
  return "";
}

// What is wrong with the GPU itself, and what became of its maker's runtime; "" of one that is an option.
std::string WhyUnreached(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                         const Recommendation& answer) {
  std::vector<std::string> why;
  for (const Rejected& option : answer.rejected) {
    if (option.device_id == device.id && !option.runtime) why.push_back(option.reason);
  }
  // What hides the GPU is what became of its runtime, too.
  if (!HidingVariables(report, device).empty()) return fmt::format("{}", fmt::join(why, "; "));
  const auto vendor = VendorOf(device);
  for (const Rejected& option : answer.rejected) {
    const auto* facts = !why.empty() && vendor && !option.device_id && option.runtime
                            ? Find(tables, *option.runtime)
                            : nullptr;
    // What nothing reaches for is what became of the runtime, and was said.
    const bool is_said = facts && why.front().ends_with(option.reason);
    if (facts && facts->vendor && IsOfVendor(*facts, *vendor) && !is_said) why.push_back(option.reason);
  }
  return fmt::format("{}", fmt::join(why, "; "));
}

// How the runtime is absent: that it is not there, or that nobody looked for it. "" where it is not.
std::string WhyAbsent(const Report& report, const RuntimeFacts& facts) {
  const auto probe = std::find_if(report.probes.begin(), report.probes.end(),
                                  [&](const auto& one) { return one.module == facts.name; });
  if (probe == report.probes.end()) return "nobody looked for";
  if (probe->outcome != probe::Outcome::kAbsent) return "";
  return IsUntold(*probe)
             ? fmt::format("the description does not name: add runtime={}, if it is there", facts.name)
             : "is not installed";
}

// The build that would fit, were its runtime there: the maker's own, or of a described machine any that the
// description leaves open.
std::string WhatWouldFit(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                         Use use) {
  const auto vendor = VendorOf(device);
  for (const Build& build : TargetOf(report).builds) {
    const auto* facts = Find(tables, build.backend);
    if (!facts || !vendor || HasViewBy(device, build.backend) || !IsFor(TargetOf(report), build, use))
      continue;
    const auto is_open = [&](const auto& one) { return one.module == facts->name && IsUntold(one); };
    const bool may_be = !facts->vendor && std::any_of(report.probes.begin(), report.probes.end(), is_open);
    if (!IsOfVendor(*facts, *vendor) && !may_be) continue;
    const auto why = WhyAbsent(report, *facts);
    if (why.empty()) continue;
    auto view = OfRuntime(build.backend);
    view.device.architecture = ArchitectureOf(*facts, device);
    if (!Judge(tables, build, MachineOf(report), WayOf(device, view), report.terms.policy).misfit.empty())
      continue;
    return fmt::format("; its {} is for {}, which {}", build.id, facts->title, why);
  }
  return "";
}

// The program's build for the GPU by its maker's runtime, be that well or not; nullptr for none.
const Build* BuildOf(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                     Use use) {
  const auto vendor = VendorOf(device);
  for (const Build& build : TargetOf(report).builds) {
    const auto* facts = Find(tables, build.backend);
    if (!facts || !vendor || !facts->vendor || !IsOfVendor(*facts, *vendor) ||
        !IsFor(TargetOf(report), build, use))
      continue;
    auto view = OfRuntime(build.backend);
    if (auto architecture = ArchitectureOf(*facts, device); !architecture.empty())
      view.device.architecture = std::move(architecture);
    for (const auto& known : device.views) {
      if (known.device.runtime == build.backend) view = known;
    }
    if (Judge(tables, build, MachineOf(report), WayOf(device, view), report.terms.policy).misfit.empty())
      return &build;
  }
  return nullptr;
}

// "; once that is mended PyTorch's rocm7.14 fits"
std::string WhatFitsThen(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                         Use use, std::string_view when) {
  const Build* build = BuildOf(tables, report, device, use);
  return build == nullptr ? "" : fmt::format("; {} {}'s {} fits", when, TargetOf(report).title, build->id);
}

constexpr std::string_view kMended = "once that is mended";

// Why a GPU is no answer that has a way and a build for it: others hold its memory, or what was measured
// failed. "" of one that is an option, and of what is known to be too small.
std::string WhyUnusable(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                        Use use) {
  const Score* unusable = nullptr;
  for (const Score& score : report.scores) {
    if (score.use != use || score.device_id != device.id) continue;
    if (score.eligible) return "";
    const auto* view = FindView(device, score.runtime, score.driver);
    if (unusable != nullptr || !view || IsSoftware(device, *view) || !IsLeft(report.terms, device, *view))
      continue;
    unusable = &score;
  }
  if (unusable == nullptr || unusable->reasons.empty()) return "";
  const auto* view = FindView(device, unusable->runtime, unusable->driver);
  if (view && !IsRuledOut(report, device, *view) && IsFull(report, device, use))
    return fmt::format("others hold the memory, {} of {} are free", BytesText(*device.memory.free_bytes),
                       BytesText(*device.memory.total_bytes)) +
           WhatFitsThen(tables, report, device, use, "once they have ended");
  if (view && !HasFailed(report, device, *view)) return "";
  return unusable->reasons.front().text + WhatFitsThen(tables, report, device, use, kMended);
}

// "512 MiB of 24 GiB are free, and --min-memory asks for 8 GiB"; "" of what has as much.
std::string WhyTooSmall(const Report& report, const probe::PhysicalDevice& device) {
  const auto& wanted = report.terms.min_memory_bytes;
  const auto available = AvailableBytes(device);
  if (!wanted || !available || *available >= static_cast<double>(*wanted)) return "";
  const auto& [free, all] = std::tie(device.memory.free_bytes, device.memory.total_bytes);
  const auto has = free && all ? fmt::format("{} of {} are free", BytesText(*free), BytesText(*all))
                               : fmt::format("it has {}", BytesText(*available));
  return fmt::format("{}, and --min-memory asks for {}", has, BytesText(*wanted));
}

// The first of these that there is; what its program's build would have been for is added to `left_out`.
std::string WhyUnused(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
                      Recommendation& answer) {
  const auto leave_out = [&] { probe::AddOnce(DeviceName(report.devices, device.id), answer.left_out); };
  auto why = IsFull(report, device, answer.use) ? WhyUnusable(tables, report, device, answer.use) : "";
  if (why.empty()) why = WhyTooSmall(report, device);
  if (!why.empty()) {
    leave_out();
    return why;
  }
  if (why = WhyMeantWayFails(tables, report, device, answer); !why.empty()) {
    leave_out();
    return why;
  }
  if (why = WhyUnfit(report, device, answer.use); !why.empty()) {
    leave_out();
    return why + WhatWouldFit(tables, report, device, answer.use);
  }
  if (why = WhyUnreached(tables, report, device, answer); !why.empty()) {
    const bool is_mendable = FailureOfMakers(tables, report, device).has_value();
    return is_mendable ? why + WhatFitsThen(tables, report, device, answer.use, kMended) : why;
  }
  return WhyUnusable(tables, report, device, answer.use);
}

// GPUs beside a processor that is the answer: nobody expects that of them. Of those of which the same is to
// be said one sentence tells.
void WarnOfUnused(const Tables& tables, const Report& report, Recommendation& answer) {
  const auto* own = FindDevice(report.devices, answer.device_id);
  if (own && own->kind != probe::DeviceKind::kCpu) return;
  std::vector<std::pair<std::string, std::vector<const probe::PhysicalDevice*>>> unused;
  for (const auto& device : report.devices) {
    if (!IsGpu(device) || report.terms.excluded_ids.contains(device.id)) continue;
    auto why = WhyUnused(tables, report, device, answer);
    if (why.empty()) continue;
    const auto known =
        std::find_if(unused.begin(), unused.end(), [&](const auto& one) { return one.first == why; });
    if (known == unused.end()) {
      unused.push_back({std::move(why), {&device}});
    } else {
      known->second.push_back(&device);
    }
  }
  for (const auto& [why, devices] : unused) {
    probe::AddOnce(fmt::format("{} {} not used: {}", NamesOf(report.devices, devices),
                               devices.size() == 1 ? "is" : "are", why),
                   answer.warnings);
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
  const auto* device = FindDevice(report.devices, answer.device_id);
  const auto* view = device ? FindView(*device, answer.backend, answer.driver.value_or("")) : nullptr;
  const auto by_runtime = OfRuntime(answer.backend);
  const auto way = view ? WayOf(*device, *view) : Way{.view = by_runtime};
  const auto choice = Choose(tables, report, answer, way);
  if (!choice.build) return;
  LeaveOutArchitectures(tables, report, choice, way.view, answer);
  answer.artefact = ArtefactOf(TargetOf(report), *choice.build, answer);
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
