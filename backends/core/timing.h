// SPDX-License-Identifier: MIT
// The timing protocol: ramp, batches, interleaving, when to stop, and which clock to believe. Times what it
// is given and judges no result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/core/budget.h"
#include "backends/core/statistics.h"
#include "backends/core/workload.h"

namespace backends {

inline constexpr double kMinBatchSeconds = 0.005;
inline constexpr double kMaxBatchSeconds = 0.100;
inline constexpr double kRoundTripsABatch = 20;
inline constexpr double kMinSpanSeconds = 1.0;  // a figure's samples are spread over at least that

inline constexpr int kLastRank = 3;  // of Series::rank: a figure that only explains

// One workload and the batches timed so far; times of one execution each.
struct Series {
  Workload workload;
  double expected_s = 0;          // of one execution, from the last time that it ran
  double max_relative_error = 0;  // found when it was verified
  std::vector<double> wall_s{};
  std::vector<std::optional<double>> device_s{};  // one for each of wall_s
  std::optional<double> first_at_s{};
  bool finished = false;
  bool out_of_time = false;  // ended by the budget
  std::optional<probe::Error> error{};
  int rank = 0;                // in line for the budget, up to kLastRank
  std::string throttled_by{};  // what the device named during any batch
  double least_clock_share = 1;
  std::vector<double> clocks_hz{};  // measured after batches, where nobody says that share
  double last_at_s = 0;             // when the last batch ended
  std::size_t late = 0;             // of the last batches, those that tell whether its speed has drifted
  std::string limited_by{};         // DeviceState's, of any batch
  bool is_watched = false;          // while some of the batches run, not after each
  // The highest that were seen, and the fastest link.
  std::optional<double> temperature_c{};
  std::optional<double> power_w{};
  std::optional<probe::PcieLink> pcie{};
};

// The least clock that the device had while this ran, as a share. Where the device says it, the share is of
// its highest clock; where clocks were measured, of the highest among these, without a tenth of them at
// either end, because hypervisors interrupt measurements and set clocks.
[[nodiscard]] double LeastClockShare(const Series& series);

// Below this share of its highest clock a device is throttled, whoever holds it back.
inline constexpr double kThrottledClockShare = 0.75;

// Executions a batch: the fewest that last max(5 ms, 20 round trips), and none beyond 100 ms but the first.
[[nodiscard]] std::uint32_t BatchRepeats(double execution_s, double round_trip_s);

// Runs until the clocks are up: at least `least_s` and until three batches of 10 ms agree within 2 %; at most
// 1 s, and at most an eighth of what is left of the budget.
inline constexpr double kRampSeconds = 0.250;
void Ramp(Series& series, Budget& budget, double least_s = kRampSeconds);

// Times all of them turn by turn, one batch of each a turn, so that a disturbance hits every figure alike. A
// figure is done when it has ten batches, its median's interval is within 1.5 %, and a second lies between
// its first batch and its last; all are done when the budget ends.
//
// There are three rounds: kernels bound by memory, for ten batches and no more than their share of the
// budget; kernels bound by arithmetic; and what the first have left to do. They are kept apart because among
// products a triad is up to a seventh slower than alone (measured on an EPYC; an extra execution before each
// batch does not mend it), so that its figure would depend on how long the others took. At the very end the
// memory-bound kernels that every decision rests on get a few more batches: memory of shared machines changes
// its speed within seconds.
//
// Where the budget can not last for ten batches of all, the last in line get three, or none. Those of the
// last rank get no more than ten while any of another rank needs more. `between_turns`, if given, runs after
// every turn.
void TimeInterleaved(std::span<Series> all, Budget& budget, double round_trip_s,
                     const std::function<void()>& between_turns = {});

// The times to judge by. The runtime's events are believed if there is one for every batch, each is positive,
// none is longer than the batch took on the wall clock, and their median is at least half of the wall
// clock's: a batch is so long that submitting it is little beside it. Else the wall clock's times are taken,
// and `reason` says what was wrong with the events; it is empty where there were none.
struct ChosenTimes {
  std::vector<double> times_s;
  bool host_timed = false;
  std::string reason;
};
[[nodiscard]] ChosenTimes ChooseClock(const Series& series);

}  // namespace backends
