// SPDX-License-Identifier: MIT
#include "report/render/query.h"

#include <algorithm>

#include "report/core/devices.h"

namespace report::render {

std::string Token(const Recommendation& recommendation) {
  const auto& token = recommendation.backend;
  const bool plain = !token.empty() && std::all_of(token.begin(), token.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain ? token : "unknown";
}

MachineCode ExitCodeOf(const Report& report) {
  if (std::none_of(report.devices.begin(), report.devices.end(), IsGpu)) return MachineCode::kNoGpu;
  const bool usable = std::any_of(report.scores.begin(), report.scores.end(), [&](const Score& score) {
    const auto* device = FindDevice(report.devices, score.device_id);
    return score.eligible && score.basis != Basis::kEstimated && device && IsGpu(*device);
  });
  return usable ? MachineCode::kUsableGpu : MachineCode::kUnusableGpu;
}

}  // namespace report::render
