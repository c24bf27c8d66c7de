// SPDX-License-Identifier: MIT
// Facts of the processor's hardware that say what the machine is powered by and told to save
// (probe/system/power.h has what they may say).
#pragma once

#include <string_view>

namespace probe {

inline constexpr std::string_view kPowerSourceFact = "power_source";    // "mains", "battery"
inline constexpr std::string_view kPowerProfileFact = "power_profile";  // "low-power", "balanced", ...
inline constexpr std::string_view kFrequencyDriverFact = "frequency_driver";
inline constexpr std::string_view kFrequencyPreferenceFact = "frequency_preference";
// What keeps the processor's clock low: "governor", at its lowest, or "preference", for saving power.
inline constexpr std::string_view kClockHeldByFact = "clock_held_by";

// A value for each of these that saves less, of those that the kernel offers; absent where it offers none.
inline constexpr std::string_view kBetterGovernorFact = "better_governor";
inline constexpr std::string_view kBetterPreferenceFact = "better_preference";
inline constexpr std::string_view kBetterProfileFact = "better_power_profile";

}  // namespace probe
