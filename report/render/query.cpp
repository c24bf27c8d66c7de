// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

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

MachineCode ExitCodeOf(const Report& report) {
  if (report.other_gpus == OtherGpus::kNone &&
      std::none_of(report.devices.begin(), report.devices.end(), IsGpu))
    return !report.hidden_gpus.empty()    ? MachineCode::kUnusableGpu
           : WhyNotLooked(report).empty() ? MachineCode::kNoGpu
                                          : MachineCode::kGpuNotAsked;
  const auto is_asked = [&](const auto& device) {
    return IsGpu(device) && !report.not_asked.device_ids.contains(device.id);
  };
  const bool asked = std::any_of(report.devices.begin(), report.devices.end(), is_asked);
  const bool one_was_left_out = !report.not_asked.device_ids.empty();
  if (!asked && (one_was_left_out || report.other_gpus != OtherGpus::kUnusable))
    return MachineCode::kGpuNotAsked;
  const bool usable = std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    const bool ran = score.basis == Basis::kMeasured || score.basis == Basis::kCached;
    return score.eligible && ran && device && IsGpu(*device);
  });
  if (usable) return MachineCode::kUsableGpu;
  const bool untried =
      asked && std::all_of(report.devices.begin(), report.devices.end(), [&](const auto& device) {
        return !is_asked(device) || WhyUntried(report, device);
      });
  return untried && report.other_gpus != OtherGpus::kUnusable ? MachineCode::kGpuNotAsked
                                                              : MachineCode::kUnusableGpu;
}

}  // namespace report::render
