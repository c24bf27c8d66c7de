// SPDX-License-Identifier: MIT
#include "report/core/not_measurable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "probe/core/other_devices.h"

namespace report {

std::optional<probe::NotMeasurable> WhyNotMeasurable(const probe::PhysicalDevice& device) {
  if (!device.views.empty()) return std::nullopt;
  if (device.not_measurable) return device.not_measurable;
  const auto hardware = device.hardware.value_or(probe::HardwareDevice());
  if (!probe::ReachedBy(hardware).empty()) return std::nullopt;  // the report would say so
  return probe::WhyNotMeasurable(hardware, device.kind);
}

std::string_view PurposeText(const probe::NotMeasurable& why) {
  using enum probe::Purpose;
  switch (why.what) {
    case kNpu:
      return "NPU";
    case kAiAccelerator:
      return "AI accelerator";
    case kFpga:
      return "FPGA card";
    case kVideo:
      return "video transcoder";
    case kAccelerator:
    case kGpu:
    case kManagement:
    case kVirtual:
      break;
  }
  return "";
}

std::string ProgramsText(const probe::NotMeasurable& why) {
  std::vector<std::string> programs;
  programs.reserve(why.programs.size());
  for (const auto& [target, how] : why.programs) programs.push_back(fmt::format("{} ({})", target, how));
  return fmt::format("{}", fmt::join(programs, ", "));
}

bool ComputesNothing(const probe::NotMeasurable& why) { return why.family && !why.runtime; }

bool LacksKernelDriver(const probe::PhysicalDevice& device, const probe::NotMeasurable& why) {
  return !why.drivers.empty() && device.hardware && device.hardware->identity.pci &&
         !device.hardware->kernel_driver;
}

std::string ReasonText(const probe::PhysicalDevice& device, const probe::NotMeasurable& why) {
  if (!LacksKernelDriver(device, why)) return why.reason;
  return fmt::format("{}; no kernel driver is bound to it: it wants {}", why.reason,
                     fmt::join(why.drivers, " or "));
}

std::string NotMeasurableText(const probe::PhysicalDevice& device, const probe::NotMeasurable& why) {
  const auto programs = ProgramsText(why);
  return ReasonText(device, why) + (programs.empty() ? "" : "; what can use it: " + programs);
}

}  // namespace report
