// SPDX-License-Identifier: MIT
#include "backends/core/runner.h"

#include <algorithm>
#include <deque>
#include <new>
#include <optional>
#include <utility>

#include "backends/core/contest.h"
#include "backends/core/overheads.h"
#include "backends/core/reporter.h"
#include "backends/core/tasks.h"
#include "backends/core/timing.h"
#include "probe/system/clock.h"

namespace backends {
namespace {

using kernels::Kernel;
using kernels::Variant;
using probe::Stage;

// Of the budget, left to the timing when the last kernel has been readied.
constexpr double kTimingShare = 0.5;
// What ten short batches take: with less for a figure, the last in line are left out.
constexpr double kLeastSlotSeconds = 0.060;
// The same of a software view, whose figures are few: products of two shapes, a read and a matrix-vector
// product. Time for ten batches of each, where half of the budget has it; up to nearly twice as much where
// compiling and all took so little that the whole stays within this share: samples over nearly a second see
// more of what a host does to its processors.
constexpr double kSoftwareTimingShare = 0.25;
constexpr double kSoftwareTimingSeconds = 5 * kLeastSlotSeconds;
constexpr double kSoftwareMostShare = 0.45;
constexpr double kSoftwareWholeShare = 0.7;

// A processor that another runtime has measured already: its software device is to be compared, no more.
bool IsSoftwareView(const MeasureRequest& request) {
  return request.scope == Scope::kRepeat && OnHost(request.device);
}

double TimingSeconds(const MeasureRequest& request) {
  const double most_s = kTimingShare * request.budget_s;
  if (!IsSoftwareView(request)) return most_s;
  return std::min(most_s, std::max(kSoftwareTimingShare * request.budget_s, kSoftwareTimingSeconds));
}

// As many tasks as there are slots for, at least one; the others are reported.
std::vector<Task> Afford(std::vector<Task> tasks, const MeasureRequest& request, const Reporter& reporter) {
  const double timing_s = TimingSeconds(request);
  int figures = 0;
  std::size_t kept = 0;
  for (; kept < tasks.size(); ++kept) {
    figures += FigureCount(tasks[kept], request);
    if (kept > 0 && figures * kLeastSlotSeconds > timing_s) break;
  }
  for (std::size_t i = kept; i < tasks.size(); ++i) {
    reporter.Fail(*tasks[i].variants.front(), {}, MeasurementStatus::kOverBudget, Stage::kCompile,
                  "the budget has no time for it beside the kernels before it");
  }
  tasks.resize(kept);
  return tasks;
}

// Tasks and variants that the figures name.
void KeepFigures(std::span<const Figure> figures, std::vector<Task>& tasks) {
  for (Task& task : tasks) {
    const auto own = FiguresOf(task, figures);
    std::erase_if(task.variants, [&](const Variant* variant) {
      return std::none_of(own.begin(), own.end(),
                          [&](const Figure& figure) { return figure.implementation == variant->name; });
    });
  }
  std::erase_if(tasks, [](const Task& task) { return task.variants.empty(); });
}

// Of an equal device one product is measured: among those that it can.
std::vector<Task> Candidates(std::span<const Variant> variants, const MeasureRequest& request,
                             const Limits& limits) {
  auto tasks = GroupVariants(variants);
  if (!request.figures.empty()) KeepFigures(request.figures, tasks);
  const auto is_gemv = [](const Task& task) { return task.kernel == Kernel::kGemv; };
  const auto is_q4_gemv = [&](const Task& task) { return is_gemv(task) && task.in == kernels::Dtype::kQ4; };
  if (IsSoftwareView(request) && std::any_of(tasks.begin(), tasks.end(), is_q4_gemv))
    std::erase_if(tasks, [&](const Task& task) { return is_gemv(task) && !is_q4_gemv(task); });
  if (request.scope != Scope::kBrief) return tasks;
  std::erase_if(tasks, [&](const Task& task) {
    return std::none_of(task.variants.begin(), task.variants.end(),
                        [&](const Variant* variant) { return MissingFeature(*variant, limits).empty(); });
  });
  return tasks;
}

// In line for the budget: what a decision rests on, its products in other shapes and what else is looked at,
// and what only explains.
constexpr int kRankOfOtherShapes = 1;
int Rank(const Task& task) {
  // Weights of a request come in 4 bits; other types are looked at as well.
  if (task.kernel == Kernel::kGemv && task.in != kernels::Dtype::kQ4) return kRankOfOtherShapes;
  if (Precedence(task) <= kDecisive) return 0;
  return task.kernel == Kernel::kGemm || task.kernel == Kernel::kTriad ? kRankOfOtherShapes : kLastRank;
}

// Every figure's kernel, verified and ready to be timed, in the order of the tasks.
std::vector<Series> Ready(const std::vector<Task>& tasks, ContestContext& context,
                          std::deque<Contest>& contests) {
  std::vector<Series> all;
  const double timing_s = TimingSeconds(context.request);
  int figures = 0;
  for (const Task& task : tasks) figures += FigureCount(task, context.request);
  context.slot_s = timing_s / std::max(figures, 1);
  for (const Task& task : tasks) {
    if (context.budget.Remaining() < timing_s) {
      context.reporter.Fail(*task.variants.front(), {}, MeasurementStatus::kOverBudget, Stage::kCompile,
                            "the budget went to the kernels before it");
      continue;
    }
    try {
      int rank = Rank(task);
      for (Series& series : contests.emplace_back(context, task).Decide()) {
        if (task.kernel == Kernel::kRead) context.bytes_per_s = series.workload.work() / series.expected_s;
        series.rank = std::exchange(rank, kRankOfOtherShapes);
        all.push_back(std::move(series));
      }
    } catch (const std::bad_alloc&) {
      context.reporter.Fail(*task.variants.front(), {}, MeasurementStatus::kFailed, Stage::kVerify,
                            "this process has not the memory to check the result");
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Series& a, const Series& b) { return a.rank < b.rank; });
  return all;
}

void TimeAll(std::vector<Series>& all, const ContestContext& context, std::optional<Launches>& launches) {
  Budget& budget = context.budget;
  const Reporter& reporter = context.reporter;
  reporter.Enter(Stage::kTime, all.front().workload.variant(), budget.Remaining() + kStallAllowanceSeconds);
  for (Series& series : all) {
    if (auto status = series.workload.Refresh(); !status) series.error = status.error();
    series.finished = series.error.has_value();
  }
  // Another runtime has warmed this device up already, or, of the processor, what readied its kernels.
  const bool warm = context.request.scope == Scope::kRepeat || OnHost(context.request.device);
  if (!IsSoftwareView(context.request)) Ramp(all.front(), budget, warm ? 0.0 : kRampSeconds);
  std::string titles;
  for (const Series& series : all)
    titles.append(titles.empty() ? "" : ", ").append(Title(series.workload.variant()));
  reporter.Enter(Stage::kTime, titles, KindOf(all.front().workload.variant()), "",
                 budget.Remaining() + kStallAllowanceSeconds);
  if (IsSoftwareView(context.request)) {
    const double least_s = TimingSeconds(context.request);
    const double most_s = std::max(least_s, kSoftwareMostShare * context.request.budget_s);
    const double left_s = kSoftwareWholeShare * context.request.budget_s - budget.Spent();
    budget.EndWithin(std::clamp(left_s, least_s, most_s));
  }
  TimeInterleaved(all, budget, launches ? launches->round_trip_s() : 0, [&] {
    if (launches) launches->Continue();
  });
}

}  // namespace

void Measure(Session& session, std::span<const Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink, const MonotonicClock& now) {
  Budget budget(request.budget_s, now);
  const Reporter reporter(request, session.limits(), sink);
  const auto tasks =
      Afford(Select(Candidates(variants, request, session.limits()), request.scope), request, reporter);
  if (tasks.empty()) return;
  OperandWriter writer(session, variants);
  BufferPool pool(session);
  ContestContext context{session, writer, pool, request, reporter, budget};
  std::deque<Contest> contests;
  std::vector<Series> all = Ready(tasks, context, contests);
  if (!all.empty()) {
    const bool whole = request.scope == Scope::kWhole || request.scope == Scope::kRepeat;
    std::optional<Launches> launches;
    if (whole) launches.emplace(session, writer, reporter, budget);
    if (whole && !OnHost(request.device)) MeasureTransfers(session, reporter, budget);
    TimeAll(all, context, launches);
    if (launches) launches->Report();
  }
  for (const Series& series : all) reporter.Finish(series);
}

void Measure(Session& session, std::span<const Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink) {
  const probe::system::SteadyTime start = probe::system::Now();
  Measure(session, variants, request, sink, [start] { return probe::system::SecondsSince(start); });
}

}  // namespace backends
