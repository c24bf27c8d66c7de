// SPDX-License-Identifier: MIT
#include "backends/core/runner.h"

#include <algorithm>
#include <deque>
#include <new>

#include "backends/core/budget.h"
#include "backends/core/contest.h"
#include "backends/core/overheads.h"
#include "backends/core/reporter.h"
#include "backends/core/timing.h"
#include "probe/system/clock.h"

namespace backends {
namespace {

using kernels::Variant;
using probe::Stage;

// Of the budget, left to the timing when the last kernel has been readied.
constexpr double kTimingShare = 0.4;

void TimeAll(std::vector<Series>& all, const Reporter& reporter, Budget& budget, double round_trip_s) {
  reporter.Enter(Stage::kTime, all.front().workload.variant(), budget.Remaining() + kStallAllowanceSeconds);
  Ramp(all.front(), budget);
  std::string titles;
  for (const Series& series : all)
    titles.append(titles.empty() ? "" : ", ").append(Title(series.workload.variant()));
  reporter.Enter(Stage::kTime, titles, "", budget.Remaining() + kStallAllowanceSeconds);
  TimeInterleaved(all, budget, round_trip_s);
}

}  // namespace

void Measure(Session& session, std::span<const Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink, const MonotonicClock& now) {
  Budget budget(request.budget_s, now);
  const Reporter reporter(request, session.limits(), sink);
  const std::vector<Task> tasks = GroupVariants(variants);
  if (tasks.empty()) return;
  reporter.Enter(Stage::kCompile, "fill", "", request.compile_allowance_s);
  OperandWriter writer = budget.Excused([&] { return OperandWriter(session, variants); });
  const ContestContext context{session, writer, request, reporter, budget};
  std::deque<Contest> contests;
  std::vector<Series> all;
  for (const Task& task : tasks) {
    if (budget.Remaining() < kTimingShare * request.budget_s) {
      reporter.Fail(*task.variants.front(), {}, MeasurementStatus::kOverBudget, Stage::kCompile,
                    "the budget went to the kernels before it");
      continue;
    }
    try {
      for (Series& series : contests.emplace_back(context, task).Decide()) all.push_back(std::move(series));
    } catch (const std::bad_alloc&) {
      reporter.Fail(*task.variants.front(), {}, MeasurementStatus::kFailed, Stage::kVerify,
                    "this process has not the memory to check the result");
    }
  }
  if (!all.empty()) {
    const double round_trip_s = MeasureLaunches(session, writer, reporter, budget);
    if (!OnHost(request.device)) MeasureTransfers(session, reporter, budget);
    TimeAll(all, reporter, budget, round_trip_s);
  }
  for (const Series& series : all) reporter.Finish(series);
}

void Measure(Session& session, std::span<const Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink) {
  const probe::system::SteadyTime start = probe::system::Now();
  Measure(session, variants, request, sink, [start] { return probe::system::SecondsSince(start); });
}

}  // namespace backends
