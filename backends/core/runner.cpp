// SPDX-License-Identifier: MIT
#include "backends/core/runner.h"

#include <algorithm>
#include <deque>
#include <new>

#include "backends/core/budget.h"
#include "backends/core/contest.h"
#include "backends/core/reporter.h"
#include "backends/core/timing.h"
#include "probe/system/clock.h"

namespace backends {
namespace {

using kernels::Variant;
using probe::Stage;

// The least wall time of a launch that does next to nothing: what submission and completion cost.
double RoundTrip(Session& session, OperandWriter& writer, Budget& budget) {
  constexpr std::uint32_t kCount = 4096;
  constexpr int kTries = 5;
  BufferRequest request{kCount * sizeof(std::uint32_t), {}};
  writer.AddViews(kernels::Dtype::kU32, request.views);
  if (request.views.empty()) return 0;
  const auto buffer = session.Allocate(request);
  if (!buffer) return 0;
  double least_s = 0;
  for (int i = 0; i < kTries && least_s < kMinBatchSeconds; ++i) {
    const auto write = [&] { return writer.Write(*buffer, kernels::Dtype::kU32, kCount, 0); };
    // The first one may compile.
    if (i == 0 && !budget.Excused(write)) break;
    const double start_s = budget.Now();
    if (!write()) break;
    const double elapsed_s = budget.Now() - start_s;
    least_s = i == 0 ? elapsed_s : std::min(least_s, elapsed_s);
  }
  session.Release(*buffer);
  return least_s;
}

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
    try {
      for (Series& series : contests.emplace_back(context, task).Decide()) all.push_back(std::move(series));
    } catch (const std::bad_alloc&) {
      reporter.Fail(*task.variants.front(), {}, MeasurementStatus::kFailed, Stage::kVerify,
                    "this process has not the memory to check the result");
    }
  }
  if (!all.empty()) TimeAll(all, reporter, budget, RoundTrip(session, writer, budget));
  for (const Series& series : all) reporter.Finish(series);
}

void Measure(Session& session, std::span<const Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink) {
  const probe::system::SteadyTime start = probe::system::Now();
  Measure(session, variants, request, sink, [start] { return probe::system::SecondsSince(start); });
}

}  // namespace backends
