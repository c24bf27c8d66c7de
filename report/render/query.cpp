// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/core/devices.h"
#include "report/render/faces.h"

namespace report::render {
std::string Token(const Recommendation& recommendation) {
  const auto& token = recommendation.backend;
  const bool plain = !token.empty() && std::all_of(token.begin(), token.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain ? token : "unknown";
}

std::string NoAnswerText(const NoAnswer& none) {
  return fmt::format("no answer for {}: {}", none.asked, none.reason);
}

namespace {

// By the best of what probes show of it.
Usability UsabilityOfGpu(const Report& report, const probe::PhysicalDevice& gpu) {
  auto best = Usability::kNo;
  for (const auto& view : gpu.views) {
    if (!IsSupposed(view)) best = std::max(best, UsabilityOf(report, gpu, view));
  }
  return best;
}

}  // namespace

MachineCode ExitCodeOf(const Report& report) {
  if (report.other_gpus == OtherGpus::kNone &&
      std::none_of(report.devices.begin(), report.devices.end(), IsGpu))
    return !report.hidden_gpus.empty()    ? MachineCode::kUnusableGpu
           : WhyNotLooked(report).empty() ? MachineCode::kNoGpu
                                          : MachineCode::kGpuNotAsked;
  std::vector<Usability> asked;
  const auto divided = ParentIds(report.devices);
  for (const auto& device : report.devices) {
    if (IsUsedByParts(divided, device)) continue;
    if (IsGpu(device) && !report.not_asked.device_ids.contains(device.id))
      asked.push_back(UsabilityOfGpu(report, device));
  }
  const auto has = [&](Usability one) { return std::find(asked.begin(), asked.end(), one) != asked.end(); };
  if (has(Usability::kYes)) return MachineCode::kUsableGpu;
  if (has(Usability::kNo)) return MachineCode::kUnusableGpu;
  const bool one_was_left_out = asked.empty() && !report.not_asked.device_ids.empty();
  return report.other_gpus == OtherGpus::kUnusable && !one_was_left_out ? MachineCode::kUnusableGpu
                                                                        : MachineCode::kGpuNotAsked;
}

}  // namespace report::render
