// SPDX-License-Identifier: MIT
// Finds, among the variants of one task, the fastest that computes the right result, and readies it for
// timing. Whatever else it tried it reports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "backends/core/budget.h"
#include "backends/core/plan.h"
#include "backends/core/reporter.h"
#include "backends/core/tasks.h"
#include "backends/core/timing.h"
#include "backends/core/workload.h"

namespace backends {

struct ContestContext {
  Session& session;
  OperandWriter& writer;
  BufferPool& pool;
  const MeasureRequest& request;
  const Reporter& reporter;
  Budget& budget;
  double ends_within_s = std::numeric_limits<double>::infinity();  // MeasureExtras
  bool cold_compiler = true;                                       // nobody may have used it yet
  double slot_s = 0;       // of the budget, for the timing of one figure
  double bytes_per_s = 0;  // the memory's, once a read has been measured; 0 before
};

// What becomes of a variant whose loading or run failed so: an implementation without a kernel is no fault,
// nor is what was left to others.
[[nodiscard]] inline MeasurementStatus StatusOf(const probe::Error& error) {
  if (error.Is(probe::OwnError::kLeftToOthers)) return MeasurementStatus::kOverBudget;
  return error.Is(probe::OwnError::kNoSuchKernel) ? MeasurementStatus::kUnsupported
                                                  : MeasurementStatus::kFailed;
}

// What is to be said of a variant that this device runs in no case, however much time there is.
struct Refusal {
  MeasurementStatus status;
  std::string reason;
};
[[nodiscard]] std::optional<Refusal> WhyNever(const kernels::Variant& variant, const Limits& limits);

// On the host's clock; positive even where that did not move.
[[nodiscard]] inline double PositiveSeconds(const Timing& timing) { return std::max(timing.wall_s, 1e-9); }

// Why nothing else is compiled or launched for the first time once that took so long in all; empty before.
[[nodiscard]] std::string WhyNoneIsBegun(const Budget& budget, double most_untimed_s);

class Contest {
 public:
  Contest(const ContestContext& context, const Task& task) : context_(context), task_(task) {}

  // Loads the variants, finds out how fast they are on small problems, plans the shapes, and verifies at each
  // shape the fastest. The series point into this contest, which must outlive them. Reports every other
  // variant, and one failure for every shape that has no winner.
  [[nodiscard]] std::vector<Series> Decide();

 private:
  struct Candidate {
    LoadedVariant loaded;
    double rate = 0;  // on a small problem
    [[nodiscard]] const kernels::Variant& variant() const { return *loaded.variant; }
  };

  void LoadAll();
  // In contest_sharing.cpp, of a device that others use; elsewhere they leave everything as it is. Drops the
  // candidates for whose smallest problem there is no room, and reports them, once where none is left.
  void DropWithoutRoom();
  // The largest problem of the plan, up to that one, for which there is room; nullopt where there is for
  // none.
  [[nodiscard]] std::optional<Shape> Fitted(const Shape& planned);
  [[nodiscard]] bool HasRoom(const Candidate& candidate, const Shape& shape) const;
  // Whether there is room for its arrays beside what the figures before it hold. What else is in its way the
  // trial tells.
  [[nodiscard]] bool Allocates(const Candidate& candidate, const Shape& shape);
  [[nodiscard]] bool Shrink(Shape& shape) const;
  void LeaveToOthers(const kernels::Variant& variant, const Shape& shape) const;
  // Reports what can not run at that size: the device's memory would hold it, and somebody who can not be
  // seen has that, or the device has no room for it at all.
  void Refuse(const kernels::Variant& variant, const Shape& shape, std::string misfit) const;
  // As they would be if this process had all that is free.
  [[nodiscard]] Limits LimitsWithoutOthers() const;
  // What the arrays of the headline would take if they need not be so small for others' sake that the caches
  // hold them; nullopt where they would be as small without others.
  [[nodiscard]] std::optional<std::uint64_t> BytesWithoutOthers(double rate) const;
  // Beside those who use the device, too.
  [[nodiscard]] std::optional<Series> DecideWithin(const Shape& planned,
                                                   const kernels::Variant* winner_before);
  [[nodiscard]] double CompileAllowanceSeconds(const kernels::Variant& variant) const;
  // Before every launch whose length is not known: the parent waits for it so long and no longer.
  void EnterLaunch(const kernels::Variant& variant) const;
  // Why a library is called for nothing more: it may take its whole allowance, and where less is left of the
  // process everything that this has found would go with it. Empty while it fits, and of kernels of ours.
  [[nodiscard]] std::string WhyNoTimeFor(const kernels::Variant& variant) const;
  // In contest_rating.cpp: rates every candidate on small problems; those that fail, and those for which no
  // time is left beside the ones before them, are reported and dropped.
  void RateAll();
  [[nodiscard]] bool RateOne(Candidate& candidate);
  // Runs a kernel again whose very first trial took far more than the whole budget, and gives the device up
  // where that does, too. What fills its operands took `filled_s`.
  [[nodiscard]] probe::Result<Timing> Confirmed(const Candidate& candidate, Workload& workload,
                                                double filled_s, const Timing& timing);
  [[nodiscard]] kernels::Problem NextSmall(const Candidate& candidate, const kernels::Problem& problem) const;
  [[nodiscard]] bool OnHostsMemory(const kernels::Variant& variant) const;
  [[nodiscard]] bool Tells(const kernels::Variant& variant, const kernels::Problem& problem) const;
  struct SmallTrial {
    double time_s = 0;
    std::string wrong;  // how the very first result was wrong, if it was
  };
  // The time of one execution after one that is not counted; the very first is excused from the budget, and
  // checked.
  [[nodiscard]] probe::Result<SmallTrial> TimeSmall(const Candidate& candidate,
                                                    const kernels::Problem& problem, bool very_first);
  // The fastest of those that are worth a trial at this size. Where another shape has been won already, its
  // winner, unless it is wrong here, or so few tiles here that one with more of them may be faster.
  [[nodiscard]] std::optional<Series> DecideShape(const Shape& shape, const kernels::Variant* winner_before);
  // Runs and verifies one candidate at full size; reports it if it fails.
  [[nodiscard]] std::optional<Series> Try(const Candidate& candidate, const Shape& shape);
  [[nodiscard]] std::optional<Series> Verified(const Candidate& candidate, Workload workload);
  [[nodiscard]] Candidate& Of(const kernels::Variant& variant);
  // The first shape's winner, at a larger shape where it proved faster than its small problems said; `rate`
  // is then the new one. Nothing, and reported, where its arrays are still in the caches.
  [[nodiscard]] std::optional<Series> Enlarged(Series headline, double& rate);
  // Unless its arrays are still in the caches.
  void TellTrial(const Series& series) const;
  // On a busy machine the least of a few more runs tells the speed of what two runs did not.
  void LookAgain(Series& series);
  [[nodiscard]] PlanFacts Facts() const { return FactsWithin(context_.session.limits()); }
  [[nodiscard]] PlanFacts FactsWithin(const Limits& limits) const;
  [[nodiscard]] std::vector<const kernels::Variant*> Variants() const;
  [[nodiscard]] std::vector<Shape> Shapes(double rate) const;
  [[nodiscard]] bool Affordable(const Candidate& candidate, const Shape& shape) const;

  const ContestContext& context_;
  const Task& task_;
  std::deque<Candidate> candidates_;  // fastest first once rated; addresses stay
};

}  // namespace backends
