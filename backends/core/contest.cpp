// SPDX-License-Identifier: MIT
#include "backends/core/contest.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace backends {
namespace {

using kernels::Problem;
using kernels::Variant;
using probe::Stage;

// A small problem tells the speed when it takes this long and was no faster than the one before by this
// factor: on a busy machine even a tiny one may take long.
constexpr double kLongEnoughSeconds = 0.001;
constexpr double kSettled = 1.5;
constexpr int kSmallRuns = 3;                   // at least, of each small problem
constexpr double kSmallRunsForSeconds = 0.004;  // and as many as fit: the least disturbed one counts
constexpr double kGrowthFactor = 8;             // of the work, at most, from one small problem to the next
constexpr double kMaxGrowthShare = 0.25;        // of what is left of the budget, for one small problem
constexpr double kRival = 0.9;  // of the best rate on small problems: worth a trial at full size
constexpr int kMaxTrials = 2;   // that succeed, a shape
constexpr double kNearMemory = 0.5;
constexpr double kUnderrated = 1.5;
constexpr double kRunsATrial = 4;
constexpr int kMaxHalvings = 4;
// The host's memory shows its speed by as much, as far as the plan needs it; more is dear to touch.
constexpr double kTellingBytes = 16U << 20U;
// A figure has batches for its slot of the budget, ten at least. A pass over arrays that exceed the caches
// and a product of the prompt's shape can not be made as short as one would like.
constexpr double kBatchesASlot = 20;
constexpr double kLeastPassSeconds = 0.020;
constexpr double kMaxPromptShare = 1.0 / 40;  // of the budget

// Half of the operands, for a device that has not the memory that it claims.
bool Halve(Shape& shape) {
  if (shape.copies > 1) {
    shape.copies /= 2;
  } else if (shape.problem.count >= 2 * 4096) {
    shape.problem.count = shape.problem.count / 8192 * 4096;
  } else {
    return false;
  }
  shape.note = "smaller arrays than planned: the device ran out of memory";
  return true;
}

bool MovesBytes(const Variant& variant) { return kernels::Row(variant.kernel).unit == "bytes_per_s"; }

double ShortTime(const Timing& timing) { return std::max(timing.wall_s, 1e-9); }

}  // namespace

std::vector<Series> Contest::Decide() {
  LoadAll();
  context_.budget.Preparing([this] {
    RateAll();
    return true;
  });
  std::vector<Series> series;
  if (candidates_.empty()) return series;
  double rate = candidates_.front().rate;
  const auto decide = [&](const Shape& shape, const Variant* before) {
    return context_.budget.Preparing([&] { return DecideShape(shape, before); });
  };
  auto headline = decide(Shapes(rate).front(), nullptr);
  if (headline && headline->workload.work() / headline->expected_s > kUnderrated * rate) {
    // Something disturbed the small problems: what was planned by them is too small.
    rate = headline->workload.work() / headline->expected_s;
    const Shape larger = Shapes(rate).front();
    if (Work(headline->workload.variant(), larger) > headline->workload.work()) {
      if (auto again =
              context_.budget.Preparing([&] { return Try(Of(headline->workload.variant()), larger); })) {
        headline.emplace(*std::move(again));
      }
    }
  }
  const Variant* winner = headline ? &headline->workload.variant() : nullptr;
  if (headline) series.push_back(*std::move(headline));
  if (context_.request.scope == Scope::kLibraries) return series;
  const std::vector<Shape> shapes = Shapes(rate);
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    if (auto next = decide(shapes[i], winner)) series.push_back(*std::move(next));
  }
  return series;
}

const Contest::Candidate& Contest::Of(const Variant& variant) const {
  return *std::find_if(candidates_.begin(), candidates_.end(),
                       [&](const Candidate& candidate) { return &candidate.variant() == &variant; });
}

std::vector<Shape> Contest::Shapes(double rate) const {
  std::vector<const Variant*> variants;
  for (const Candidate& candidate : candidates_) variants.push_back(&candidate.variant());
  return PlanShapes(variants, rate, Facts());
}

PlanFacts Contest::Facts() const {
  const double execution_s = std::min(context_.slot_s / kBatchesASlot, kMaxLaunchSeconds);
  return {context_.session.limits(),
          context_.request.device,
          context_.request.processor,
          std::min(execution_s, kLaunchTargetSeconds),
          std::max(execution_s, kLeastPassSeconds),
          execution_s,
          std::min(kMaxLaunchSeconds, std::max(execution_s, kMaxPromptShare * context_.request.budget_s))};
}

void Contest::LoadAll() {
  for (const Variant* variant : task_.variants) {
    const auto refuse = [&](MeasurementStatus status, std::string reason) {
      context_.reporter.Fail(*variant, {}, status, Stage::kCompile, std::move(reason));
    };
    if (std::string missing = MissingFeature(*variant, context_.session.limits()); !missing.empty()) {
      refuse(MeasurementStatus::kUnsupported, std::move(missing));
      continue;
    }
    context_.reporter.Enter(
        Stage::kCompile, *variant,
        context_.request.compile_allowance_s * static_cast<double>(variant->steps.size()));
    auto loaded = context_.budget.Excused([&] { return Load(context_.session, *variant); });
    if (loaded) {
      candidates_.push_back({*std::move(loaded), 0});
    } else {
      refuse(MeasurementStatus::kFailed, probe::Describe(loaded.error()));
    }
  }
}

