// SPDX-License-Identifier: MIT
// Turns what happens while measuring into events: stages before a risk, measurements after it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/measurement.h"
#include "backends/core/timing.h"

namespace backends {

// "gemm fp32/fp32".
[[nodiscard]] std::string Title(const kernels::Variant& variant);
[[nodiscard]] inline FigureKind KindOf(const kernels::Variant& variant) {
  return {variant.kernel, variant.in, variant.acc};
}

// Told at once of a kernel that its trial found to be right, with the speed of that: what is left of it where
// the process ends before the figure is measured, which takes its place.
using TrialSink = std::function<void(const Measurement&)>;

class Reporter {
 public:
  // All outlive the reporter.
  Reporter(const MeasureRequest& request, const Limits& limits, const MeasureSink& sink,
           const TrialSink& on_trial = {})
      : request_(request), limits_(limits), sink_(sink), on_trial_(on_trial) {}

  // About to be risked: by its title for people, and the figure that fails where the process ends here.
  void Enter(probe::Stage stage, std::string title, FigureKind kind, std::string implementation,
             double allow_s) const;
  void Enter(probe::Stage stage, const kernels::Variant& variant, double allow_s) const;

  // A variant that gave no figure at that stage.
  void Fail(const kernels::Variant& variant, const kernels::Problem& shape, MeasurementStatus status,
            probe::Stage stage, std::string reason) const;
  // One that was not tried: others, who are seen to use the device or are not, leave no room for so many
  // bytes.
  void LeaveToOthers(const kernels::Variant& variant, const kernels::Problem& shape, bool are_seen,
                     std::uint64_t needed_bytes, std::string reason) const;
  // A variant that works and was not timed in full, with the rate that a short timing gave.
  void Skip(const kernels::Variant& variant, const kernels::Problem& shape, double rate, bool verified,
            std::string reason) const;
  // A series that is yet to be timed.
  void Trial(const Series& series) const;
  // A series that was timed, well or not.
  void Finish(const Series& series) const;
  // A figure that needs no variant (launch, transfers), from the times of executions of that work; of launch
  // the figure is the time itself. Without times, `end` says why; with a status other than ok they do not
  // count. The reason of an ok one is a remark.
  struct End {
    MeasurementStatus status = MeasurementStatus::kOk;
    std::string reason;
    std::optional<std::uint64_t> needed_bytes{};  // Measurement's
  };
  void Finish(kernels::Kernel kernel, std::string implementation, const kernels::Problem& shape, double work,
              std::vector<double> times_s, const End& end) const;

 private:
  [[nodiscard]] Measurement Begin(const kernels::Variant& variant, const kernels::Problem& shape) const;
  // With what its verification told.
  [[nodiscard]] Measurement BeginVerified(const Series& series) const;
  // The last `late` times are those of Series.
  void Fill(Measurement& measurement, double work, std::vector<double> times_s, std::size_t late) const;
  const MeasureRequest& request_;
  const Limits& limits_;
  const MeasureSink& sink_;
  const TrialSink on_trial_;
};

// What was left to others was not tried.
[[nodiscard]] inline Reporter::End Failed(const probe::Error& error) {
  const bool is_left = error.Is(probe::OwnError::kLeftToOthers);
  return {is_left ? MeasurementStatus::kOverBudget : MeasurementStatus::kFailed, probe::Describe(error)};
}

}  // namespace backends
