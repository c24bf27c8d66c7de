// SPDX-License-Identifier: MIT
// Turns what was measured of every way to reach a device into tokens per second for each use, and says which
// of them may be recommended. Pure; decides no order.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::score {

inline constexpr std::array kUses = {Use::kInference, Use::kPrefill, Use::kDecode, Use::kTraining};

// One score for every use and every (device, runtime, driver) that has a view, in that order.
//
// tokens_per_s is there where a product and a read were measured and verified, whether eligible or not. Not
// eligible are: what was not measured and verified (with what happened instead), software devices (they only
// reach the processor), and for training the runtimes that no framework trains on. A model that does not fit
// the device's memory is split with the processor; reasons[] says so. Where time ran out before a figure that
// scoring needs was measured, that of `estimates` stands in (basis estimated): for the processor, and where
// something else was verified.
[[nodiscard]] std::vector<Score> ScoreAll(const Tables& tables,
                                          std::span<const probe::PhysicalDevice> devices,
                                          std::span<const backends::Measurement> measurements,
                                          std::span<const backends::Measurement> estimates = {});

}  // namespace report::score
