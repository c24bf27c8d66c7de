// SPDX-License-Identifier: MIT
// Of a described machine: GPUs that the caller's runtimes would reach, did the description name them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/core/devices.h"
#include "report/core/impossible.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"

namespace report::recommend {
namespace {

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsLeft(const Terms& terms, const std::string& runtime) {
  return (terms.among.empty() || Holds(terms.among, runtime)) && !Holds(terms.exclude, runtime);
}

// Whether it reaches GPUs of that maker, this one's architecture among them, on that system.
bool CanReach(const RuntimeFacts& facts, const Report& report, const probe::PhysicalDevice& gpu) {
  const auto vendor = VendorOf(gpu);
  if (facts.vendor && !(vendor && IsOfVendor(facts, *vendor))) return false;
  return !WhyImpossible(facts.name, "", SettingOf(report.host)) &&
         !(gpu.hardware && UnservedOf(facts, gpu.hardware->architecture));
}

// Those of the caller's that can reach the GPU, and of which the description says nothing.
std::vector<std::string> UntoldFor(const Tables& tables, const Report& report,
                                   const probe::PhysicalDevice& gpu) {
  const Terms& terms = report.terms;
  std::vector<std::string> untold;
  for (const RuntimeFacts& facts : tables.runtimes) {
    const bool is_untold = std::any_of(report.probes.begin(), report.probes.end(), [&](const auto& probe) {
      return probe.module == facts.name && IsUntold(probe);
    });
    if (facts.name == kProcessorRuntime || !is_untold || !IsLeft(terms, facts.name) ||
        !CanReach(facts, report, gpu))
      continue;
    untold.push_back(facts.name);
  }
  return untold;
}

}  // namespace

void WarnOfUntold(const Tables& tables, const Report& report, Recommendation& answer) {
  const Terms& terms = report.terms;
  if (terms.target || (terms.among.empty() && terms.exclude.empty())) return;  // of a program it is told
  for (const auto& gpu : report.devices) {
    const bool has_way = std::any_of(gpu.views.begin(), gpu.views.end(), [&](const probe::View& view) {
      return IsLeft(terms, view.device.runtime);
    });
    if (!IsGpu(gpu) || has_way || terms.excluded_ids.contains(gpu.id)) continue;
    const auto untold = UntoldFor(tables, report, gpu);
    if (untold.empty()) continue;
    answer.warnings.emplace_back(
        WarningKind::kUnseenHere, gpu.id,
        fmt::format("{} is left out: the description does not say that {} is there; add runtime={}, if it is",
                    DeviceName(report.devices, gpu.id), fmt::join(untold, " or "), untold.front()));
  }
}

}  // namespace report::recommend
