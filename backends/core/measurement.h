// SPDX-License-Identifier: MIT
// One measured figure and everything needed to judge it. JSON as in data/schema; codec in
// measurement_fields.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"

namespace backends {

// ok: measured and verified. wrong_result: ran, and its result is not the product or sum that it must be.
// implausible: faster than 1.5 times the known peak, or its clock makes no sense.
enum class MeasurementStatus {
  kOk,
  kWrongResult,
  kImplausible,
  kUnsupported,
  kOverBudget,
  kFailed,
  kCrashed,
  kTimedOut,
  kSkipped,
  kInterrupted
};

// By the 95 % interval of the median: good within 1.5 %, fair within 5 %, noisy beyond or with under ten
// batches.
enum class Quality { kGood, kFair, kNoisy };

struct Measurement {
  std::string device_id;
  std::optional<std::string> peer_id;  // p2p: of the device that is written to
  std::string runtime;
  std::string driver;
  std::optional<std::string> manifest;
  kernels::Kernel kernel = kernels::Kernel::kGemm;
  std::string implementation;  // "own:avx512", "openblas", ...
  kernels::Dtype in_dtype = kernels::Dtype::kFp32;
  kernels::Dtype acc_dtype = kernels::Dtype::kFp32;
  kernels::Problem shape;
  MeasurementStatus status = MeasurementStatus::kSkipped;
  std::optional<std::string> reason;  // of any status but ok, and of a flag on ok
  std::optional<std::string> stage;   // where a failed one stopped: compile, launch, verify, time
  std::optional<double> rate;         // in `unit`; of the median batch, of the p10 time where noisy
  std::string unit;
  std::optional<double> time_s;               // of one execution
  std::optional<std::array<double, 2>> ci95;  // of the median's rate, relative: [0.99, 1.01]
  std::optional<double> p10_rate;             // at the 10th percentile of the batch times
  std::optional<double> best_rate;
  std::uint32_t samples = 0;          // batches
  std::vector<double> batch_times_s;  // of one execution each; kept for --verbose and --record
  std::optional<Quality> quality;
  std::optional<double> foreign_load;  // share of the host's processors that other programs took meanwhile
  bool throttled = false;
  bool verified = false;
  bool host_timed = false;    // the runtime's own event times were missing, senseless or blind to a quota
  std::uint32_t threads = 0;  // of the host's, that computed it; 0 elsewhere, and where nobody tells
  std::optional<double> max_relative_error;
  std::optional<double> share_of_peak;

  // Whether the rates are seconds, as those of a launch are: the fewer the better.
  [[nodiscard]] bool IsTime() const { return unit == "s"; }
  // The rate so that more is better: of a time its inverse. Wants a rate.
  [[nodiscard]] double Speed() const { return IsTime() ? 1 / *rate : *rate; }
};

// Begins the reason where the host has none for a buffer.
inline constexpr std::string_view kNoMemoryForBuffer = "no memory for a buffer";

// In the reason why a kernel that memory bounds has no figure: its arrays would be no larger than the caches.
inline constexpr std::string_view kInTheCaches = "are in the caches and tell nothing of memory";

// Behind those that it has; an empty one is none.
inline void AddReason(Measurement& measurement, const std::string& reason) {
  if (reason.empty()) return;
  measurement.reason = measurement.reason ? *measurement.reason + "; " + reason : reason;
}

}  // namespace backends
