// SPDX-License-Identifier: MIT
#include "report/render/material.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "probe/core/add_once.h"
#include "report/core/devices.h"
#include "report/core/hiding.h"
#include "report/core/quantity.h"
#include "report/render/ranked.h"

namespace report::render {
namespace {

// What hides them keeps everything of theirs from this program but the name.
std::size_t HiddenBeside(const Report& report, const probe::PhysicalDevice& shown) {
  return static_cast<std::size_t>(
      std::count_if(report.devices.begin(), report.devices.end(), [&](const probe::PhysicalDevice& other) {
        return IsGpu(other) && other.views.empty() && other.name == shown.name &&
               !HidingVariables(report, other).empty();
      }));
}

}  // namespace

std::vector<ShownWay> WaysOf(const Report& report, const std::vector<const Score*>& scores) {
  std::vector<ShownWay> ways;
  for (const Score* score : scores) {
    const auto* device = FindDevice(report.devices, score->device_id);
    const auto alike = std::find_if(ways.begin(), ways.end(), [&](const ShownWay& shown) {
      const auto* other = FindDevice(report.devices, shown.score->device_id);
      return shown.score->runtime == score->runtime && shown.score->driver == score->driver && device &&
             other && AreEqualGpus(*device, *other);
    });
    if (alike == ways.end()) {
      ways.push_back({score, ways.size() + 1});
      if (device && IsGpu(*device)) ways.back().hidden = HiddenBeside(report, *device);
    } else {
      ++alike->devices;
    }
  }
  return ways;
}

namespace {

// What one fix mends is one problem. Those that a better answer waits for come first.
std::vector<ShownProblem> ProblemsOf(const Report& report) {
  FixKeys wanted;
  for (const GpuFix& one : FixesOfGpus(report)) wanted.insert(KeyOf(*one.fix));
  std::vector<ShownProblem> problems;
  std::vector<const Finding*> told;
  FixKeys mended;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::kNote) continue;
    if (std::find(told.begin(), told.end(), &finding) != told.end()) continue;
    const auto alike = AlikeAfter(report, finding);
    told.insert(told.end(), alike.begin(), alike.end());
    if (!finding.fix.empty() && !mended.insert(KeyOf(finding.fix.front())).second) continue;
    problems.push_back({&finding, alike.size()});
  }
  std::stable_partition(problems.begin(), problems.end(), [&](const ShownProblem& problem) {
    return !problem.finding->fix.empty() && wanted.contains(KeyOf(problem.finding->fix.front()));
  });
  return problems;
}

}  // namespace

Material Gather(const Tables& tables, const Report& report) {
  Material material;
  for (const auto& answer : report.recommendations) {
    if (!material.answer || answer.use == Use::kInference) material.answer = &answer;
  }
  const auto use = material.answer ? material.answer->use : Use::kInference;
  material.ways = WaysOf(report, Ranked(report, material.answer, use));
  material.problems = ProblemsOf(report);
  FixKeys told;
  for (const ShownProblem& problem : material.problems) {
    if (!problem.finding->fix.empty()) told.insert(KeyOf(problem.finding->fix.front()));
  }
  material.steps = StepsForGpus(report, told);
  for (auto& step : StepsOfAnswers(tables, report)) probe::AddOnce(std::move(step), material.steps);
  return material;
}

std::string DeviceText(const Report& report, const ShownWay& way) {
  if (way.devices + way.hidden == 1) return DeviceName(report.devices, way.score->device_id);
  const auto* device = FindDevice(report.devices, way.score->device_id);
  if (way.hidden > 0)
    return fmt::format("{} of {} {}", way.devices, way.devices + way.hidden, PlainName(device->name));
  return fmt::format("{} x {}", way.devices, PlainName(device->name));
}

}  // namespace report::render
