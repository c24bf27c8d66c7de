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

// The share of the budget that is kept for timing. Readying kernels ends when no more than this is left.
constexpr double kTimingShare = 0.5;
// What ten short batches take. Where the budget gives a figure less, the last kernels in line are left out.
constexpr double kLeastSlotSeconds = 0.060;
// The same for a software view, which has few figures: products of two shapes, a read and a matrix-vector
// product. Time for ten batches of each, where half of the budget has it; up to nearly twice as much where
// compiling and all took so little that the whole stays within this share: samples over nearly a second see
// more of what a host does to its processors.
constexpr double kSoftwareTimingShare = 0.25;
constexpr double kSoftwareTimingSeconds = 5 * kLeastSlotSeconds;
constexpr double kSoftwareMostShare = 0.45;
constexpr double kSoftwareWholeShare = 0.7;

// Whether the device is software on a processor that another runtime has measured already. It is measured to
// be compared with that, and gets less of everything.
bool IsSoftwareView(const MeasureRequest& request) {
  return request.scope == Scope::kRepeat && OnHost(request.device);
}

double TimingSeconds(const MeasureRequest& request) {
  const double most_s = kTimingShare * request.budget_s;
  if (!IsSoftwareView(request)) return most_s;
  return std::min(most_s, std::max(kSoftwareTimingShare * request.budget_s, kSoftwareTimingSeconds));
}

// No longer budget of the user's is a remedy.
constexpr const char* kTakenByOthers = "left out: the processes before this one ended, which took its time";

bool FollowsOthers(const MeasureExtras& extras) { return extras.first_budget_s > 0; }

// For how many of the tasks the time for timing has slots, at least one.
std::size_t CountAffordable(const std::vector<Task>& tasks, const MeasureRequest& request) {
  const double timing_s = TimingSeconds(request);
  int figures = 0;
  std::size_t kept = 0;
  for (; kept < tasks.size(); ++kept) {
    figures += FigureCount(tasks[kept], request);
    if (kept > 0 && figures * kLeastSlotSeconds > timing_s) break;
  }
  return kept;
}

// Reports of a task whose turn does not come what the device runs in no case, and that reason of the first
// that it could have run.
void LeaveOut(const Task& task, const Limits& limits, const Reporter& reporter, MeasurementStatus status,
              const std::string& reason) {
  bool is_told = false;
  for (const Variant* variant : task.variants) {
    if (auto never = WhyNever(*variant, limits)) {
      reporter.Fail(*variant, {}, never->status, Stage::kCompile, std::move(never->reason));
    } else if (!std::exchange(is_told, true)) {
      reporter.Fail(*variant, {}, status, Stage::kCompile, reason);
    }
  }
}

// Keeps as many as that, and reports why the others are left out: for want of budget those for which the
// first process had no time either.
std::vector<Task> Afford(std::vector<Task> tasks, const MeasureRequest& request, const Limits& limits,
                         const Reporter& reporter, const MeasureExtras& extras) {
  const std::size_t kept = CountAffordable(tasks, request);
  MeasureRequest first = request;
  first.budget_s = std::max(request.budget_s, extras.first_budget_s);
  const std::size_t kept_first = CountAffordable(tasks, first);
  for (std::size_t i = kept; i < tasks.size(); ++i) {
    const bool is_taken = i < kept_first;
    LeaveOut(tasks[i], limits, reporter,
             is_taken ? MeasurementStatus::kSkipped : MeasurementStatus::kOverBudget,
             is_taken ? kTakenByOthers : "the budget has no time for it beside the kernels before it");
  }
  tasks.resize(kept);
  return tasks;
}

// Keeps the tasks and variants that the figures name.
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

// The tasks that this request can choose among. A software view gets one matrix-vector product, the one with
// 4-bit weights, where there is one. A device that equals another one gets a single product (Select), so that
// those which it can not compute are taken out here: else the only one chosen could be one of them.
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
    return std::all_of(task.variants.begin(), task.variants.end(),
                       [&](const Variant* variant) { return WhyNever(*variant, limits).has_value(); });
  });
  return tasks;
}

