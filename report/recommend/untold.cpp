// SPDX-License-Identifier: MIT
// Of a described machine: GPUs that the caller's runtimes would reach, did the description name them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/add_once.h"
#include "report/core/devices.h"
#include "report/core/impossible.h"
#include "report/core/targets.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"

namespace report::recommend {
namespace {

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What it would stand on, of a description that names it: the first of those that it may.
std::optional<std::string> Below(const RuntimeFacts& facts) {
  return facts.stands_on ? std::optional(facts.stands_on->runtimes.front()) : std::nullopt;
}

bool IsLeft(const Terms& terms, const std::string& runtime, const std::optional<std::string>& below) {
  return (terms.among.empty() || Holds(terms.among, runtime)) && !terms.Excluded(runtime, below);
}

// Those that the caller's program has builds for on that system and of that maker's GPUs, whatever else they
// need, in its order; with those on top of them through which they compute.
std::vector<std::string> RuntimesOf(const Tables& tables, const TargetTable& target, const Report& report,
                                    const probe::PhysicalDevice& gpu, Use use) {
  const auto setting = SettingOf(report.host);
  const auto vendor = fmt::format("{:04x}", VendorOf(gpu).value_or(0));
  const auto word = use == Use::kTraining ? kTrainsModels : kRunsModels;
  const auto allows = [](const auto& names, std::string_view one) {
    return !names || Holds(*names, std::string(one));
  };
  std::vector<std::string> runtimes;
  for (const Build& build : target.builds) {
    const auto needs = build.needs.value_or(BuildNeeds{});
    if (!allows(target.uses, word) || !allows(build.uses, word) || !allows(needs.os, setting.os) ||
        !allows(needs.machine, setting.machine) || !allows(needs.vendors, vendor))
      continue;
    probe::AddOnce(build.backend, runtimes);
    const auto* through = build.through ? Find(tables, *build.through) : nullptr;
    if (through && ComputesBy(build, *through)) probe::AddOnce(through->name, runtimes);
  }
  return runtimes;
}

// The most mature first; of those that the use is possible by.
std::vector<std::string> RuntimesOf(const Tables& tables, Use use) {
  std::vector<std::pair<int, std::string>> runtimes;
  for (const RuntimeFacts& facts : tables.runtimes) {
    const auto& maturity = facts.maturity;
    if (use == Use::kTraining && !facts.training.supported) continue;
    runtimes.emplace_back(-(use == Use::kTraining ? maturity.training : maturity.inference), facts.name);
  }
  std::stable_sort(runtimes.begin(), runtimes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [place, name] : runtimes) names.push_back(std::move(name));
  return names;
}

// Of a runtime on top of another, whether that is no way to the GPU for the use: nor is this, then.
bool IsOnNoWay(const RuntimeFacts& facts, const Report& report, const probe::PhysicalDevice& gpu, Use use) {
  const auto below = Below(facts);
  const Score* score = below ? FindScore(report, use, gpu.id, *below, kDescribed) : nullptr;
  return score != nullptr && !score->eligible;
}

// Whether it reaches GPUs of that maker, this one's architecture among them, on that system.
bool CanReach(const RuntimeFacts& facts, const Report& report, const probe::PhysicalDevice& gpu, Use use) {
  const auto vendor = VendorOf(gpu);
  if ((facts.vendor && !(vendor && IsOfVendor(facts, *vendor))) || IsOnNoWay(facts, report, gpu, use))
    return false;
  return !WhyImpossible(facts.name, "", SettingOf(report.host)) &&
         !(gpu.hardware && UnservedOf(facts, gpu.hardware->architecture, SettingOf(report.host)));
}

bool IsOfOthersAlone(const Report& report, const probe::PhysicalDevice& gpu, const std::string& runtime) {
  const auto has = [&](const probe::PhysicalDevice& device) {
    return std::any_of(device.views.begin(), device.views.end(), [&](const probe::View& view) {
      return view.device.runtime == runtime && view.device.driver == kDescribed;
    });
  };
  return !has(gpu) && std::any_of(report.devices.begin(), report.devices.end(),
                                  [&](const auto& device) { return IsGpu(device) && has(device); });
}

// Those of the caller's that can reach the GPU, and of which the description says nothing.
std::vector<std::string> UntoldFor(const Tables& tables, const Report& report,
                                   const probe::PhysicalDevice& gpu, Use use) {
  const auto& target = report.terms.target;
  auto untold = target ? RuntimesOf(tables, *target, report, gpu, use) : RuntimesOf(tables, use);
  std::erase_if(untold, [&](const std::string& runtime) {
    const auto* facts = Find(tables, runtime);
    // What another GPU of the machine has by it is there, and was not said of this one.
    const bool is_untold = std::any_of(report.probes.begin(), report.probes.end(), [&](const auto& probe) {
      return probe.module == runtime && (IsUntold(probe) || IsOfOthersAlone(report, gpu, runtime));
    });
    return runtime == kProcessorRuntime || !facts || !is_untold ||
           !IsLeft(report.terms, runtime, Below(*facts)) || !CanReach(*facts, report, gpu, use);
  });
  return untold;
}

}  // namespace

// Where a way to the GPU is left and the caller's program has nothing for it, the program's own step tells.
// Of those of which the same is to be said one sentence tells.
void WarnOfUntold(const Tables& tables, const Report& report, Recommendation& answer) {
  const Terms& terms = report.terms;
  if (terms.among.empty() && terms.exclude.empty()) return;
  std::map<std::vector<std::string>, std::vector<const probe::PhysicalDevice*>> left_out;
  for (const auto& gpu : report.devices) {
    const bool has_way = std::any_of(gpu.views.begin(), gpu.views.end(), [&](const probe::View& view) {
      return IsLeft(terms, view.device.runtime, StandsOnOf(tables, view));
    });
    if (!IsGpu(gpu) || has_way || terms.excluded_ids.contains(gpu.id)) continue;
    if (auto untold = UntoldFor(tables, report, gpu, answer.use); !untold.empty())
      left_out[std::move(untold)].push_back(&gpu);
  }
  for (const auto& [untold, gpus] : left_out) {
    answer.warnings.emplace_back(
        WarningKind::kUnseenHere, gpus.front()->id,
        fmt::format("{} {} left out: the description does not say that {} is there; add runtime={}, if it is",
                    NamesOf(report.devices, gpus), gpus.size() == 1 ? "is" : "are", fmt::join(untold, " or "),
                    untold.front()));
  }
}

}  // namespace report::recommend
