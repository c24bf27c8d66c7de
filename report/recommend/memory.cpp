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

namespace {

// What the GPU runs alone, of work that it holds a part of; "" of any other, and where that is hardly a
// model.
std::string SmallerModelText(const Report& report, const Score& chosen) {
  constexpr double kLeastWeights = 512.0 * 1024 * 1024;
  if (chosen.use != Use::kInference || chosen.memory.kind != MemoryKind::kOwn || chosen.on_host_bytes <= 0 ||
      !chosen.memory.own_bytes || !chosen.needed_bytes || !report.request)
    return "";
  const auto weights =
      *chosen.memory.own_bytes - (*chosen.needed_bytes - report.request->inference.weight_bytes);
  if (weights < kLeastWeights) return "";
  return fmt::format("{} alone runs smaller models, or fewer bits a weight, up to {}",
                     DeviceName(report.devices, chosen.device_id), BytesText(weights));
}

}  // namespace

void WarnOfMemory(const Report& report, const Score& chosen, Recommendation& answer) {
  const WorkMemory& memory = chosen.memory;
  const auto work = WorkText(report, chosen.use);
  const auto together = HeldTogether(report, chosen);
  if (together)
    answer.warnings.emplace_back(
        WarningKind::kHeldByOther, chosen.device_id,
        fmt::format("{} of these GPUs together hold {}: what a program makes of several is not predicted",
                    *together, work));
  if (const auto smaller = SmallerModelText(report, chosen); !together && !smaller.empty())
    answer.warnings.emplace_back(WarningKind::kHeldByOther, chosen.device_id, smaller);
  if (memory.IsTold(chosen.on_host_bytes)) return;
  answer.warnings.emplace_back(WarningKind::kMemoryUntold,
                               memory.own_bytes ? std::string(kProcessorId) : chosen.device_id,
                               UntoldMemoryText(report, {&chosen}));
}

}  // namespace report::recommend
