// SPDX-License-Identifier: MIT
// Measures one open device: plans the problems, runs and verifies every variant that fits, times the fastest
// by the protocol, and streams what it learns. Knows no runtime.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/measurement.h"
#include "probe/core/outcome.h"

namespace backends {

// How much of the plan: all of it; what differs between the runtimes of one device, where another runtime has
// had the whole plan already (products of two types, reads, matrix-vector products and launches); of one of
// several equal devices, one product and reads; of the user's own libraries, the headline shape of each
// kernel; or, for a second time, the figures that the request names.
enum class Scope { kWhole, kRepeat, kBrief, kLibraries, kAgain };

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
  std::vector<Figure> figures;       // not empty: of the scope's these alone
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

// Says what is about to be risked and how long it may take, so that the parent can bound it.
struct MeasureStage {
  probe::Stage stage = probe::Stage::kCompile;
  std::string title;               // for people: "gemm fp32/fp32"
  std::optional<FigureKind> kind;  // that fails where the process ends here; of several the first
  std::string implementation;
  double allow_s = 0;
};

using MeasureEvent = std::variant<MeasureStage, Measurement>;
using MeasureSink = std::function<void(const MeasureEvent&)>;
using MonotonicClock = std::function<double()>;  // seconds from any start

// Emits exactly one reported Measurement for every (kernel, types, shape) of the plan that has a variant, ok
// or not, plus one for every other variant that was tried. Never throws; an error of the session ends up in a
// measurement.
void Measure(Session& session, std::span<const kernels::Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink);
// The same by another clock, for tests.
void Measure(Session& session, std::span<const kernels::Variant> variants, const MeasureRequest& request,
             const MeasureSink& sink, const MonotonicClock& now);

// Of the budget, where the user has libraries. They may crash: they are measured by a call of their own, with
// the fill kernels among its variants, when everything else has been reported.
inline constexpr double kLibraryBudgetShare = 0.15;

}  // namespace backends
