// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/core/contest.h"
#include "backends/core/runner.h"
#include "probe/core/text.h"

namespace backends {
namespace {

using kernels::Problem;
using kernels::Variant;
using probe::Stage;

// A small problem tells the speed when it takes this long and the smaller one before was not so many times
// slower; or already when it takes that long, and so many times longer than the one before, that little of it
// can be overhead. On a busy machine even a tiny one takes long: it waits for processors.
constexpr double kTellingSeconds = 0.004;
constexpr double kRising = 3;
constexpr double kLongEnoughSeconds = 0.001;
constexpr double kGrown = 4;
constexpr int kSmallRuns = 3;                   // at least, of each small problem
constexpr double kSmallRunsForSeconds = 0.004;  // and as many as fit: the least disturbed one counts
constexpr double kGrowthFactor = 8;       // of the work from one problem to the next larger one, at most
constexpr double kMaxGrowthShare = 0.25;  // of what is left of the budget, for one small problem
constexpr double kNearMemory = 0.5;
// A first launch that took so many times what is left is not done again to see whether it was the compiler.
constexpr double kMostRepeated = 2;
// A device whose kernels, smallest problems and all, each took so many times its whole budget is given up.
constexpr double kMostOverrun = 2;
constexpr double kTellingBytes = 16U << 20U;
constexpr double kLargerBytes = 4;  // of the next larger problem's, of what memory bounds

bool MovesBytes(const Variant& variant) { return kernels::Row(variant.kernel).unit == "bytes_per_s"; }

double SmallWork(const Variant& variant, const Problem& problem) {
  return Work(variant, {.problem = problem});
}

}  // namespace

std::string WhyNoneIsBegun(const Budget& budget, double most_untimed_s) {
  if (budget.Untimed() <= most_untimed_s) return "";
  return "compilation and first launches before it took " + probe::SignificantText(budget.Untimed(), 2) +
         " s";
}

void Contest::RateAll() {
  bool has_one = false;
  std::erase_if(candidates_, [&](Candidate& candidate) {
    std::string reason = context_.budget.given_up();
    if (reason.empty())
      reason = WhyNoneIsBegun(context_.budget, has_one ? kUntimedForChoice : kUntimedForRight);
    if (reason.empty() && has_one && context_.budget.Remaining() <= 0)
      reason = "the budget went to the kernels before it";
    if (reason.empty()) reason = WhyNoTimeFor(candidate.variant());
    if (reason.empty()) {
      const bool rated = RateOne(candidate);
      has_one = has_one || rated;
      return !rated;
    }
    context_.reporter.Fail(candidate.variant(), {}, MeasurementStatus::kOverBudget, Stage::kLaunch,
                           std::move(reason));
    return true;
  });
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rate > b.rate; });
}

bool Contest::RateOne(Candidate& candidate) {
  const Variant& variant = candidate.variant();
  EnterLaunch(variant);
  double before_s = 0;
  for (Problem problem = TinyProblem(variant, context_.session.limits().shape);;
       problem = NextSmall(candidate, problem)) {
    const bool first = candidate.rate == 0;
    const std::string misfit = Misfit(variant, {.problem = problem}, context_.session.limits());
    if (!misfit.empty()) {
      if (first) Refuse(variant, {.problem = problem}, misfit);
      return !first;
    }
    const auto trial = TimeSmall(candidate, problem, first);
    if (!trial) {
      // A larger problem than needed may fail for want of memory: the speed is known well enough.
      if (!first && context_.session.BroughtDownBy() == nullptr) return true;
      context_.reporter.Fail(variant, problem, StatusOf(trial.error()), Stage::kLaunch,
                             probe::Describe(trial.error()));
      return false;
    }
    if (!trial->wrong.empty()) {
      context_.reporter.Fail(variant, problem, MeasurementStatus::kWrongResult, Stage::kVerify, trial->wrong);
      return false;
    }
    const double before = std::exchange(candidate.rate, SmallWork(variant, problem) / trial->time_s);
    // Alone, and as fast as what it waits for: nothing more to be learnt from small problems.
    if (candidates_.size() == 1 && MovesBytes(variant) && context_.bytes_per_s > 0 &&
        candidate.rate >= kNearMemory * context_.bytes_per_s) {
      candidate.rate = std::min(candidate.rate, context_.bytes_per_s);
      return true;
    }
    // Memory alone looks slow until there is enough of it.
    const bool grown = !first && trial->time_s >= kGrown * before_s && !OnHostsMemory(variant);
    const bool rising = !OnHostsMemory(variant) && candidate.rate > kRising * before;
    const bool settled =
        (trial->time_s >= kTellingSeconds && !rising) || (trial->time_s >= kLongEnoughSeconds && grown);
    const double next_s = kSmallRuns * kGrowthFactor * trial->time_s;
    if (settled || Tells(variant, problem) || next_s > kMaxGrowthShare * context_.budget.Remaining() ||
        LargerProblem(variant, problem) == problem)
      return true;
    before_s = trial->time_s;
  }
}

