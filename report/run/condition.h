// SPDX-License-Identifier: MIT
// What became of a device by one runtime, by which it is decided who has the plan of equal ones, and who
// takes part in what is between several.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/core/measurement.h"
#include "probe/core/device.h"

namespace report {

enum class Condition {
  kWhole,  // also where single kernels failed
  kEnded,  // it computes, and came to an end that no kernel explains
  kFull,   // others hold so much of its memory that there was no room for what is measured first
  kWrong,  // of its products or of its reads none was right, and some were wrong
  kDead
};

[[nodiscard]] Condition ConditionOf(const std::vector<backends::Measurement>& known,
                                    const std::string& device_id, const probe::RuntimeDevice& device);

// Why such a one is left out of what is between several; "" of a whole one.
[[nodiscard]] std::string_view WhyLeftOut(Condition condition);

// There was no time to open the device.
[[nodiscard]] bool IsUnopened(const backends::Measurement& measurement);

}  // namespace report
