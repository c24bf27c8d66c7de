// SPDX-License-Identifier: MIT
// Chooses one backend for one use from the scores, and says what it was chosen over. Pure; knows no runtime
// by name and prefers none: measured order, then maturity among equals.
#pragma once

#include <optional>
#include <string>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::recommend {

// Two point estimates within this share of the faster one tie, whatever their intervals.
inline constexpr double kTieShare = 0.05;

// Whether two ranges tie: their intervals overlap, or their values lie within kTieShare.
[[nodiscard]] bool Ties(const Range& a, const Range& b);

// Reads report.devices, probes, scores, measurements and interrupted. Orders the eligible scores by
// ranking_tokens_per_s; whatever ties with the leader is the tie, and the most mature of it is the answer.
// Without any eligible score the answer is the processor, basis estimated and confidence low. nullopt only
// where an interrupt cut the measuring short. `target` is copied into the answer.
[[nodiscard]] std::optional<Recommendation> Recommend(const Tables& tables, const Report& report, Use use,
                                                      std::optional<std::string> target = std::nullopt);

}  // namespace report::recommend
