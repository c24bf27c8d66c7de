// SPDX-License-Identifier: MIT
#include "report/targets/supposed.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "data/runtimes/runtimes.h"
#include "data/targets/targets.h"

#include "probe/core/parse.h"
#include "probe/core/pci_table.h"
#include "report/core/devices.h"
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

bool IsReached(const probe::PhysicalDevice& device, std::string_view runtime) {
  return std::any_of(device.views.begin(), device.views.end(),
                     [&](const probe::View& view) { return view.device.runtime == runtime; });
}

// What is installed and has trouble is not brought either.
bool IsAbsent(const Report& report, std::string_view runtime) {
  return std::any_of(report.probes.begin(), report.probes.end(), [&](const probe::ProbeReport& probe) {
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

bool HasWayFor(const Report& report, const std::string& device_id, Use use) {
  return std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    return score.device_id == device_id && score.use == use && score.eligible;
  });
}

// By the first program of the table's that has a build which fits the device.
std::optional<WayBeyond> WayBeyondOf(const Tables& tables, const Report& report, Use use,
                                     const RuntimeFacts& facts, const probe::PhysicalDevice& device) {
  for (const std::string& name : use == Use::kTraining ? facts.advice.training : facts.advice.inference) {
    const auto target = EmbeddedTarget(name);
    if (!target) continue;  // a test holds that each is there
    auto view = ViewOf(*target, facts, device, kUnseen);
    for (const Build& build : target->builds) {
      if (build.backend != facts.name || !IsFor(*target, build, use) ||
          !Judge(tables, build, MachineOf(report), WayOf(device, view), report.terms.policy).misfit.empty())
        continue;
      auto warning = NotLookedForText(*target, build, facts, DeviceName(report.devices, device.id));
      return WayBeyond{device.id, std::move(view), std::move(warning)};
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

std::vector<WayBeyond> WaysBeyond(const Tables& tables, const Report& report, Use use) {
  std::vector<WayBeyond> ways;
  for (const RuntimeFacts& facts : tables.runtimes) {
    if (!facts.vendor || !IsUnknownHere(report, facts.name)) continue;
    for (const auto& device : report.devices) {
      const auto vendor = VendorOf(device);
      if (!vendor || !IsOfVendor(facts, *vendor) || !IsGivenTo(device) ||
          ArchitectureOf(facts, device).empty() || HasWayFor(report, device.id, use))
        continue;
      if (auto way = WayBeyondOf(tables, report, use, facts, device)) ways.push_back(*std::move(way));
    }
  }
  return ways;
}

bool IsUnknownHere(const Report& report, std::string_view runtime) {
  const auto here = data::RuntimesOfThisBuild();
  return std::find(here.begin(), here.end(), runtime) == here.end() &&
         std::none_of(report.probes.begin(), report.probes.end(),
                      [&](const probe::ProbeReport& probe) { return probe.module == runtime; });
}

std::string ArchitectureOf(const RuntimeFacts& facts, const probe::PhysicalDevice& device) {
  if (!facts.target || !device.hardware) return "";
  const auto& told = device.hardware->architecture;
  if (told && told->starts_with(facts.target->prefix)) return *told;
  const auto own = ChipOf(*device.hardware);
  if (own.empty()) return "";
  if (own.starts_with(facts.target->prefix)) return std::string(own);
  for (const auto& [chip, runtime, architecture] : probe::ParseTable<3>(data::targets::ArchitecturesText())) {
    if (chip == own && runtime == facts.name) return std::string(architecture);
  }
  return "";
}

void AddSupposedViews(const Tables& tables, bool all_asked, Report& report) {
  const TargetTable& target = *report.terms.target;
  std::set<std::string> seen;
  for (const Build& build : target.builds) {
    const auto* facts = Find(tables, build.backend);
    if (!facts || !facts->vendor || (seen.contains(build.backend) && !build.brings_runtime.value_or(false)))
      continue;
    const bool brought = build.brings_runtime.value_or(false) && IsAbsent(report, build.backend);
    const bool unseen = all_asked && IsUnknownHere(report, build.backend);
    if (!brought && !unseen) continue;
    seen.insert(build.backend);
    for (auto& device : report.devices) {
      const auto vendor = VendorOf(device);
      if (!vendor || !IsOfVendor(*facts, *vendor) || !IsGivenTo(device) || IsReached(device, build.backend))
        continue;
      if (!brought && (ArchitectureOf(*facts, device).empty() || HasWay(report, device))) continue;
      device.views.push_back(ViewOf(target, *facts, device, brought ? kBrought : kUnseen));
    }
  }
  if (!seen.empty()) JudgeWays(tables, report);
}

}  // namespace report::targets
