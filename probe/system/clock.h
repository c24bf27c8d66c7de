// SPDX-License-Identifier: MIT
// Clocks: monotonic time for durations, processor time, and the calendar for dates in reports.
#pragma once

#include <chrono>
#include <string>

namespace probe::system {

using SteadyTime = std::chrono::steady_clock::time_point;

[[nodiscard]] inline SteadyTime Now() { return std::chrono::steady_clock::now(); }
[[nodiscard]] inline double SecondsSince(SteadyTime start) {
  return std::chrono::duration<double>(Now() - start).count();
}
// Processor time that all threads of this process have used, in seconds.
[[nodiscard]] double ProcessorSeconds();
// The same of this process and of its children that have ended.
[[nodiscard]] double ProcessorSecondsWithChildren();
// UTC as `2026-11-21T12:00:00Z`.
[[nodiscard]] std::string CalendarNow();

}  // namespace probe::system
