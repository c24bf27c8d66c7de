// SPDX-License-Identifier: MIT
// The names of the measuring types' enums.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "backends/core/measurement.h"
#include "probe/core/names.h"

namespace probe {

template <>
struct EnumNames<backends::MeasurementStatus> {
  using Status = backends::MeasurementStatus;
  static constexpr std::array<std::pair<Status, std::string_view>, 10> kNames = {{
      {Status::kOk, "ok"},
      {Status::kWrongResult, "wrong_result"},
      {Status::kImplausible, "implausible"},
      {Status::kUnsupported, "unsupported"},
      {Status::kOverBudget, "over_budget"},
      {Status::kFailed, "failed"},
      {Status::kCrashed, "crashed"},
      {Status::kTimedOut, "timed_out"},
      {Status::kSkipped, "skipped"},
      {Status::kInterrupted, "interrupted"},
  }};
};

template <>
struct EnumNames<backends::Quality> {
  static constexpr std::array<std::pair<backends::Quality, std::string_view>, 3> kNames = {{
      {backends::Quality::kGood, "good"},
      {backends::Quality::kFair, "fair"},
      {backends::Quality::kNoisy, "noisy"},
  }};
};

}  // namespace probe