// A task's place in line for the budget. 0: a decision rests on it. 1: one for training alone does. 2: what
// else people look at, and other shapes of the products of rank 0. kLastRank: it only explains.
constexpr int kRankOfTraining = 1;
constexpr int kRankOfOtherShapes = 2;
int Rank(const Task& task) {
  // Decisions rest on weights of 4 bits, in which requests are predicted; people look at the other types as
  // well.
  if (task.kernel == Kernel::kGemv && task.in != kernels::Dtype::kQ4) return kRankOfOtherShapes;
  if (Precedence(task) <= kDecisive) return 0;
  if (Precedence(task) == kOfTraining) return kRankOfTraining;
  return task.kernel == Kernel::kGemm || task.kernel == Kernel::kTriad ? kRankOfOtherShapes : kLastRank;
}

// Finds the fastest right kernel for every figure and readies it for timing. Those that are first in line for
// the budget come first.
std::vector<Series> Ready(const std::vector<Task>& tasks, ContestContext& context,
                          const MeasureExtras& extras, std::deque<Contest>& contests) {
  const bool follows = FollowsOthers(extras);
  std::vector<Series> all;
  const double timing_s = TimingSeconds(context.request);
  int figures = 0;
  for (const Task& task : tasks) figures += FigureCount(task, context.request);
  context.slot_s = timing_s / std::max(figures, 1);
  for (const Task& task : tasks) {
    const bool is_given_up = !context.budget.given_up().empty();
    std::string late =
        is_given_up ? context.budget.given_up() : WhyNoneIsBegun(context.budget, kUntimedForFigures);
    auto status = MeasurementStatus::kOverBudget;
    if (!is_given_up && context.budget.Remaining() < timing_s) {
      status = follows ? MeasurementStatus::kSkipped : status;
      late = follows ? kTakenByOthers : "the budget went to the kernels before it";
    }
    if (!late.empty()) {
      LeaveOut(task, context.session.limits(), context.reporter, status, late);
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
      // What the device does not run has been told of as it was loaded.
      const auto runs = std::find_if(task.variants.begin(), task.variants.end(), [&](const Variant* variant) {
        return !WhyNever(*variant, context.session.limits());
      });
      context.reporter.Fail(runs == task.variants.end() ? *task.variants.front() : **runs, {},
                            MeasurementStatus::kFailed, Stage::kVerify,
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
  // No need to raise the clocks where another runtime has just used the device, or where it is the processor,
  // on which this process has readied the kernels.
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

double InitAllowanceSeconds(const MeasureRequest& request) {
  constexpr double kColdDriverSeconds = 30;
  return OnHost(request.device) ? request.first_launch_allowance_s : kColdDriverSeconds;
}

double LaunchAllowanceSeconds(const MeasureRequest& request, bool of_library) {
  constexpr double kColdLibrarySeconds = 30;
  return of_library && !OnHost(request.device) ? kColdLibrarySeconds : request.first_launch_allowance_s;
}

void Measure(Session& session, std::span<const Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink, const MonotonicClock& now, const MeasureExtras& extras) {
  Budget budget(request.budget_s, now);
  const Reporter reporter(request, session.limits(), sink, extras.on_trial);
  const auto tasks = Afford(Select(Candidates(variants, request, session.limits()), request.scope), request,
                            session.limits(), reporter, extras);
  if (tasks.empty()) return;
  OperandWriter writer(session, variants);
  BufferPool pool(session);
  ContestContext context{.session = session,
                         .writer = writer,
                         .pool = pool,
                         .request = request,
                         .reporter = reporter,
                         .budget = budget,
                         .ends_within_s = extras.ends_within_s,
                         .cold_compiler = !FollowsOthers(extras)};
  std::deque<Contest> contests;
  std::vector<Series> all = Ready(tasks, context, extras, contests);
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
             const MeasureSink& sink, const MeasureExtras& extras) {
  const probe::system::SteadyTime start = probe::system::Now();
  Measure(session, variants, request, sink, [start] { return probe::system::SecondsSince(start); }, extras);
}

}  // namespace backends
