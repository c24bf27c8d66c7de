// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "backends/core/budget.h"
#include "backends/core/measurement_fields.h"
#include "backends/registry.h"
#include "report/core/wording.h"
#include "report/run/calibrate.h"
#include "report/run/exclusions.h"
#include "report/run/tasks.h"
#include "report/store/plausible.h"

namespace report {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;
using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;

// The measurement that stands for a child that died: what it was doing, and how it ended.
struct MeasuringEnd {
  ChildEnd end;
  MeasurementStatus status;
};
constexpr std::array kMeasuringEnds = {
    MeasuringEnd{ChildEnd::kExited, MeasurementStatus::kCrashed},
    MeasuringEnd{ChildEnd::kSignalled, MeasurementStatus::kCrashed},
    MeasuringEnd{ChildEnd::kTimedOut, MeasurementStatus::kTimedOut},
    MeasuringEnd{ChildEnd::kAbandoned, MeasurementStatus::kTimedOut},
    MeasuringEnd{ChildEnd::kMultiplied, MeasurementStatus::kTimedOut},
    MeasuringEnd{ChildEnd::kFlooded, MeasurementStatus::kFailed},
    MeasuringEnd{ChildEnd::kNotStarted, MeasurementStatus::kFailed},
    MeasuringEnd{ChildEnd::kInterrupted, MeasurementStatus::kInterrupted},
    MeasuringEnd{ChildEnd::kOutOfMemory, MeasurementStatus::kFailed},
};

// What dlopen(3) says where mmap(2) refuses: with EPERM what a driver has compiled to a library on a file
// system that allows no execution, with ENOMEM any library.
std::string_view HintOf(std::string_view stderr_tail) {
  const bool is_unmapped =
      stderr_tail.find("failed to map segment from shared object") != std::string_view::npos;
  return is_unmapped
             ? ": it could not map a library: on a file system mounted noexec, or for want of addresses"
             : "";
}

std::string DescribeMeasuringEnd(const ChildResult& result,
                                 const std::optional<backends::MeasureStage>& last) {
  const bool compiled = last && last->stage == probe::Stage::kCompile && kernels::IsOwn(last->implementation);
  if (result.end == ChildEnd::kTimedOut && compiled)
    return fmt::format("killed after {:.1f} s: the driver had not compiled it by then", result.step_s);
  if (result.end == ChildEnd::kTimedOut)
    return fmt::format("killed after {:.1f} s without an end", result.step_s);
  if (result.end == ChildEnd::kAbandoned)
    return "can not be killed: it hangs inside the kernel, or runs as another user";
  if (result.end == ChildEnd::kMultiplied)
    return "was killed, and what it left behind starts processes as fast as they are killed";
  if (result.end == ChildEnd::kInterrupted) return "interrupted";
  if (result.end == ChildEnd::kOutOfMemory) return result.detail;
  if (IsKill(result.exit)) return KilledText();
  const std::string_view hint = HintOf(result.stderr_tail);
  if (result.exit.signal)
    return fmt::format("its process was killed by signal {}{}", *result.exit.signal, hint);
  if (result.exit.code)
    return fmt::format("its process exited early with code {}{}", *result.exit.code, hint);
  return result.detail;
}

// Each step kept within its own allowance, and all of them together took the time of the whole child: no
// kernel hangs, the last no more than the others, and what is not measured yet did not fit.
std::optional<Measurement> LateTogether(const Target& target, const ChildResult& result, double deadline_s) {
  if (result.end != ChildEnd::kTimedOut || result.elapsed_s < deadline_s) return std::nullopt;
  return StandIn(
      target, MeasurementStatus::kOverBudget,
      fmt::format(
          "killed after {:.1f} s: compilation and first launches of all kernels together took too long",
          result.elapsed_s));
}

// Filling operands is no figure: what dies there fails what they are for, products first.
void NameKind(const std::optional<backends::FigureKind>& kind, Measurement& measurement) {
  if (kind && kind->kernel != kernels::Kernel::kFill) {
    measurement.kernel = kind->kernel;
    measurement.in_dtype = kind->in;
    measurement.acc_dtype = kind->acc;
  }
  measurement.unit = UnitOf(measurement);
}

// Of several devices the one whose turn it was, as long as it is one of those.
void NameDevice(const Target& target, const std::optional<PeerTurn>& turn, Measurement& measurement) {
  const auto find = [&](const std::string& id) {
    return std::find_if(target.peers.begin(), target.peers.end(),
                        [&](const auto& peer) { return peer.device_id == id; });
  };
  const auto from = turn ? find(turn->device_id) : target.peers.end();
  if (from == target.peers.end()) return;
  measurement.device_id = from->device_id;
  measurement.runtime = from->device.runtime;
  measurement.driver = from->device.driver;
  measurement.manifest = from->device.manifest;
  if (turn->peer_id && find(*turn->peer_id) != target.peers.end()) measurement.peer_id = turn->peer_id;
}

// What a driver that can write to its child's results says of others counts nothing, nor what this child was
// not there to measure.
bool IsAskedFor(const Target& target, const Measurement& m) {
  const auto is_of = [&](const std::string& id, const probe::RuntimeDevice& device) {
    return m.device_id == id && m.runtime == device.runtime && m.driver == device.driver;
  };
  const auto is_peer = [&](const std::string& id) {
    return std::any_of(target.peers.begin(), target.peers.end(),
                       [&](const auto& peer) { return peer.device_id == id; });
  };
  if (target.peers.empty())
    return is_of(target.device_id, target.device) && m.kernel != kernels::Kernel::kPeer;
  const bool of_one = std::any_of(target.peers.begin(), target.peers.end(),
                                  [&](const auto& peer) { return is_of(peer.device_id, peer.device); });
  return of_one && m.kernel == kernels::Kernel::kPeer && (!m.peer_id || is_peer(*m.peer_id));
}

// A figure is measured once: what is not ok only tells of an attempt.
bool IsRepeated(const std::vector<Measurement>& known, const Measurement& m) {
  const auto is_figure = [](const Measurement& of) { return of.status == MeasurementStatus::kOk; };
  const auto key = [](const Measurement& of) {
    return std::tie(of.device_id, of.peer_id, of.kernel, of.implementation, of.in_dtype, of.acc_dtype);
  };
  return is_figure(m) && std::any_of(known.begin(), known.end(), [&](const Measurement& other) {
           return is_figure(other) && key(other) == key(m) && other.shape == m.shape;
         });
}

// Why a measurement is not to be believed; nothing says no more than that it may be.
std::optional<std::string> Objection(const Target& target, const std::vector<Measurement>& known,
                                     const Measurement& m) {
  if (!IsAskedFor(target, m)) return "a measurement of what it was not asked to measure";
  if (auto odd = OddMeasurement("measurement", m)) return odd;
  if (IsRepeated(known, m)) return "a second measurement of one kernel at one shape";
  return std::nullopt;
}

// What a child said, up to its end.
struct Said {
  std::vector<Measurement> measurements;
  std::optional<backends::MeasureStage> last;
  std::optional<PeerTurn> turn;  // of that
  std::optional<std::string> error;
  std::optional<Exclusion> culprit;
  std::optional<UnexplainedLoss> loss;
};
Said Read(const Target& target, const ChildResult& result) {
  Said said;
  for (const probe::Json& record : result.records) {
    if (const auto ended = DecodeError(record)) {
      said.error = probe::Describe(*ended);
      continue;
    }
    if (auto lost = DecodeLostContext(record)) {
      said.culprit = *std::move(lost);
      said.error = std::string("its kernel brought the device's context down").append(kAndWithIt);
      continue;
    }
    if (auto lost = DecodeUnexplainedLoss(record)) {
      said.error = lost->reason;
      said.loss = std::move(lost);
      continue;
    }
    const auto event = backends::DecodeEvent(record);
    if (!event) {
      said.error = "malformed record: " + probe::Describe(event.error());
    } else if (const auto* stage = std::get_if<backends::MeasureStage>(&*event)) {
      said.last = *stage;
      said.turn = DecodePeerTurn(record);
    } else if (const auto& measurement = std::get<Measurement>(*event);
               const auto objection = Objection(target, said.measurements, measurement)) {
      said.error = "malformed record: " + *objection;
    } else {
      said.measurements.push_back(measurement);
    }
  }
  return said;
}

}  // namespace

