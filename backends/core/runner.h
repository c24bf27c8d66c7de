// SPDX-License-Identifier: MIT
// Measures one open device: plans the problems, runs and verifies every variant that fits, times the fastest
// by the protocol, and streams what it learns. Knows no runtime.
#pragma once

#include <limits>
#include <span>

#include "backends/core/backend.h"
#include "backends/core/budget.h"
#include "backends/core/measurement.h"
#include "backends/core/reporter.h"

namespace backends {

// What a caller may add.
struct MeasureExtras {
  TrialSink on_trial{};
  // When the process is ended, in seconds from the start: a library's work is begun only while its allowance
  // fits.
  double ends_within_s = std::numeric_limits<double>::infinity();
  // Not 0: processes before this one ended, and its budget is what they left of so much. 0: nobody may have
  // used the driver's compiler yet, and the first kernel has longer.
  double first_budget_s = 0;
};

// Emits exactly one reported Measurement for every (kernel, types, shape) of the plan that has a variant, ok
// or not, plus one for every other variant that was tried. Never throws; an error of the session ends up in a
// measurement.
void Measure(Session& session, std::span<const kernels::Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink, const MeasureExtras& extras = {});
// The same by another clock, for tests.
void Measure(Session& session, std::span<const kernels::Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink, const MonotonicClock& now, const MeasureExtras& extras = {});

// What opening the device may take: a driver that nobody has used sets it up anew.
[[nodiscard]] double InitAllowanceSeconds(const MeasureRequest& request);

// What a first launch may take, and what readies a library for it: a GPU's may read hundreds of MiB of
// kernels from a cold disk.
[[nodiscard]] double LaunchAllowanceSeconds(const MeasureRequest& request, bool of_library);

// The share of the budget for the user's own libraries, where there are any. They may crash: they are
// measured by a call of their own, with the fill kernels among its variants, when everything else has been
// reported.
inline constexpr double kLibraryBudgetShare = 0.15;

}  // namespace backends