void Contest::RateAll() {
  std::erase_if(candidates_, [this](Candidate& candidate) { return !RateOne(candidate); });
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rate > b.rate; });
}

bool Contest::RateOne(Candidate& candidate) {
  const Variant& variant = candidate.variant();
  context_.reporter.Enter(Stage::kLaunch, variant, context_.request.first_launch_allowance_s);
  for (Problem problem = TinyProblem(variant, context_.session.limits().shape);;
       problem = LargerProblem(variant, problem)) {
    const bool first = candidate.rate == 0;
    const std::string misfit = Misfit(variant, {problem, 1, "", false}, context_.session.limits());
    if (!misfit.empty()) {
      if (first)
        context_.reporter.Fail(variant, problem, MeasurementStatus::kUnsupported, Stage::kLaunch, misfit);
      return !first;
    }
    const auto trial = TimeSmall(candidate, problem, first);
    if (!trial) {
      // A larger problem than needed may fail for want of memory: the speed is known well enough.
      if (!first) return true;
      context_.reporter.Fail(variant, problem, MeasurementStatus::kFailed, Stage::kLaunch,
                             probe::Describe(trial.error()));
      return false;
    }
    if (!trial->wrong.empty()) {
      context_.reporter.Fail(variant, problem, MeasurementStatus::kWrongResult, Stage::kVerify, trial->wrong);
      return false;
    }
    const double rate = Work(variant, {problem, 1, "", false}) / trial->time_s;
    // Alone, and as fast as what it waits for: nothing more to be learnt from small problems.
    if (candidates_.size() == 1 && MovesBytes(variant) && rate >= kNearMemory * context_.bytes_per_s &&
        context_.bytes_per_s > 0) {
      candidate.rate = std::min(rate, context_.bytes_per_s);
      return true;
    }
    const bool settled = trial->time_s >= kLongEnoughSeconds && rate < kSettled * candidate.rate;
    candidate.rate = rate;
    const bool telling = MovesBytes(variant) && OnHost(context_.request.device) &&
                         Work(variant, {problem, 1, "", false}) >= kTellingBytes;
    const double next_s = kSmallRuns * kGrowthFactor * trial->time_s;
    if (settled || telling || next_s > kMaxGrowthShare * context_.budget.Remaining()) return true;
  }
}

probe::Result<Contest::SmallTrial> Contest::TimeSmall(const Candidate& candidate, const Problem& problem,
                                                      bool very_first) {
  // Arrays that are there are taken; none is made of a size that what follows has no use for.
  BufferPool* const pool = context_.pool.empty() ? nullptr : &context_.pool;
  auto workload =
      Workload::Create(context_.session, context_.writer, candidate.loaded, {problem, 1, "", false}, pool);
  if (!workload) return workload.error();
  const auto prepare = [&] {
    return very_first ? workload->Prepare(context_.request.seed, 0)
                      : workload->Populate(context_.request.seed);
  };
  // The first use of the fill kernel compiles it in some runtimes.
  auto prepared = very_first ? context_.budget.Excused(prepare) : prepare();
  if (!prepared) return prepared.error();
  const auto run = [&] { return workload->Run(1); };
  auto timing = very_first ? context_.budget.Excused(run) : run();
  // A kernel that does nothing is infinitely fast: unchecked, the problems would grow until the budget has
  // gone, and nobody would know that it was all wrong.
  const auto verdict =
      very_first && timing ? workload->Verify() : probe::Result<Verdict>(Verdict{true, 0, ""});
  if (verdict && !verdict->right) return SmallTrial{0, verdict->reason};
  // A first launch may compile; only the runtime's events can tell that from a slow kernel.
  if (timing && timing->device_s.value_or(timing->wall_s) >= context_.budget.Remaining())
    return SmallTrial{ShortTime(*timing), ""};
  double least_s = std::numeric_limits<double>::infinity();
  double spent_s = 0;
  for (int i = 1; timing && (i < kSmallRuns || spent_s + least_s < kSmallRunsForSeconds); ++i) {
    timing = run();
    if (!timing) break;
    least_s = std::min(least_s, ShortTime(*timing));
    spent_s += ShortTime(*timing);
    if (least_s > kMaxLaunchSeconds) break;
  }
  if (!timing) return timing.error();
  return SmallTrial{least_s, ""};
}