// One kernel may be slow, and a driver late to compile; where those that fill are as slow as this one, and it
// is so a second time, all that follow would be. What a compilation may take is waited for at any budget.
probe::Result<Timing> Contest::Confirmed(const Candidate& candidate, Workload& workload, double filled_s,
                                         const Timing& timing) {
  const auto& request = context_.request;
  const double most_s = std::max(kMostOverrun * request.budget_s, request.compile_allowance_s);
  const bool is_alone = candidates_.size() == 1;  // what it would spare is another task's to find out
  if (is_alone || std::min(filled_s, PositiveSeconds(timing)) <= most_s) return timing;
  EnterLaunch(candidate.variant());
  auto again = context_.budget.Excused([&] { return workload.Run(1); });
  if (again && PositiveSeconds(*again) > most_s) {
    context_.budget.GiveUp(
        fmt::format("given up: the smallest problem took {} s, and filling its operands {} s",
                    probe::SignificantText(PositiveSeconds(*again), 2), probe::SignificantText(filled_s, 2)));
  }
  return again;
}

// The first problem that exceeds the last by as much as the rate found there allows: it will be faster.
Problem Contest::NextSmall(const Candidate& candidate, const Problem& problem) const {
  const Variant& variant = candidate.variant();
  const auto within = [&](const Problem& larger) {
    return SmallWork(variant, larger) <= candidate.rate * kTellingSeconds &&
           Misfit(variant, {.problem = larger}, context_.session.limits()).empty();
  };
  Problem next = LargerProblem(variant, problem);
  while (!Tells(variant, next)) {
    const Problem larger = LargerProblem(variant, next);
    if (larger == next || !within(larger)) break;
    next = larger;
  }
  return next;
}

bool Contest::OnHostsMemory(const Variant& variant) const {
  return MovesBytes(variant) && OnHost(context_.request.device);
}

// Whether a problem is large enough to show a memory's speed, as far as the plan needs it. More of the host's
// is dear to touch; of a device the next larger one would exceed all arrays that are planned.
bool Contest::Tells(const Variant& variant, const Problem& problem) const {
  if (!MovesBytes(variant)) return false;
  const double bytes = SmallWork(variant, problem);
  return OnHostsMemory(variant) ? bytes >= kTellingBytes
                                : kLargerBytes * bytes > static_cast<double>(StreamBytes(Facts()));
}

probe::Result<Contest::SmallTrial> Contest::TimeSmall(const Candidate& candidate, const Problem& problem,
                                                      bool very_first) {
  // Arrays that are there are taken; none is made of a size that what follows has no use for.
  BufferPool* const pool = context_.pool.empty() ? nullptr : &context_.pool;
  auto workload = Workload::Create(context_.session, context_.writer, candidate.loaded,
                                   {.problem = problem, .rough = true}, pool);
  if (!workload) return workload.error();
  // What a first use takes is bounded by itself: that of the kernels that fill, array by array, and that of
  // this one. Together they may take longer on a device that is slow and does not hang.
  const auto enter = [&] { EnterLaunch(candidate.variant()); };
  const auto prepare = [&] {
    return very_first ? workload->Prepare(context_.request.seed, 0, enter)
                      : workload->Populate(context_.request.seed);
  };
  // The first use of the fill kernel compiles it in some runtimes.
  const double began_s = context_.budget.Now();
  auto prepared = very_first ? context_.budget.Excused(prepare) : prepare();
  const double filled_s = context_.budget.Now() - began_s;
  if (!prepared) return prepared.error();
  if (very_first) enter();
  const auto run = [&] { return workload->Run(1); };
  // A library loads other kernels for other sizes.
  const bool loads = very_first || (IsOfLibrary(candidate.variant()) && !OnHost(context_.request.device));
  auto timing = loads ? context_.budget.Excused(run) : run();
  if (very_first && timing) timing = Confirmed(candidate, *workload, filled_s, *timing);
  // A kernel that does nothing is infinitely fast: unchecked, the problems would grow until the budget has
  // gone, and nobody would know that it was all wrong.
  const auto verdict =
      very_first && timing ? workload->Verify() : probe::Result<Verdict>(Verdict{true, 0, ""});
  if (verdict && !verdict->right) return SmallTrial{0, verdict->reason};
  // A first launch may compile, which some drivers do between its events: whether the kernel is so slow tells
  // a second one, where that can be had.
  int runs = 1;
  double least_s = std::numeric_limits<double>::infinity();
  double spent_s = 0;
  const auto is_too_long = [&] {
    return timing && timing->device_s.value_or(timing->wall_s) >= context_.budget.Remaining();
  };
  if (is_too_long()) {
    const bool is_own = !IsOfLibrary(candidate.variant()) && !OnHost(context_.request.device);
    if (!very_first || !is_own || PositiveSeconds(*timing) > kMostRepeated * context_.budget.Remaining())
      return SmallTrial{PositiveSeconds(*timing), ""};
    enter();
    timing = run();
    if (!timing) return timing.error();
    if (is_too_long()) return SmallTrial{PositiveSeconds(*timing), ""};
    least_s = spent_s = PositiveSeconds(*timing);
    ++runs;
  }
  for (int i = runs; timing && (i < kSmallRuns || spent_s + least_s < kSmallRunsForSeconds); ++i) {
    timing = run();
    if (!timing) break;
    least_s = std::min(least_s, PositiveSeconds(*timing));
    spent_s += PositiveSeconds(*timing);
    if (least_s > kMaxLaunchSeconds) break;
  }
  if (!timing) return timing.error();
  return SmallTrial{least_s, ""};
}

}  // namespace backends
