// SPDX-License-Identifier: MIT
// Of what is in the machine and no runtime here is for: what it would take to use it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "probe/core/parse.h"
#include "report/core/not_measurable.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

std::string PageText(const probe::NotMeasurable& why) { return why.page ? ": " + *why.page : ""; }

// What loads the kernel's driver comes with the runtime, so that both are one step.
Fix StepOf(const probe::PhysicalDevice& device, const probe::NotMeasurable& why) {
  std::string text = "install " + why.runtime.value_or("its maker's software");
  if (LacksKernelDriver(device, why))
    text += fmt::format(" and the kernel driver {}", fmt::join(why.drivers, " or "));
  return {text + PageText(why), std::nullopt, true, false};
}

}  // namespace

void TellRuntimeOf(const probe::PhysicalDevice& device, const probe::NotMeasurable& why, Finding& finding) {
  if (const auto programs = ProgramsText(why); !programs.empty())
    finding.meaning = fmt::format("{}; what can use it: {}", why.reason, programs);
  else
    finding.meaning = why.reason;
  if (device.hardware) {
    if (const auto* nodes = probe::FindFact(device.hardware->facts, "device_nodes"))
      AddEvidence(finding, "nodes", *nodes);
  }
  if (why.runtime) finding.fix.push_back(StepOf(device, why));
}

void AddNotMeasurable(const Report& report, const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  const auto why = WhyNotMeasurable(device);
  if (!why || device.kind != probe::DeviceKind::kAccelerator) return;
  Finding finding;
  finding.id = "not_measurable." + probe::Slug(device.id);
  finding.layer = "system_runtime";
  finding.severity = Severity::kNote;
  finding.device_id = device.id;
  finding.summary = NameIn(report, device) + " is here and can not be measured";
  const auto driver = device.hardware ? device.hardware->kernel_driver : std::nullopt;
  if (driver || LacksKernelDriver(device, *why))
    AddEvidence(finding, "kernel driver", driver.value_or("none is bound"));
  TellRuntimeOf(device, *why, finding);
  out.push_back(std::move(finding));
}

}  // namespace report::explain
