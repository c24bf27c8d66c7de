// SPDX-License-Identifier: MIT
#include "report/targets/supposed.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "data/targets/targets.h"

#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/known_error.h"
#include "report/targets/build.h"
#include "report/targets/targets.h"

namespace report::targets {
namespace {

// Of a device that the kernel's driver has and this process may open.
bool IsGivenTo(const probe::PhysicalDevice& device) {
  return IsGpu(device) && device.hardware && device.hardware->kernel_driver &&
         std::none_of(device.hardware->nodes.begin(), device.hardware->nodes.end(),
                      [](const auto& node) { return !node.openable; });
}

const probe::View* FindShown(const probe::PhysicalDevice& device, std::string_view runtime) {
  const auto found = std::find_if(device.views.begin(), device.views.end(),
                                  [&](const probe::View& view) { return view.device.runtime == runtime; });
  return found == device.views.end() ? nullptr : &*found;
}

// What is installed does not load, which a program never meets that brings its own.
bool IsBroken(const Report& report, std::string_view runtime) {
  using probe::Stage;
  return std::any_of(report.probes.begin(), report.probes.end(), [&](const probe::ProbeReport& probe) {
    return probe.module == runtime && probe.outcome == probe::Outcome::kFailed && !IsRefusal(probe.error) &&
           (probe.stage == Stage::kLoad || probe.stage == Stage::kSymbols);
  });
}

// What is installed and has another trouble is not brought either: that is the driver's or the device's.
bool IsMissing(const Report& report, std::string_view runtime) {
  return IsBroken(report, runtime) ||
         std::any_of(report.probes.begin(), report.probes.end(), [&](const probe::ProbeReport& probe) {
           return probe.module == runtime && probe.outcome == probe::Outcome::kAbsent;
         });
}

// The maker's name of the chip, which the source of hardware tells; records of earlier versions have the
// numbers alone.
std::string_view ChipOf(const probe::HardwareDevice& hardware) {
  for (const probe::Fact& fact : hardware.facts) {
    if (fact.key == "table_target") return fact.value;
  }
  const auto facts = hardware.identity.ids ? probe::FindPciFacts(*hardware.identity.ids) : std::nullopt;
  return facts ? facts->target : std::string_view();
}

// For some use the program has a way to the device.
bool HasWay(const Report& report, const probe::PhysicalDevice& device) {
  return std::any_of(report.terms.unfit.begin(), report.terms.unfit.end(), [&](const auto& way) {
    const auto& [key, why] = way;
    return std::get<0>(key) == device.id && (why[0].why.empty() || why[1].why.empty());
  });
}

probe::View ViewOf(const TargetTable& target, const RuntimeFacts& facts, const probe::PhysicalDevice& device,
                   std::string_view matched_by) {
  probe::View view;
  view.matched_by = matched_by;
  view.device.runtime = facts.name;
  view.device.driver = target.name;
  view.device.name = device.name;
  view.device.vendor = device.vendor;
  view.device.kind = device.kind;
  view.device.identity = device.hardware->identity;
  if (auto architecture = ArchitectureOf(facts, device); !architecture.empty())
    view.device.architecture = std::move(architecture);
  view.device.memory_total_bytes = device.memory.total_bytes;
  view.device.memory_free_bytes = device.memory.free_bytes;
  return view;
}

// What is looked through for such ways.
struct Search {
  const Tables& tables;
  const Report& report;
  bool all_asked;
  MeasurementIndex figures{report.measurements};
};

// The way of a runtime that shows the device and could not be measured, as the build has it that is spared of
// the reason; nullopt where it is not.
std::optional<probe::View> SparedViewOf(const Search& search, const TargetTable& target, const Build& build,
                                        const probe::PhysicalDevice& device, const probe::View& shown) {
  if (IsSupposed(shown) || IsSoftware(device, shown)) return std::nullopt;
  const auto& of = shown.device;
  const auto spared =
      SparedBy(Find(search.tables, of.runtime), search.figures.Of(device.id, of.runtime, of.driver));
  if (!spared || (*spared == Spares::kOwnRuntime && !build.brings_runtime.value_or(false)))
    return std::nullopt;
  auto view = shown;
  view.matched_by = *spared == Spares::kOwnRuntime ? kOwnRuntime : kOwnCode;
  view.device.driver = target.name;
  if (*spared == Spares::kOwnRuntime) {  // what is installed is not what it runs by
    view.device.driver_version.reset();
    view.device.api_version.reset();
  }
  return view;
}

// How the build reaches the device where no probe shows that it does; nullopt where it does not, or where a
// probe does.
std::optional<probe::View> SupposedView(const Search& search, const TargetTable& target, const Build& build,
                                        const probe::PhysicalDevice& device) {
  const auto* facts = Find(search.tables, build.backend);
  const auto vendor = VendorOf(device);
  if (!facts || !facts->vendor || !vendor || !IsOfVendor(*facts, *vendor) ||
      !WhyExcluded(search.report.terms, build).empty())
    return std::nullopt;
  if (const auto* shown = FindShown(device, build.backend))
    return SparedViewOf(search, target, build, device, *shown);
  if (!IsGivenTo(device)) return std::nullopt;
  if (build.brings_runtime.value_or(false) && IsMissing(search.report, build.backend))
    return ViewOf(target, *facts, device, kBrought);
  if (!search.all_asked || !IsUnknownHere(search.tables, search.report, build.backend) ||
      ArchitectureOf(*facts, device).empty())
    return std::nullopt;
  return ViewOf(target, *facts, device, kUnseen);
}

// The devices that have a way for the use.
std::set<std::string_view> Served(const Report& report, Use use) {
  std::set<std::string_view> served;
  for (const Score& score : report.scores) {
    if (score.use == use && score.eligible) served.insert(score.device_id);
  }
  return served;
}

// The programs that the runtime's table names for the use.
std::vector<TargetTable> ProgramsOf(const RuntimeFacts& facts, Use use) {
  std::vector<TargetTable> programs;
  for (const std::string& name : use == Use::kTraining ? facts.advice.training : facts.advice.inference) {
    // A test holds that each is there.
    if (auto target = EmbeddedTarget(name)) programs.push_back(*std::move(target));
  }
  return programs;
}

// By the first program that has a build which fits the device, whose architecture is known.
std::optional<WayBeyond> WayBeyondOf(const Search& search, const std::vector<TargetTable>& programs, Use use,
                                     const RuntimeFacts& facts, const Machine& machine,
                                     const probe::PhysicalDevice& device) {
  for (const TargetTable& target : programs) {
    for (const Build& build : target.builds) {
      if (build.backend != facts.name || !IsFor(target, build, use)) continue;
      auto view = SupposedView(search, target, build, device);
      if (!view || !view->device.architecture ||
          !Judge(search.tables, build, machine, WayOf(device, *view), search.report.terms.policy)
               .misfit.empty())
        continue;
      auto text = view->matched_by == kUnseen
                      ? NotLookedForText(target, build, facts, DeviceName(search.report.devices, device.id))
                      : OwnText(search.report, target, build, facts, *view);
      return WayBeyond{device.id, *std::move(view), std::move(text)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string NotLookedForText(const TargetTable& target, const Build& build, const RuntimeFacts& facts,
                             const std::string& device) {
  auto text = fmt::format(
      "{} has a build for {} ({}): this version can not look for it on {}, so that it was not measured there",
      target.title, facts.title, build.id, device);
  const auto hint = std::find_if(facts.install.begin(), facts.install.end(),
                                 [](const InstallHint& one) { return !one.drivers; });
  return hint == facts.install.end() ? text : fmt::format("{}; where it is missing, {}", text, hint->text);
}

std::string OwnText(const Report& report, const TargetTable& target, const Build& build,
                    const RuntimeFacts& facts, const probe::View& view) {
  const auto name = fmt::format("{}'s {}", target.title, build.id);
  if (view.matched_by == kOwnCode)
    return fmt::format("{} needs nothing of what keeps {} from being measured here: it has code for this GPU",
                       name, facts.title);
  if (view.matched_by == kOwnRuntime)
    return fmt::format("{} is not installed whole, and {} brings what it needs of it", facts.title, name);
  if (IsBroken(report, facts.name))
    return fmt::format("what is installed of {} does not load, and {} brings what it needs of it",
                       facts.title, name);
  return fmt::format("{} is not installed, and {} brings what it needs of it: the kernel's driver is enough",
                     facts.title, name);
}

void TellBeyond(const Report& report, const probe::View& view, std::string text, Recommendation& answer) {
  if (view.matched_by == kUnseen) {
    answer.warnings.emplace_back(WarningKind::kUnseenHere, answer.device_id, std::move(text));
    return;
  }
  const auto id = view.matched_by == kOwnCode ? ReasonId::kOfTheWay : ReasonId::kRuntimeBrought;
  answer.reasons.insert(answer.reasons.begin(), {id, std::move(text)});
  std::erase_if(answer.rejected, [&](const Rejected& option) {
    return !option.device_id && option.runtime == answer.backend;
  });
  if (view.matched_by != kBrought) return;
  for (const auto& probe : report.probes) {
    if (probe.module != answer.backend) continue;
    if (const auto set = HidingVariables(probe); !set.empty())
      answer.warnings.emplace_back(
          WarningKind::kUnseenHere, answer.device_id,
          fmt::format("{} {} set, and decide{} which GPUs are shown to what is installed then",
                      SettingText(set), set.size() == 1 ? "is" : "are", set.size() == 1 ? "s" : ""));
  }
}

std::vector<WayBeyond> WaysBeyond(const Tables& tables, bool all_asked, const Report& report, Use use) {
  const Search search{tables, report, all_asked};
  const auto machine = MachineOf(report);
  const auto served = Served(report, use);
  std::vector<WayBeyond> ways;
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (!facts.vendor) continue;
    std::optional<std::vector<TargetTable>> programs;  // read where there is a device for them
    for (const auto& device : report.devices) {
      const auto vendor = VendorOf(device);
      if (!IsGpu(device) || !vendor || !IsOfVendor(facts, *vendor) || served.contains(device.id)) continue;
      if (!programs) programs = ProgramsOf(facts, use);
      if (auto way = WayBeyondOf(search, *programs, use, facts, machine, device))
        ways.push_back(*std::move(way));
    }
  }
  return ways;
}

bool IsUnknownHere(const Tables& tables, const Report& report, std::string_view runtime) {
  return !LooksFor(tables, runtime) &&
         std::none_of(report.probes.begin(), report.probes.end(),
                      [&](const probe::ProbeReport& probe) { return probe.module == runtime; });
}

std::string ArchitectureOf(const RuntimeFacts& facts, const probe::PhysicalDevice& device) {
  if (!facts.target || !device.hardware) return "";
  const auto& told = device.hardware->architecture;
  if (told && told->starts_with(facts.target->prefix)) return *told;
  return ArchitectureOfChip(facts, ChipOf(*device.hardware));
}

std::string ArchitectureOfChip(const RuntimeFacts& facts, std::string_view chip) {
  if (!facts.target || chip.empty()) return "";
  if (chip.starts_with(facts.target->prefix)) return std::string(chip);
  for (const auto& [name, runtime, architecture] : probe::ParseTable<3>(data::targets::ArchitecturesText())) {
    if (name == chip && runtime == facts.name) return std::string(architecture);
  }
  return "";
}

void AddSupposedViews(const Tables& tables, bool all_asked, Report& report) {
  const TargetTable& target = *report.terms.target;
  const Search search{tables, report, all_asked};
  bool added = false;
  for (const Build& build : target.builds) {
    for (auto& device : report.devices) {
      if (FindView(device, build.backend, target.name)) continue;
      auto view = SupposedView(search, target, build, device);
      if (!view || (view->matched_by == kUnseen && HasWay(report, device))) continue;
      device.views.push_back(*std::move(view));
      added = true;
    }
  }
  if (added) JudgeWays(tables, report);
}

}  // namespace report::targets
