// SPDX-License-Identifier: MIT
// How the warnings begin that name a limit on the process: with a low one a driver that is well may fail.
#pragma once

#include <string_view>

namespace probe {

inline constexpr std::string_view kOwnLimit = "the limit on ";  // setrlimit(2)
inline constexpr std::string_view kGroupLimit = "the control group's limit on ";

[[nodiscard]] inline bool IsLimit(std::string_view warning) {
  return warning.starts_with(kOwnLimit) || warning.starts_with(kGroupLimit);
}

}  // namespace probe
