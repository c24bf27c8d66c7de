// SPDX-License-Identifier: MIT
#include "backends/core/contest.h"

#include <algorithm>
#include <utility>

#include "backends/core/runner.h"
#include "backends/core/sharing.h"
#include "probe/core/text.h"

namespace backends {
namespace {

using kernels::Variant;
using probe::Stage;

constexpr double kRival = 0.9;  // of the best rate on small problems: worth a trial at full size
constexpr int kMaxTrials = 2;   // that succeed, a shape
constexpr double kUnderrated = 1.5;
constexpr double kRunsATrial = 4;
constexpr int kMaxHalvings = 4;
// A figure has batches for its slot of the budget, ten at least. A pass over arrays that exceed the caches
// and a product of the prompt's shape can not be made as short as one would like.
constexpr double kBatchesASlot = 20;
constexpr std::size_t kFills =
    2;  // kernels that write operands and results, compiled with the first that needs them
constexpr double kLeastPassSeconds = 0.020;
constexpr double kLeastPromptSeconds = 0.015;
constexpr double kMaxPromptShare = 1.0 / 40;  // of the budget
constexpr double kMostPassShare = 1.0 / 10;   // on the host, which has no watchdog
constexpr double kLaunchShare = 1.0 / 3000;   // what is passed has to be made twice and checked as well

// Work-groups of its largest launch.
std::uint64_t Groups(const Variant& variant, const Shape& shape, const Limits& limits) {
  std::uint64_t most = 0;
  for (const kernels::Step& step : variant.steps) {
    const auto& groups = kernels::ShapeOf(step, shape.problem, limits.shape).groups;
    most = std::max(most, std::uint64_t{groups[0]} * groups[1] * groups[2]);
  }
  return most;
}

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

}  // namespace

std::optional<Refusal> WhyNever(const Variant& variant, const Limits& limits) {
  if (std::string missing = MissingFeature(variant, limits); !missing.empty())
    return Refusal{MeasurementStatus::kUnsupported, std::move(missing)};
  if (!variant.left_out.empty()) return Refusal{MeasurementStatus::kSkipped, variant.left_out};
  return std::nullopt;
}

std::vector<Series> Contest::Decide() {
  LoadAll();
  context_.budget.Preparing([this] {
    DropWithoutRoom();
    RateAll();
    return true;
  });
  std::vector<Series> series;
  if (candidates_.empty()) return series;
  double rate = candidates_.front().rate;
  const auto decide = [&](const Shape& shape, const Variant* before) {
    return context_.budget.Preparing([&] { return DecideWithin(shape, before); });
  };
  auto headline = decide(Shapes(rate).front(), nullptr);
  if (headline) headline = context_.budget.Preparing([&] { return Enlarged(*std::move(headline), rate); });
  const Variant* winner = headline ? &headline->workload.variant() : nullptr;
  if (headline) series.push_back(*std::move(headline));
  if (context_.request.scope == Scope::kLibraries) return series;
  const std::vector<Shape> shapes = Shapes(rate);
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    if (auto next = decide(shapes[i], winner)) series.push_back(*std::move(next));
  }
  return series;
}

std::optional<Series> Contest::Enlarged(Series headline, double& rate) {
  constexpr int kTries = 3;
  const auto cached_reason = [&] {
    return CachedReason(headline.workload.variant(), headline.workload.shape(), rate, Facts());
  };
  for (int i = 0; i < kTries; ++i) {
    if (!cached_reason().empty()) LookAgain(headline);
    const double found = headline.workload.work() / headline.expected_s;
    if (found <= kUnderrated * rate) break;
    // Something disturbed the small problems: what was planned by them is too small.
    Candidate& candidate = Of(headline.workload.variant());
    rate = candidate.rate = found;
    const auto larger = Fitted(Shapes(rate).front());
    if (!larger || Work(candidate.variant(), *larger) <= headline.workload.work()) break;
    auto again = Try(candidate, *larger);
    if (!again && !cached_reason().empty()) return std::nullopt;
    if (!again) break;
    TellTrial(*again);
    headline = *std::move(again);
  }
  std::string reason = cached_reason();
  if (reason.empty()) return headline;
  if (const auto bytes = BytesWithoutOthers(rate)) {
    const Workload& cached = headline.workload;
    context_.reporter.LeaveToOthers(
        cached.variant(), Reported(cached.shape()), true, *bytes,
        "arrays of " + std::to_string(static_cast<std::uint64_t>(cached.work()) / kMiB) + " MiB " +
            std::string(kInTheCaches) + ": " + WhyLeftToOthers(context_.session.limits(), *bytes));
    return std::nullopt;
  }
  context_.reporter.Fail(headline.workload.variant(), Reported(headline.workload.shape()),
                         MeasurementStatus::kOverBudget, Stage::kLaunch, std::move(reason));
  return std::nullopt;
}

