// SPDX-License-Identifier: MIT
// Days of the calendar.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#include "probe/core/parse.h"

namespace report {

// The day of "2026-11-25"; nullopt of any other form, and of a day that is in no calendar.
[[nodiscard]] inline std::optional<std::chrono::sys_days> DayOf(std::string_view date) {
  constexpr std::string_view kForm = "0000-00-00";
  const auto fits = [](char c, char form) { return form == '0' ? probe::IsDigit(c) : c == form; };
  if (!std::equal(date.begin(), date.end(), kForm.begin(), kForm.end(), fits)) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t length) {
    return probe::ParseNumber<unsigned>(date.substr(at, length)).value_or(0);
  };
  const std::chrono::year_month_day day{std::chrono::year{static_cast<int>(number(0, 4))},
                                        std::chrono::month{number(5, 2)}, std::chrono::day{number(8, 2)}};
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days{day};
}

}  // namespace report
