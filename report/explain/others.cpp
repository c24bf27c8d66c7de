// SPDX-License-Identifier: MIT
// Of what is in the machine and no runtime here is for: what it would take to use it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "probe/core/other_devices.h"
#include "probe/core/parse.h"
#include "report/core/not_measurable.h"
#include "report/core/unreached.h"
#include "report/explain/parts.h"

namespace report::explain {
namespace {

// What loads the kernel's driver comes with the runtime, so that both are one step.
Fix StepOf(const probe::NotMeasurable& why) {
  return {fmt::format("install {} and the kernel driver {}{}", why.runtime.value_or("its maker's software"),
                      fmt::join(why.drivers, " or "), why.page ? ": " + *why.page : ""),
          std::nullopt, true, false};
}

}  // namespace

void TellRuntimeOf(const probe::PhysicalDevice& device, const probe::NotMeasurable& why, Finding& finding) {
  finding.meaning = why.reason;
  if (const auto programs = ProgramsText(why); !programs.empty())
    finding.meaning += "; what can use it: " + programs;
  if (device.hardware) {
    if (const auto* nodes = probe::FindFact(device.hardware->facts, "device_nodes"))
      AddEvidence(finding, "nodes", *nodes);
  }
  // Whether the runtime is there nobody looked: only a driver that is missing is something to mend.
  if (LacksKernelDriver(device, why))
    finding.fix.push_back(StepOf(why));
  else if (why.page)
    finding.meaning += "; its software: " + *why.page;
  // Those were asked and show nothing: what they need of that driver is not here.
  const bool is_reachable = device.hardware && !probe::ReachedBy(*device.hardware).empty();
  if (is_reachable && finding.fix.empty())
    finding.fix.push_back(
        {"install the runtimes that its driver brings and what loads them, or give the container "
         "its device nodes",
         std::nullopt, true, false});
}

void AddNotMeasurable(const Report& report, const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  const auto why = WhyNotMeasurable(device);
  if (!why || device.kind != probe::DeviceKind::kAccelerator || ComputesNothing(*why)) return;
  Finding finding;
  finding.id = "not_measurable." + probe::Slug(device.id);
  finding.layer = "system_runtime";
  finding.severity = Severity::kNote;
  finding.device_id = device.id;
  finding.summary = NameIn(report, device) + " is here and can not be measured";
  const auto driver = device.hardware ? device.hardware->kernel_driver : std::nullopt;
  if (driver || LacksKernelDriver(device, *why))
    AddEvidence(finding, "kernel driver", driver.value_or("none is bound"));
  // What wants no driver of the kernel's own is used through vfio itself.
  const auto held = why->drivers.empty() ? std::nullopt : HeldForGuest(device);
  if (held)
    finding.meaning = fmt::format("{} holds it for a virtual machine: programs here can not use it", *held);
  else
    TellRuntimeOf(device, *why, finding);
  out.push_back(std::move(finding));
}

}  // namespace report::explain