void Contest::LookAgain(Series& series) {
  constexpr int kLooks = 8;
  for (int i = 0; i < kLooks && series.expected_s < context_.budget.Remaining(); ++i) {
    const auto run = series.workload.Run(1);
    if (!run) return;  // the timing will fail and say why
    series.expected_s = std::min(series.expected_s, PositiveSeconds(*run));
  }
}

Contest::Candidate& Contest::Of(const Variant& variant) {
  return *std::find_if(candidates_.begin(), candidates_.end(),
                       [&](const Candidate& candidate) { return &candidate.variant() == &variant; });
}

std::vector<Shape> Contest::Shapes(double rate) const {
  const auto named = FiguresOf(task_, context_.request.figures);
  if (!named.empty() && task_.kernel == kernels::Kernel::kGemm) {
    std::vector<Shape> shapes;
    shapes.reserve(named.size());
    for (const Figure& figure : named) shapes.push_back({.problem = figure.shape});
    return shapes;
  }
  // A product is planned as large as it should be, for Fitted to tell where it has to be smaller.
  const Limits limits =
      task_.kernel == kernels::Kernel::kGemm ? LimitsWithoutOthers() : context_.session.limits();
  return PlanShapes(Variants(), rate, FactsWithin(limits));
}

std::vector<const Variant*> Contest::Variants() const {
  std::vector<const Variant*> variants;
  variants.reserve(candidates_.size());
  for (const Candidate& candidate : candidates_) variants.push_back(&candidate.variant());
  return variants;
}

PlanFacts Contest::FactsWithin(const Limits& limits) const {
  const double execution_s = std::min(context_.slot_s / kBatchesASlot, kMaxLaunchSeconds);
  const double budget_s = context_.request.budget_s;
  const bool on_host = OnHost(context_.request.device);
  return {.limits = limits,
          .device = context_.request.device,
          .processor = context_.request.processor,
          .target_s = std::min(execution_s, kLaunchTargetSeconds),
          .max_pass_s = std::max(execution_s, kLeastPassSeconds),
          .prompt_s = std::max(execution_s, kLeastPromptSeconds),
          .max_prompt_s = std::min(kMaxLaunchSeconds, std::max(execution_s, kMaxPromptShare * budget_s)),
          .most_pass_s = on_host ? std::max(kMaxLaunchSeconds, kMostPassShare * budget_s) : kMaxLaunchSeconds,
          .launch_s = std::min(kLeastLaunchSeconds, kLaunchShare * budget_s)};
}

void Contest::LoadAll() {
  for (const Variant* variant : task_.variants) {
    const auto refuse = [&](MeasurementStatus status, std::string reason) {
      context_.reporter.Fail(*variant, {}, status, Stage::kCompile, std::move(reason));
    };
    if (auto never = WhyNever(*variant, context_.session.limits())) {
      refuse(never->status, std::move(never->reason));
      continue;
    }
    std::string late = WhyNoneIsBegun(context_.budget, kUntimedForFigures);
    if (late.empty()) late = WhyNoTimeFor(*variant);
    if (!late.empty()) {
      refuse(MeasurementStatus::kOverBudget, std::move(late));
      continue;
    }
    context_.reporter.Enter(Stage::kCompile, *variant, CompileAllowanceSeconds(*variant));
    auto loaded = context_.budget.Excused([&] {
      context_.writer.LoadFor(*variant);
      return Load(context_.session, *variant);
    });
    if (loaded) {
      candidates_.push_back({*std::move(loaded), 0});
    } else if (loaded.error().Is(probe::OwnError::kLeftToOthers)) {
      refuse(MeasurementStatus::kSkipped, loaded.error().text);
    } else {
      refuse(StatusOf(loaded.error()), probe::Describe(loaded.error()));
    }
  }
}

// The first kernel finds a compiler that nobody may have used yet, as opening finds the driver.
double Contest::CompileAllowanceSeconds(const Variant& variant) const {
  if (IsOfLibrary(variant)) return LaunchAllowanceSeconds(context_.request, true);
  const double usual_s =
      context_.request.compile_allowance_s * static_cast<double>(variant.steps.size() + kFills);
  const bool is_first = context_.budget.Untimed() <= 0;
  return is_first && context_.cold_compiler ? std::max(usual_s, InitAllowanceSeconds(context_.request))
                                            : usual_s;
}

void Contest::EnterLaunch(const Variant& variant) const {
  context_.reporter.Enter(Stage::kLaunch, variant,
                          LaunchAllowanceSeconds(context_.request, IsOfLibrary(variant)));
}

std::string Contest::WhyNoTimeFor(const Variant& variant) const {
  if (!IsOfLibrary(variant)) return "";
  const double allowed_s = LaunchAllowanceSeconds(context_.request, true);
  const double left_s = std::max(context_.ends_within_s - context_.budget.Spent(), 0.0);
  if (allowed_s <= left_s) return "";
  return "it may take " + probe::SignificantText(allowed_s, 2) + " s to get ready, and " +
         probe::SignificantText(left_s, 2) + " s are left of all that compiling and first launches may take";
}

