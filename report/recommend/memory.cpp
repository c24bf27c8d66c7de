// SPDX-License-Identifier: MIT
// What the answer owes to memory that decides, or that nobody says.
#include <fmt/format.h>

#include <algorithm>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"

namespace report::recommend {
namespace {

// "; say how much, such as ram=64GiB", where the caller can.
std::string SayText(const probe::PhysicalDevice* device) {
  const auto how = device ? HowToSayMemory(*device) : "";
  return how.empty() ? "" : fmt::format("; say how much, such as {}", how);
}

const probe::PhysicalDevice* ProcessorOf(const Report& report) {
  const auto found = std::find_if(report.devices.begin(), report.devices.end(),
                                  [](const auto& device) { return device.kind == probe::DeviceKind::kCpu; });
  return found == report.devices.end() ? nullptr : &*found;
}

}  // namespace

Reason OneOfSeveralReason(const Report& report, const Score& chosen) {
  const auto* device = FindDevice(report.devices, chosen.device_id);
  if (!device || !IsGpu(*device)) return {};
  const auto equal = std::count_if(report.devices.begin(), report.devices.end(), [&](const auto& other) {
    return &other != device && AreEqualGpus(other, *device);
  });
  if (equal == 0) return {};
  return {ReasonId::kOneOfSeveral,
          fmt::format("the figures are of one of {} equal GPUs, not of all together", equal + 1)};
}

NothingFits NothingFitsOf(const Score& chosen) {
  const WorkMemory& memory = chosen.memory;
  NothingFits told;
  told.needed_bytes = chosen.needed_bytes.value_or(0);
  told.available_bytes = chosen.use == Use::kTraining ? memory.own_bytes : memory.OnePlace();
  if (memory.kind == MemoryKind::kOwn && !memory.HostHolds(chosen.on_host_bytes))
    told.host_bytes = memory.host_bytes;
  told.smaller_bytes = chosen.smaller_bytes;
  return told;
}

void WarnOfMemory(const Report& report, const Score& chosen, Recommendation& answer) {
  const auto* device = FindDevice(report.devices, chosen.device_id);
  const WorkMemory& memory = chosen.memory;
  const auto work = WorkText(report, chosen.use);
  if (!memory.own_bytes) {
    const auto whose = memory.kind == MemoryKind::kHosts ? std::string("the processor")
                                                         : DeviceName(report.devices, chosen.device_id);
    answer.warnings.emplace_back(
        WarningKind::kMemoryUntold, chosen.device_id,
        fmt::format("nobody says how much memory {} has: it is supposed that {} fits{}", whose, work,
                    SayText(device)));
  } else if (chosen.on_host_bytes > 0 && !memory.host_bytes) {
    answer.warnings.emplace_back(
        WarningKind::kMemoryUntold, std::string(kProcessorId),
        fmt::format("nobody says how much memory the processor has: it is supposed to hold {} of {}{}",
                    BytesText(chosen.on_host_bytes), work, SayText(ProcessorOf(report))));
  }
}

}  // namespace report::recommend
