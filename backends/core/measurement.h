// SPDX-License-Identifier: MIT
// What is asked of a child that measures, and what it answers: stages, and measured figures with everything
// that is needed to judge them. JSON as in data/schema; codec in measurement_fields.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/spec.h"
#include "probe/core/device.h"
#include "probe/core/names.h"
#include "probe/core/outcome.h"

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
  // Of the device while its batches ran, where it says them: the highest that were seen, and its fastest
  // link.
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<probe::PcieLink> pcie;
  // What by design held its clocks, which go up and down there: "its power limit of 700 W".
  std::optional<std::string> limited_by;
  // Of the device's memory, where others who use it leave too little: it was not tried.
  std::optional<std::uint64_t> needed_bytes;
  // Beside that: whether nobody is seen to use it, so that who holds its memory is not known.
  std::optional<bool> holder_unseen;
  // Of what failed: whether the runtime's own error says that there was not as much memory.
  std::optional<bool> lacked_memory;

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

// How much of the plan is measured.
enum class Scope {
  kWhole,      // all of it
  kRepeat,     // products of two types, reads, matrix-vector products and launches: what differs between the
               // runtimes of one device, where another runtime has had the whole plan already
  kBrief,      // one product and reads, of one of several equal devices
  kLibraries,  // the headline shape of each kernel, by the user's own libraries
  kAgain       // the figures that the request names, a second time
};

// One figure: a kernel, its pair of types, and which implementation at which shape.
struct Figure {
  kernels::Kernel kernel = kernels::Kernel::kGemm;
  kernels::Dtype in = kernels::Dtype::kFp32;
  kernels::Dtype acc = kernels::Dtype::kFp32;
  std::string implementation;  // a variant's name
  kernels::Problem shape;      // of a product; what moves memory is measured at the shape of its plan

  bool operator==(const Figure&) const = default;
};

// One of several devices that are measured together.
struct PeerDevice {
  std::string device_id;
  probe::RuntimeDevice device;
};

struct MeasureRequest {
  std::string device_id;                      // of the physical device, copied into every measurement
  std::optional<std::string> peer_id;         // the same, of a copy between two
  probe::RuntimeDevice device;                // the view to open
  std::optional<probe::Processor> processor;  // the host's
  Scope scope = Scope::kWhole;
  std::vector<Figure> figures;       // if there are any, only these of what the scope has
  double budget_s = 3.0;             // for all timed work together; compilation and first launches are apart
  double compile_allowance_s = 3.0;  // a kernel
  double first_launch_allowance_s = 10.0;
  std::uint32_t seed = 0x77686963;  // of the operands
  std::vector<PeerDevice> peers;    // not empty: what is between them is measured (peers.h), not `device`
};

// What a figure is of.
struct FigureKind {
  kernels::Kernel kernel = kernels::Kernel::kGemm;
  kernels::Dtype in = kernels::Dtype::kFp32;
  kernels::Dtype acc = kernels::Dtype::kFp32;

  bool operator==(const FigureKind&) const = default;
};

[[nodiscard]] inline FigureKind KindOf(const Measurement& of) {
  return {of.kernel, of.in_dtype, of.acc_dtype};
}

// Says what is about to be risked and how long it may take, so that the parent can bound it.
struct MeasureStage {
  probe::Stage stage = probe::Stage::kCompile;
  std::string title;               // for people: "gemm fp32/fp32"
  std::optional<FigureKind> kind;  // the figure, of several the first, that fails if the process ends here
  std::string implementation;
  double allow_s = 0;
};

using MeasureEvent = std::variant<MeasureStage, Measurement>;
using MeasureSink = std::function<void(const MeasureEvent&)>;

}  // namespace backends

namespace probe {

WHICHGPU_NAMES(backends::MeasurementStatus, {kOk, "ok"}, {kWrongResult, "wrong_result"},
               {kImplausible, "implausible"}, {kUnsupported, "unsupported"}, {kOverBudget, "over_budget"},
               {kFailed, "failed"}, {kCrashed, "crashed"}, {kTimedOut, "timed_out"}, {kSkipped, "skipped"},
               {kInterrupted, "interrupted"})
WHICHGPU_NAMES(backends::Scope, {kWhole, "whole"}, {kRepeat, "repeat"}, {kBrief, "brief"},
               {kLibraries, "libraries"}, {kAgain, "again"})
WHICHGPU_NAMES(backends::Quality, {kGood, "good"}, {kFair, "fair"}, {kNoisy, "noisy"})

}  // namespace probe
