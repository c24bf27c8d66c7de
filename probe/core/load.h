// SPDX-License-Identifier: MIT
// How busy a device was when it was found: the fact that tells it, from when on it counts, and how people are
// told.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace probe {

// In percent of the time; before this program used the device.
inline constexpr std::string_view kUtilizationFact = "utilization_percent";
// Less is a desktop's own drawing.
inline constexpr unsigned kBusyPercent = 10;

// "93 % busy"; empty where the device is not busy.
[[nodiscard]] inline std::string BusyText(unsigned percent) {
  return percent >= kBusyPercent ? std::to_string(std::min(percent, 100U)) + " % busy" : "";
}

}  // namespace probe