Measurement StandIn(const Target& target, MeasurementStatus status, std::string reason) {
  Measurement measurement;
  measurement.device_id = target.device_id;
  measurement.runtime = target.device.runtime;
  measurement.driver = target.device.driver;
  measurement.manifest = target.device.manifest;
  if (!target.peers.empty()) {
    measurement.kernel = kernels::Kernel::kPeer;
    measurement.in_dtype = measurement.acc_dtype = kernels::Dtype::kU32;
  }
  measurement.unit = UnitOf(measurement);
  measurement.status = status;
  measurement.reason = std::move(reason);
  return measurement;
}

double MostAllowed(const backends::MeasureRequest& request, const probe::Json& record) {
  // Of a variant's kernels together; none has as many.
  constexpr double kMostKernels = 10;
  const auto event = backends::DecodeEvent(record);
  const auto* stage = event ? std::get_if<backends::MeasureStage>(&*event) : nullptr;
  if (stage == nullptr) return 0;
  switch (stage->stage) {
    case probe::Stage::kCompile:
      return std::max(kMostKernels * request.compile_allowance_s,
                      backends::LaunchAllowanceSeconds(request, !kernels::IsOwn(stage->implementation)));
    case probe::Stage::kVerify:
    case probe::Stage::kTime:
      return std::max(request.budget_s, 0.0) + backends::kStallAllowanceSeconds;
    case probe::Stage::kInit:
      return backends::InitAllowanceSeconds(request);
    case probe::Stage::kLaunch:
      return backends::LaunchAllowanceSeconds(request, !kernels::IsOwn(stage->implementation));
    case probe::Stage::kStart:
    case probe::Stage::kLoad:
    case probe::Stage::kSymbols:
    case probe::Stage::kEnumerate:
    case probe::Stage::kDone:
      return request.first_launch_allowance_s;
  }
  return 0;
}

