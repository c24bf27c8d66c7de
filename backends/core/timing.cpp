// SPDX-License-Identifier: MIT
#include "backends/core/timing.h"

#include <algorithm>
#include <cmath>

namespace backends {
namespace {

constexpr double kRampBatchSeconds = 0.010;
constexpr double kRampMaxSeconds = 1.0;
constexpr double kRampAgreement = 1.02;
constexpr double kClockToleranceSeconds = 20e-6;  // two clocks are read at two moments
constexpr double kClockTolerance = 1.02;
constexpr double kMinEventShare = 0.5;
// A batch is expected to take that much longer than the last one at most.
constexpr double kCaution = 1.25;

// Runs one batch and keeps its times; false on an error.
bool RunBatch(Series& series, std::uint32_t turns, Budget& budget) {
  const double start_s = budget.Now();
  const auto batch = series.workload.RunTurns(turns);
  if (!batch) {
    series.error = batch.error();
    series.finished = true;
    return false;
  }
  if (!series.first_at_s) series.first_at_s = start_s;
  const auto& [timing, executions] = *batch;
  // A session that forgot the wall clock is not believed either.
  const double wall_s = timing.wall_s > 0 ? timing.wall_s : budget.Now() - start_s;
  series.wall_s.push_back(wall_s / executions);
  series.device_s.push_back(timing.device_s ? std::optional(*timing.device_s / executions) : std::nullopt);
  series.expected_s = wall_s / executions;
  series.last_at_s = budget.Now();
  return true;
}

// A batch is so many copies of the workload, that take so long.
struct Batch {
  std::uint32_t turns = 1;
  double expected_s = 0;
};
Batch NextBatch(const Series& series, double round_trip_s) {
  const double turn_s = series.expected_s / series.workload.shape().copies;
  const std::uint32_t turns = BatchRepeats(turn_s, round_trip_s);
  return {turns, turn_s * turns};
}

// Of so many batches of a series one is watched: a question may be one to the card's own processor.
constexpr std::size_t kWatchEvery = 4;
bool IsDue(const Series& series) { return series.wall_s.size() % kWatchEvery == 0; }

void NoteState(Series& series) {
  const DeviceState state = series.workload.State();
  if (!state.throttled_by.empty()) series.throttled_by = state.throttled_by;
  if (!state.limited_by.empty()) series.limited_by = state.limited_by;
  series.least_clock_share = std::min(series.least_clock_share, state.clock_share.value_or(1));
  if (state.clock_hz) series.clocks_hz.push_back(*state.clock_hz);
  // An absent one is below every other.
  series.temperature_c = std::max(series.temperature_c, state.temperature_c);
  series.power_w = std::max(series.power_w, state.power_w);
  series.pcie = probe::Faster(series.pcie, state.pcie);
}

bool Agree(std::span<const double> times_s) {
  if (times_s.size() < 3) return false;
  const auto last = times_s.last(3);
  const auto [low, high] = std::minmax_element(last.begin(), last.end());
  return *high <= kRampAgreement * *low;
}

bool Converged(const Series& series, double now_s) {
  if (series.wall_s.size() < kMinBatches || now_s - *series.first_at_s < kMinSpanSeconds) return false;
  return RelativeSpread(Summarise(ChooseClock(series).times_s)) <= kGoodSpread;
}

// One turn of one series.
void Advance(Series& series, Budget& budget, double round_trip_s) {
  const Batch batch = NextBatch(series, round_trip_s);
  if (kCaution * batch.expected_s > budget.Remaining()) {
    series.finished = true;
    series.out_of_time = true;
    return;
  }
  const bool due = IsDue(series);
  if (due) series.is_watched = series.workload.Watch();
  if (!RunBatch(series, batch.turns, budget)) return;
  // Where it can not be watched: the clocks right after a batch are near those that it ran at.
  if (due || !series.is_watched) NoteState(series);
  series.finished = Converged(series, budget.Now());
}

// Seconds to `batches` batches.
double Missing(const Series& series, std::size_t batches, double round_trip_s) {
  if (series.finished || series.wall_s.size() >= batches) return 0;
  return static_cast<double>(batches - series.wall_s.size()) * NextBatch(series, round_trip_s).expected_s;
}

// Ends the last in line where the budget can not last for all. A few batches everyone has.
void LeaveOut(std::span<Series> all, const Budget& budget, double round_trip_s) {
  constexpr std::size_t kFew = 3;
  for (const std::size_t batches : {kFew, std::size_t{kMinBatches}}) {
    double missing_s = 0;
    for (const Series& series : all) missing_s += Missing(series, batches, round_trip_s);
    for (std::size_t i = all.size(); i-- > 1 && missing_s > budget.Remaining();) {
      const double own_s = Missing(all[i], batches, round_trip_s);
      // One that has not had those few yet will be left out then.
      const double few_s = batches > kFew ? Missing(all[i], kFew, round_trip_s) : 0;
      missing_s -= own_s - few_s;
      if (own_s == 0 || few_s > 0) continue;
      all[i].finished = true;
      all[i].out_of_time = true;
    }
  }
}

bool IsBoundByMemory(const Series& series) {
  return kernels::Row(series.workload.variant().kernel).unit == kernels::Row(kernels::Kernel::kRead).unit;
}

// Of the time that a turn of all takes, without those that the budget left out.
double ShareOfMemory(std::span<const Series> all, double round_trip_s) {
  double memory_s = 0;
  double all_s = 0;
  for (const Series& series : all) {
    if (series.out_of_time) continue;
    const double batch_s = NextBatch(series, round_trip_s).expected_s;
    all_s += batch_s;
    if (IsBoundByMemory(series)) memory_s += batch_s;
  }
  return all_s > 0 ? memory_s / all_s : 0;
}

constexpr std::size_t kLateBatches = 5;
constexpr double kMostLateShare = 0.1;  // of what is left for the timing
// What was sampled since then has not been left alone for long enough to drift.
constexpr double kLateGapSeconds = 0.25;

bool IsLookedAtLate(const Series& series) {
  return IsBoundByMemory(series) && series.rank == 0 && !series.error;
}

// Seconds that the late batches of all take; 0 where they would take too much of the time.
double LateSeconds(std::span<const Series> all, const Budget& budget, double round_trip_s) {
  double late_s = 0;
  for (const Series& series : all) {
    if (IsLookedAtLate(series))
      late_s += kLateBatches * kCaution * NextBatch(series, round_trip_s).expected_s;
  }
  return late_s <= kMostLateShare * budget.Remaining() ? late_s : 0;
}

void LookLate(std::span<Series> all, Budget& budget, double round_trip_s) {
  for (std::size_t i = 0; i < kLateBatches; ++i) {
    for (Series& series : all) {
      if (!IsLookedAtLate(series) || series.wall_s.size() < kMinBatches) continue;
      if (i == 0 && budget.Now() - series.last_at_s < kLateGapSeconds) continue;
      const Batch batch = NextBatch(series, round_trip_s);
      if (series.late != i || kCaution * batch.expected_s > budget.Remaining()) continue;
      if (RunBatch(series, batch.turns, budget)) ++series.late;
    }
  }
}

}  // namespace

std::uint32_t BatchRepeats(double execution_s, double round_trip_s) {
  const double execution = std::max(execution_s, 1e-9);
  const double wanted_s =
      std::min(std::max(kMinBatchSeconds, kRoundTripsABatch * round_trip_s), kMaxBatchSeconds);
  const double repeats = std::min(std::ceil(wanted_s / execution), std::floor(kMaxBatchSeconds / execution));
  return static_cast<std::uint32_t>(std::clamp(repeats, 1.0, 1e6));
}

double LeastClockShare(const Series& series) {
  constexpr double kLeftOut = 0.1;
  if (series.clocks_hz.size() < kMinBatches) return series.least_clock_share;
  const double least_hz = Percentile(series.clocks_hz, kLeftOut);
  return std::min(series.least_clock_share, least_hz / Percentile(series.clocks_hz, 1 - kLeftOut));
}

void Ramp(Series& series, Budget& budget, double ramp_least_s) {
  const double start_s = budget.Now();
  const double cap_s = std::min(kRampMaxSeconds, budget.Remaining() / 8);
  const double least_s = std::min(ramp_least_s, cap_s);
  while (!series.error) {
    const auto repeats =
        static_cast<std::uint32_t>(std::max(1.0, std::ceil(kRampBatchSeconds / series.expected_s)));
    const double elapsed_s = budget.Now() - start_s;
    if (elapsed_s + series.expected_s * repeats > cap_s) break;
    if (elapsed_s >= least_s && Agree(series.wall_s)) break;
    RunBatch(series, repeats * series.workload.shape().copies, budget);
  }
  series.wall_s.clear();
  series.device_s.clear();
  series.first_at_s.reset();
}

void TimeInterleaved(std::span<Series> all, Budget& budget, double round_trip_s,
                     const std::function<void()>& between_turns) {
  // Those that take part, turn by turn, as long as they may.
  const auto interleave = [&](const auto& takes_part, const auto& may) {
    const auto open = [&](const Series& series) { return !series.finished && takes_part(series); };
    const auto first_in_line = [&](const Series& series) { return open(series) && series.rank < kLastRank; };
    while (std::any_of(all.begin(), all.end(), open) && may()) {
      LeaveOut(all, budget, round_trip_s);
      const bool others_wait = std::any_of(all.begin(), all.end(), first_in_line);
      for (Series& series : all) {
        const bool waits = others_wait && series.rank == kLastRank && series.wall_s.size() >= kMinBatches;
        if (open(series) && !waits) Advance(series, budget, round_trip_s);
      }
      if (between_turns) between_turns();
    }
  };
  const double late_s = LateSeconds(all, budget, round_trip_s);
  const double start_s = budget.Now();
  const double total_s = budget.Remaining() - late_s;
  const auto in_its_share = [&] {
    const bool in_need = std::any_of(all.begin(), all.end(), [](const Series& series) {
      return IsBoundByMemory(series) && !series.finished && series.wall_s.size() < kMinBatches;
    });
    return in_need || budget.Now() - start_s < ShareOfMemory(all, round_trip_s) * total_s;
  };
  const auto always = [] { return true; };
  budget.Keeping(late_s, [&] {
    interleave(IsBoundByMemory, in_its_share);
    interleave([](const Series& series) { return !IsBoundByMemory(series); }, always);
    interleave([](const Series&) { return true; }, always);
  });
  if (late_s > 0) LookLate(all, budget, round_trip_s);
}

ChosenTimes ChooseClock(const Series& series) {
  ChosenTimes chosen;
  std::vector<double> shares;
  for (std::size_t i = 0; i < series.wall_s.size(); ++i) {
    const std::optional<double>& device_s = series.device_s[i];
    const double wall_s = series.wall_s[i];
    if (!device_s) {
      chosen.host_timed = true;
    } else if (!std::isfinite(*device_s) || *device_s <= 0) {
      chosen.host_timed = true;
      chosen.reason = "the runtime's event times are zero or not finite: timed by the host";
    } else if (*device_s > kClockTolerance * wall_s + kClockToleranceSeconds) {
      chosen.host_timed = true;
      chosen.reason = "the runtime's event times exceed the wall clock: timed by the host";
    } else {
      shares.push_back(*device_s / wall_s);
      chosen.times_s.push_back(*device_s);
    }
  }
  if (!chosen.host_timed && !shares.empty() && Percentile(shares, 0.5) < kMinEventShare) {
    chosen.host_timed = true;
    chosen.reason = "the runtime's event times are under half of the wall clock: timed by the host";
  }
  if (chosen.host_timed) chosen.times_s = series.wall_s;
  return chosen;
}

}  // namespace backends
