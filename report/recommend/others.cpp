// SPDX-License-Identifier: MIT
// What is said beside an answer that is the processor of devices that compute and that nothing measures here.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "probe/core/add_once.h"
#include "report/core/devices.h"
#include "report/core/not_measurable.h"
#include "report/core/quantity.h"
#include "report/recommend/parts.h"

namespace report::recommend {
namespace {

struct Other {
  const probe::PhysicalDevice* device;
  probe::NotMeasurable why;
};

std::vector<Other> OthersOf(const Report& report) {
  std::vector<Other> others;
  for (const auto& device : report.devices) {
    if (device.kind != probe::DeviceKind::kAccelerator) continue;
    auto why = WhyNotMeasurable(device);
    if (why && !ComputesNothing(*why)) others.push_back({&device, *std::move(why)});
  }
  return others;
}

// How the program that the answer is for can use it; nullptr where it can not, or where there is no such
// program.
const probe::UsableBy* OwnProgram(const Report& report, const probe::NotMeasurable& why) {
  if (!report.terms.target) return nullptr;
  const auto own = std::find_if(why.programs.begin(), why.programs.end(), [&](const auto& program) {
    return program.target == report.terms.target->name;
  });
  return own == why.programs.end() ? nullptr : &*own;
}

// "; pytorch can use it (device hpu of ...), and nobody here knows how fast"
std::string UsedByTarget(const Report& report, const Other& other, bool is_one) {
  const auto* own = OwnProgram(report, other.why);
  if (own == nullptr) return "";
  return fmt::format("; {} can use {} ({}), and nobody here knows how fast", own->target,
                     is_one ? "it" : PlainName(other.device->name), own->how);
}

}  // namespace

Reason NotMeasurableReason(const Report& report) {
  const auto others = OthersOf(report);
  if (others.empty()) return {};
  const bool is_one = others.size() == 1;
  std::vector<const probe::PhysicalDevice*> devices;
  for (const Other& other : others) devices.push_back(other.device);
  const auto names = NamesOf(report.devices, devices);
  auto text = is_one ? fmt::format("{} is not measured: {}", names, others.front().why.reason)
                     : fmt::format("{} accelerators are not measured, as no runtime here is for them: {}",
                                   others.size(), names);
  for (const Other& other : others) {
    const auto used = UsedByTarget(report, other, is_one);
    text += used;
    if (!used.empty()) break;
  }
  return {ReasonId::kNotMeasurable, std::move(text)};
}

std::vector<std::string> UsableOthers(const Report& report) {
  std::vector<std::string> texts;
  for (const auto& device : report.devices) {
    const auto why = WhyNotMeasurable(device);
    const auto* own = why ? OwnProgram(report, *why) : nullptr;
    if (own == nullptr) continue;
    probe::AddOnce(fmt::format("{} can use {} ({}), which nothing here measures: the answer leaves it out",
                               own->target, PlainName(device.name), own->how),
                   texts);
  }
  return texts;
}

}  // namespace report::recommend