namespace {

// Without a figure for want of time alone.
bool IsLate(const Measurement& m) {
  return m.status == MeasurementStatus::kSkipped || m.status == MeasurementStatus::kOverBudget;
}

}  // namespace

void Supersede(std::vector<Measurement>& known, const std::vector<Measurement>& later) {
  const auto key = [](const Measurement& of) {
    return std::tie(of.kernel, of.implementation, of.in_dtype, of.acc_dtype);
  };
  const auto has = [&](const std::vector<Measurement>& all, const Measurement& one, auto&& counts) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Measurement& m) { return key(m) == key(one) && counts(m); });
  };
  const auto tells = [](const Measurement& m) {
    return m.status == MeasurementStatus::kOk || m.status == MeasurementStatus::kWrongResult;
  };
  // Of what was timed a trial alone says nothing new.
  const auto is_known = [&](const Measurement& m) {
    return m.status == MeasurementStatus::kOk && m.samples == 0 &&
           has(known, m, [&](const Measurement& before) {
             return before.status == MeasurementStatus::kOk && before.samples > 0 && before.shape == m.shape;
           });
  };
  // A process that had no time for it says nothing of what the one before found out.
  const auto says_more = [&](const Measurement& than) {
    return [&tells, is_late = IsLate(than)](const Measurement& m) {
      return tells(m) || (is_late && !IsLate(m));
    };
  };
  std::vector<Measurement> added;
  std::copy_if(later.begin(), later.end(), std::back_inserter(added),
               [&](const Measurement& m) { return tells(m) ? !is_known(m) : !has(known, m, says_more(m)); });
  // Figures at other shapes stay, unless the implementation is found to be wrong.
  std::erase_if(known, [&](const Measurement& m) {
    return has(added, m, [&](const Measurement& again) {
      const bool is_trial = m.samples == 0 && m.kernel != kernels::Kernel::kGemm;
      return !tells(m) || again.shape == m.shape || again.status == MeasurementStatus::kWrongResult ||
             is_trial;
    });
  });
  known.insert(known.end(), added.begin(), added.end());
}

namespace {

std::vector<Measurement> MeasurementsIn(const Target& target, const ChildResult& result, double deadline_s) {
  Said said = Read(target, result);
  const auto& [measurements, last, turn, error, culprit, loss] = said;
  if (result.end == ChildEnd::kDone && !error) return said.measurements;
  if (auto late = LateTogether(target, result, deadline_s)) {
    said.measurements.push_back(*std::move(late));
    return said.measurements;
  }
  const auto row = std::find_if(kMeasuringEnds.begin(), kMeasuringEnds.end(),
                                [&](const MeasuringEnd& known) { return known.end == result.end; });
  auto failure =
      StandIn(target, row == kMeasuringEnds.end() ? MeasurementStatus::kFailed : row->status,
              error && result.end == ChildEnd::kDone ? *error : DescribeMeasuringEnd(result, last));
  if (last) failure.stage = probe::NameOf(last->stage);
  if (loss) {  // of all that was to come, and of no kernel
    failure.status = MeasurementStatus::kFailed;
    failure.reason = loss->reason;
  } else if (last) {
    failure.implementation = last->implementation;
    NameKind(last->kind, failure);
    NameDevice(target, turn, failure);
  }
  if (culprit) {
    failure.implementation = culprit->implementation;
    NameKind(culprit->kind, failure);
    const auto own =
        std::find_if(said.measurements.begin(), said.measurements.end(), [&](const Measurement& m) {
          return m.status == MeasurementStatus::kFailed && m.implementation == failure.implementation &&
                 KindOf(m) == KindOf(failure);
        });
    if (own != said.measurements.end()) {
      AddReason(*own, *failure.reason);
      return said.measurements;
    }
  }
  said.measurements.push_back(std::move(failure));
  return said.measurements;
}

// Failures of which the runtime's own error says that there was not as much memory.
void MarkWantOfMemory(std::vector<Measurement>& measurements) {
  const auto all = backends::Backends();
  for (Measurement& m : measurements) {
    const auto backend =
        std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.runtime == m.runtime; });
    if (m.status != MeasurementStatus::kFailed || backend == all.end()) continue;
    const auto& errors = backend->memory_errors;
    if (std::any_of(errors.begin(), errors.end(), [&](auto error) { return NamesError(m, error); }))
      m.lacked_memory = true;
  }
}

}  // namespace

std::vector<Measurement> Collect(const Target& target, const ChildResult& result, double deadline_s) {
  auto measurements = MeasurementsIn(target, result, deadline_s);
  MarkWantOfMemory(measurements);
  return measurements;
}

}  // namespace report