bool Contest::Affordable(const Candidate& candidate, const Shape& shape) const {
  if (shape.too_long) {
    context_.reporter.Fail(
        candidate.variant(), Reported(shape), MeasurementStatus::kOverBudget, Stage::kLaunch,
        "one launch would take " + std::to_string(Work(candidate.variant(), shape) / candidate.rate) +
            " s, " + std::to_string(Facts().max_prompt_s) + " s are allowed");
    return false;
  }
  const double needed_s = kRunsATrial * Work(candidate.variant(), shape) / candidate.rate;
  const double left_s = context_.budget.Remaining();
  if (needed_s <= left_s) return true;
  context_.reporter.Fail(candidate.variant(), Reported(shape), MeasurementStatus::kOverBudget, Stage::kLaunch,
                         "needs about " + std::to_string(needed_s) + " s to be verified, " +
                             std::to_string(std::max(left_s, 0.0)) + " s are left");
  return false;
}

std::optional<Series> Contest::DecideShape(const Shape& shape, const Variant* winner_before) {
  std::vector<const Candidate*> order;
  for (const Candidate& candidate : candidates_) order.push_back(&candidate);
  std::stable_partition(order.begin(), order.end(),
                        [&](const Candidate* candidate) { return &candidate->variant() == winner_before; });
  const int max_trials = winner_before == nullptr ? kMaxTrials : 1;
  std::optional<Series> best;
  int trials = 0;
  for (const Candidate* next_in_line : order) {
    const Candidate& candidate = *next_in_line;
    const bool rival = candidate.rate >= kRival * candidates_.front().rate && trials < max_trials;
    if (best && !rival) {
      context_.reporter.Skip(candidate.variant(), Reported(shape), candidate.rate, false,
                             "slower than " + best->workload.variant().name + " on a small problem");
      continue;
    }
    auto next = Try(candidate, shape);
    if (!next) continue;
    ++trials;
    if (!best) {
      best.emplace(*std::move(next));
      continue;
    }
    if (next->expected_s < best->expected_s) std::swap(*best, *next);
    const Workload& slower = next->workload;
    context_.reporter.Skip(slower.variant(), Reported(slower.shape()), slower.work() / next->expected_s, true,
                           "slower than " + best->workload.variant().name);
  }
  return best;
}

std::optional<Series> Contest::Try(const Candidate& candidate, const Shape& shape) {
  const Variant& variant = candidate.variant();
  const std::string misfit = Misfit(variant, shape, context_.session.limits());
  if (!misfit.empty()) {
    context_.reporter.Fail(variant, Reported(shape), MeasurementStatus::kUnsupported, Stage::kLaunch, misfit);
    return std::nullopt;
  }
  if (!Affordable(candidate, shape)) return std::nullopt;
  context_.reporter.Enter(Stage::kLaunch, variant, context_.request.first_launch_allowance_s);
  Shape smaller = shape;
  auto workload =
      Workload::Create(context_.session, context_.writer, candidate.loaded, smaller, &context_.pool);
  for (int i = 0; !workload && i < kMaxHalvings && Halve(smaller); ++i) {
    context_.pool.Trim();
    auto retry =
        Workload::Create(context_.session, context_.writer, candidate.loaded, smaller, &context_.pool);
    if (retry) return Verified(candidate, *std::move(retry));
  }
  if (workload) return Verified(candidate, *std::move(workload));
  context_.reporter.Fail(variant, Reported(shape), MeasurementStatus::kFailed, Stage::kLaunch,
                         probe::Describe(workload.error()));
  return std::nullopt;
}

std::optional<Series> Contest::Verified(const Candidate& candidate, Workload workload) {
  const Variant& variant = candidate.variant();
  const auto fail = [&](MeasurementStatus status, Stage stage, std::string reason) {
    context_.reporter.Fail(variant, Reported(workload.shape()), status, stage, std::move(reason));
    return std::nullopt;
  };
  const std::uint32_t seed = context_.request.seed;
  if (auto status = workload.Populate(seed); !status) {
    return fail(MeasurementStatus::kFailed, Stage::kLaunch, probe::Describe(status.error()));
  }
  const auto first = context_.budget.Excused([&] { return workload.Run(1); });
  if (!first) return fail(MeasurementStatus::kFailed, Stage::kLaunch, probe::Describe(first.error()));

  // Other operands than the first time: what is left over from there can not pass.
  context_.reporter.Enter(Stage::kVerify, variant, context_.budget.Remaining() + kStallAllowanceSeconds);
  if (auto status = workload.Prepare(seed, 1); !status) {
    return fail(MeasurementStatus::kFailed, Stage::kVerify, probe::Describe(status.error()));
  }
  const auto checked = workload.Run(1);
  if (!checked) return fail(MeasurementStatus::kFailed, Stage::kVerify, probe::Describe(checked.error()));
  const auto verdict = workload.Verify();
  if (!verdict) return fail(MeasurementStatus::kFailed, Stage::kVerify, probe::Describe(verdict.error()));
  if (!verdict->right) return fail(MeasurementStatus::kWrongResult, Stage::kVerify, verdict->reason);

  Series series{std::move(workload),
                std::min(ShortTime(*checked), ShortTime(*first)),
                verdict->max_relative_error,
                {},
                {},
                std::nullopt,
                false,
                false,
                std::nullopt,
                0,
                "",
                1};
  return series;
}

}  // namespace backends
