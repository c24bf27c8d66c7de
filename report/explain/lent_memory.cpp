// SPDX-License-Identifier: MIT
#include "report/explain/lent_memory.h"

#include <fmt/format.h>

#include "report/core/quantity.h"

namespace report::explain {

void AddLentMemory(const probe::PhysicalDevice& device, std::vector<Finding>& out) {
  const auto& memory = device.memory;
  if (device.kind != probe::DeviceKind::kIntegrated || !device.hardware || !memory.total_bytes ||
      !memory.gtt_bytes || *memory.total_bytes >= *memory.gtt_bytes) {
    return;
  }
  Finding finding;
  finding.id = "memory.carve-out." + device.id;
  finding.layer = "kernel_driver";
  finding.severity = Severity::kNote;
  finding.device_id = device.id;
  finding.summary = fmt::format("{} has {} of its own and borrows up to {} of the host's memory", device.name,
                                BytesText(*memory.total_bytes), BytesText(*memory.gtt_bytes));
  finding.meaning =
      "the firmware sets the first apart; the kernel driver lends the second, which some programs do not "
      "count";
  if (memory.usable_bytes) finding.evidence.push_back({"usable now", BytesText(*memory.usable_bytes)});
  finding.fix.push_back(
      {"for programs that see the set-apart part alone, raise it in the firmware's setup (UMA frame "
       "buffer size)",
       std::nullopt, false, true});
  finding.fix.push_back({"what is lent grows with the kernel parameter ttm.pages_limit, in pages of 4 KiB",
                         std::nullopt, true, true});
  out.push_back(std::move(finding));
}

}  // namespace report::explain
