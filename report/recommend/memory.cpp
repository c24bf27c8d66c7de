// SPDX-License-Identifier: MIT
// What the answer owes to memory that decides, or that nobody says.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"

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

bool HasFailedBy(const Report& report, const probe::PhysicalDevice& device, const Score& score) {
  const auto* view = FindView(device, score.runtime, score.driver);
  return !view || HasFailed(report, device, *view);
}

// How many GPUs that equal the answer's, with it, hold by what is free of each what it does not hold alone;
// nullopt where it does, where all that the caller has a use for do not, and of partitions: a process sees
// one.
std::optional<std::size_t> HeldTogether(const Report& report, const Score& chosen) {
  const auto* device = FindDevice(report.devices, chosen.device_id);
  const auto& own = chosen.memory.own_bytes;
  if (!device || PartitionOf(*device) || chosen.memory.kind != MemoryKind::kOwn || !own ||
      !chosen.needed_bytes || *chosen.needed_bytes <= *own)
    return std::nullopt;
  std::vector<double> others;
  for (const Score& score : report.scores) {
    const auto* other = FindDevice(report.devices, score.device_id);
    if (score.use == chosen.use && score.runtime == chosen.runtime && score.driver == chosen.driver &&
        other != device && other && AreEqualGpus(*other, *device) && score.memory.own_bytes &&
        !IsOmitted(report, score) && !HasFailedBy(report, *other, score))
      others.push_back(*score.memory.own_bytes);
  }
  std::sort(others.begin(), others.end(), std::greater<>());
  double held = *own;
  for (std::size_t i = 0; i < others.size(); ++i) {
    held += others[i];
    if (held >= *chosen.needed_bytes) return i + 2;
  }
  return std::nullopt;
}

}  // namespace

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
  if (const auto together = HeldTogether(report, chosen))
    answer.warnings.emplace_back(
        WarningKind::kHeldByOther, chosen.device_id,
        fmt::format("{} of these GPUs together hold {}: what a program makes of several is not predicted",
                    *together, work));
  if (memory.IsTold(chosen.on_host_bytes)) return;
  if (!memory.own_bytes) {
    const auto whose = memory.kind == MemoryKind::kHosts ? std::string("the processor")
                                                         : DeviceName(report.devices, chosen.device_id);
    answer.warnings.emplace_back(
        WarningKind::kMemoryUntold, chosen.device_id,
        fmt::format("nobody says how much memory {} has: it is supposed that {} fits{}", whose, work,
                    SayText(device)));
  } else {
    answer.warnings.emplace_back(
        WarningKind::kMemoryUntold, std::string(kProcessorId),
        fmt::format("nobody says how much memory the processor has: it is supposed to hold {} of {}{}",
                    BytesText(chosen.on_host_bytes), work, SayText(ProcessorOf(report))));
  }
}

}  // namespace report::recommend