void Contest::TellTrial(const Series& series) const {
  const Workload& workload = series.workload;
  const double rate = workload.work() / series.expected_s;
  if (CachedReason(workload.variant(), workload.shape(), rate, Facts()).empty())
    context_.reporter.Trial(series);
}

bool Contest::Affordable(const Candidate& candidate, const Shape& shape) const {
  if (shape.too_long) {
    context_.reporter.Fail(candidate.variant(), Reported(shape), MeasurementStatus::kOverBudget,
                           Stage::kLaunch,
                           "one launch would take " +
                               probe::SignificantText(Work(candidate.variant(), shape) / candidate.rate, 2) +
                               " s, " + probe::SignificantText(Facts().max_prompt_s, 2) + " s are allowed");
    return false;
  }
  const double needed_s = kRunsATrial * Work(candidate.variant(), shape) / candidate.rate;
  const double left_s = context_.budget.Remaining();
  if (needed_s <= left_s) return true;
  std::string reason = context_.budget.given_up();
  if (reason.empty()) {
    reason = "needs about " + probe::SignificantText(needed_s, 2) + " s to be verified, " +
             probe::SignificantText(std::max(left_s, 0.0), 2) + " s are left";
  }
  context_.reporter.Fail(candidate.variant(), Reported(shape), MeasurementStatus::kOverBudget, Stage::kLaunch,
                         std::move(reason));
  return false;
}

std::optional<Series> Contest::DecideShape(const Shape& shape, const Variant* winner_before) {
  std::vector<const Candidate*> order;
  order.reserve(candidates_.size());
  for (const Candidate& candidate : candidates_) order.push_back(&candidate);
  std::stable_partition(order.begin(), order.end(),
                        [&](const Candidate* candidate) { return &candidate->variant() == winner_before; });
  const Limits& limits = context_.session.limits();
  // The tiles that are best for a large product are too few for all compute units in a small one.
  const std::uint64_t winners_groups = winner_before == nullptr ? 0 : Groups(*winner_before, shape, limits);
  const bool leaves_idle = winner_before != nullptr && winners_groups < limits.shape.compute_units;
  // What the candidate would reach with its share of the compute units.
  const auto expected = [&](const Candidate& candidate) {
    const std::uint64_t busy =
        std::min<std::uint64_t>(Groups(candidate.variant(), shape, limits), limits.shape.compute_units);
    return candidate.rate * static_cast<double>(busy);
  };
  const auto may_win = [&](const Candidate& candidate) {
    if (winner_before == nullptr) return candidate.rate >= kRival * candidates_.front().rate;
    return leaves_idle && Groups(candidate.variant(), shape, limits) > winners_groups &&
           expected(candidate) >= kRival * expected(*order.front());
  };
  std::optional<Series> best;
  int trials = 0;
  for (const Candidate* next_in_line : order) {
    const Candidate& candidate = *next_in_line;
    if (best && (trials == kMaxTrials || !may_win(candidate))) {
      context_.reporter.Skip(candidate.variant(), Reported(shape), candidate.rate, false,
                             "slower than " + best->workload.variant().name + " on a small problem");
      continue;
    }
    auto next = Try(candidate, shape);
    if (!next) continue;
    TellTrial(*next);
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
  if (!HasRoom(candidate, shape)) {
    LeaveToOthers(variant, shape);
    return std::nullopt;
  }
  const std::string misfit = Misfit(variant, shape, context_.session.limits());
  if (!misfit.empty()) {
    Refuse(variant, shape, misfit);
    return std::nullopt;
  }
  if (!Affordable(candidate, shape)) return std::nullopt;
  if (std::string late = WhyNoTimeFor(variant); !late.empty()) {
    context_.reporter.Fail(variant, Reported(shape), MeasurementStatus::kOverBudget, Stage::kLaunch,
                           std::move(late));
    return std::nullopt;
  }
  EnterLaunch(variant);
  Shape smaller = shape;
  auto workload =
      Workload::Create(context_.session, context_.writer, candidate.loaded, smaller, &context_.pool);
  const auto is_left = [&] { return !workload && workload.error().Is(probe::OwnError::kLeftToOthers); };
  for (int i = 0; !workload && !is_left() && i < kMaxHalvings && Halve(smaller); ++i) {
    context_.pool.Trim();
    auto retry =
        Workload::Create(context_.session, context_.writer, candidate.loaded, smaller, &context_.pool);
    if (retry) return Verified(candidate, *std::move(retry));
  }
  if (workload) return Verified(candidate, *std::move(workload));
  if (is_left()) {
    LeaveToOthers(variant, shape);
    return std::nullopt;
  }
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
  if (!first) return fail(StatusOf(first.error()), Stage::kLaunch, probe::Describe(first.error()));

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

  return Series{.workload = std::move(workload),
                .expected_s = std::min(PositiveSeconds(*checked), PositiveSeconds(*first)),
                .max_relative_error = verdict->max_relative_error};
}

}  // namespace backends
