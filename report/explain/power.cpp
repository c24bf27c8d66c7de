// SPDX-License-Identifier: MIT
#include "probe/core/power.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "report/explain/parts.h"

namespace report::explain {
namespace {

std::string_view FactOf(const probe::HardwareDevice& hardware, std::string_view key) {
  const auto* value = probe::FindFact(hardware.facts, key);
  return value ? std::string_view(*value) : std::string_view();
}

Finding Slower(std::string id, const probe::PhysicalDevice& device, std::string summary, std::string_view key,
               std::string_view value) {
  Finding finding;
  finding.id = "power." + std::move(id);
  finding.layer = "kernel_driver";
  finding.severity = Severity::kDegraded;
  finding.device_id = device.id;
  finding.summary = std::move(summary);
  finding.meaning = "every figure here may be lower than what the machine can do";
  AddEvidence(finding, std::string(key), std::string(value));
  return finding;
}

// Writes the value to the file; a sentence alone where the kernel offers no such value.
Fix AsRoot(std::string text, std::string_view value, std::string_view file) {
  Fix fix{std::move(text), std::nullopt, !value.empty(), false};
  if (!value.empty()) fix.command = fmt::format("sh -c 'echo {} | tee {}'", value, file);
  fix.on_host = true;
  return fix;
}

void AddClock(const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  const auto& hardware = *device.hardware;
  const auto held_by = FactOf(hardware, probe::kClockHeldByFact);
  if (held_by == "preference") {
    auto finding = Slower("preference", device, "the processor is told to prefer saving power to speed",
                          "energy_performance_preference", FactOf(hardware, probe::kFrequencyPreferenceFact));
    finding.fix.push_back(AsRoot("let the processor balance speed and power, until the next boot",
                                 FactOf(hardware, probe::kBetterPreferenceFact),
                                 "/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference"));
    out.push_back(std::move(finding));
  } else if (held_by == "governor") {
    auto finding =
        Slower("governor", device, "the governor powersave keeps the processor at its lowest clock",
               "scaling_governor", hardware.processor->governor.value_or(""));
    AddEvidence(finding, "scaling_driver", std::string(FactOf(hardware, probe::kFrequencyDriverFact)));
    finding.fix.push_back(AsRoot("let the clock follow the load, until the next boot",
                                 FactOf(hardware, probe::kBetterGovernorFact),
                                 "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"));
    out.push_back(std::move(finding));
  }
}

}  // namespace

void AddPower(const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  if (!device.hardware || !device.hardware->processor) return;
  const auto& hardware = *device.hardware;
  if (const auto source = FactOf(hardware, probe::kPowerSourceFact); source == "battery") {
    auto finding = Slower("battery", device, "the machine runs on its battery", "power_supply", source);
    finding.fix.push_back({"plug the machine in and measure again", "whichgpu --measure", false, false});
    out.push_back(std::move(finding));
  }
  const auto profile = FactOf(hardware, probe::kPowerProfileFact);
  if (profile == "low-power" || profile == "quiet") {
    auto finding = Slower("profile", device, fmt::format("the machine's power profile is {}", profile),
                          "platform_profile", profile);
    finding.fix.push_back(AsRoot("choose a power profile that saves less, until the next boot",
                                 FactOf(hardware, probe::kBetterProfileFact),
                                 "/sys/firmware/acpi/platform_profile"));
    out.push_back(std::move(finding));
  }
  AddClock(device, out);
}

}  // namespace report::explain
