// SPDX-License-Identifier: MIT
#include "backends/core/reporter.h"

#include <algorithm>
#include <utility>

#include "backends/core/measurement_fields.h"
#include "backends/core/statistics.h"

namespace backends {
namespace {

std::string Unit(const kernels::Variant& variant) {
  const std::string_view unit = kernels::Row(variant.kernel).unit;
  return std::string(unit == "flop_per_s" && kernels::Row(variant.in).integer ? "op_per_s" : unit);
}

void NoteState(const Series& series, Measurement& measurement) {
  if (!series.throttled_by.empty()) AddReason(measurement, "throttled by " + series.throttled_by);
  if (!series.limited_by.empty()) {
    AddReason(measurement, "at " + series.limited_by);
    measurement.limited_by = series.limited_by;
  }
  measurement.temperature_c = series.temperature_c;
  measurement.power_w = series.power_w;
  measurement.pcie = series.pcie;
  const double share = LeastClockShare(series);
  const bool slow = share < kThrottledClockShare && series.limited_by.empty();
  if (slow) {
    AddReason(measurement,
              "its clock fell to " + std::to_string(static_cast<int>(100 * share)) + " % of the highest");
  }
  // What a limit that is there by design leaves of the clocks changes as it is measured.
  const bool slowed_down = measurement.throttled && series.limited_by.empty();
  measurement.throttled = slowed_down || slow || !series.throttled_by.empty();
}

// A software device answers a launch by waking the driver's threads. How long that takes depends on where the
// system has put them, which it draws once a process: an interval within one run says nothing of the next.
constexpr std::string_view kWakingThreads =
    "the driver's threads wake where the system put them: another run may take longer or shorter";
bool DependsOnWakingThreads(kernels::Kernel kernel, const probe::RuntimeDevice& device) {
  return kernel == kernels::Kernel::kLaunch && device.kind == probe::DeviceKind::kSoftware;
}

}  // namespace

std::string Title(const kernels::Variant& variant) {
  return std::string(kernels::Row(variant.kernel).name)
      .append(" ")
      .append(kernels::Row(variant.in).name)
      .append("/")
      .append(kernels::Row(variant.acc).name);
}

void Reporter::Enter(probe::Stage stage, std::string title, FigureKind kind, std::string implementation,
                     double allow_s) const {
  sink_(MeasureStage{.stage = stage,
                     .title = std::move(title),
                     .kind = kind,
                     .implementation = std::move(implementation),
                     .allow_s = std::max(allow_s, 0.0)});
}

void Reporter::Enter(probe::Stage stage, const kernels::Variant& variant, double allow_s) const {
  Enter(stage, Title(variant), KindOf(variant), variant.name, allow_s);
}

Measurement Reporter::Begin(const kernels::Variant& variant, const kernels::Problem& shape) const {
  Measurement measurement;
  measurement.device_id = request_.device_id;
  measurement.peer_id = request_.peer_id;
  measurement.runtime = request_.device.runtime;
  measurement.driver = request_.device.driver;
  measurement.manifest = request_.device.manifest;
  measurement.kernel = variant.kernel;
  measurement.implementation = variant.name;
  measurement.in_dtype = variant.in;
  measurement.acc_dtype = variant.acc;
  measurement.shape = shape;
  measurement.unit = Unit(variant);
  measurement.threads = limits_.threads;
  return measurement;
}

void Reporter::Fail(const kernels::Variant& variant, const kernels::Problem& shape, MeasurementStatus status,
                    probe::Stage stage, std::string reason) const {
  Measurement measurement = Begin(variant, shape);
  measurement.status = status;
  measurement.stage = std::string(probe::NameOf(stage));
  measurement.reason = std::move(reason);
  sink_(measurement);
}

void Reporter::LeaveToOthers(const kernels::Variant& variant, const kernels::Problem& shape, bool are_seen,
                             std::uint64_t needed_bytes, std::string reason) const {
  Measurement measurement = Begin(variant, shape);
  measurement.status = MeasurementStatus::kOverBudget;
  measurement.stage = std::string(probe::NameOf(probe::Stage::kLaunch));
  measurement.reason = std::move(reason);
  measurement.needed_bytes = needed_bytes;
  measurement.holder_unseen = !are_seen;
  sink_(measurement);
}

void Reporter::Skip(const kernels::Variant& variant, const kernels::Problem& shape, double rate,
                    bool verified, std::string reason) const {
  Measurement measurement = Begin(variant, shape);
  measurement.status = MeasurementStatus::kSkipped;
  measurement.reason = std::move(reason);
  AddReason(measurement, variant.note);
  measurement.rate = rate;
  measurement.verified = verified;
  sink_(measurement);
}

namespace {

// What one core of a slow processor multiplies and adds in some milliseconds.
constexpr double kLeastProduct = 1e7;

// A product that takes as long as waking threads and waiting for them does, busy as the machine may be.
bool IsAllLaunch(const Workload& workload) {
  return workload.variant().kernel == kernels::Kernel::kGemm && workload.work() < kLeastProduct;
}

constexpr const char* kOnlyVerified = "timed only while it was verified";

}  // namespace

Measurement Reporter::BeginVerified(const Series& series) const {
  const Workload& workload = series.workload;
  Measurement measurement = Begin(workload.variant(), Reported(workload.shape()));
  measurement.verified = true;
  measurement.max_relative_error = series.max_relative_error;
  AddReason(measurement, workload.variant().note);
  AddReason(measurement, workload.shape().note);
  return measurement;
}

void Reporter::Trial(const Series& series) const {
  if (!on_trial_ || IsAllLaunch(series.workload)) return;
  Measurement measurement = BeginVerified(series);
  Fill(measurement, series.workload.work(), {series.expected_s}, 0);
  measurement.samples = 0;
  measurement.host_timed = true;
  AddReason(measurement, kOnlyVerified);
  on_trial_(measurement);
}

void Reporter::Finish(const Series& series) const {
  const Workload& workload = series.workload;
  Measurement measurement = BeginVerified(series);
  if (series.error) {
    measurement.status = MeasurementStatus::kFailed;
    measurement.stage = std::string(probe::NameOf(probe::Stage::kTime));
    AddReason(measurement, probe::Describe(*series.error));
    sink_(measurement);
    return;
  }
  ChosenTimes chosen = ChooseClock(series);
  const bool untimed = chosen.times_s.empty();
  // A device's own clock does not run while its threads are woken.
  if (series.out_of_time && (untimed || chosen.host_timed) && IsAllLaunch(workload)) {
    return Fail(workload.variant(), Reported(workload.shape()), MeasurementStatus::kOverBudget,
                probe::Stage::kTime,
                "there was time for no product that is large enough to tell of more than its launch");
  }
  if (untimed) chosen = {{series.expected_s}, true, kOnlyVerified};
  const std::size_t late = chosen.times_s.size() == series.wall_s.size() ? series.late : 0;
  Fill(measurement, workload.work(), std::move(chosen.times_s), late);
  if (untimed) measurement.samples = 0;
  NoteState(series, measurement);
  measurement.host_timed = chosen.host_timed;
  AddReason(measurement, chosen.reason);
  if (series.out_of_time && measurement.samples < kMinBatches) {
    AddReason(measurement, "the budget ended after " + std::to_string(measurement.samples) + " batches");
  }
  sink_(measurement);
}

void Reporter::Finish(kernels::Kernel kernel, std::string implementation, const kernels::Problem& shape,
                      double work, std::vector<double> times_s, const End& end) const {
  kernels::Variant variant;
  variant.name = std::move(implementation);
  variant.kernel = kernel;
  variant.in = kernels::Dtype::kU32;
  variant.acc = kernels::Dtype::kU32;
  if (end.needed_bytes) return LeaveToOthers(variant, shape, true, *end.needed_bytes, end.reason);
  if (end.status != MeasurementStatus::kOk)
    return Fail(variant, shape, end.status, probe::Stage::kTime, end.reason);
  if (times_s.empty()) {
    return Fail(variant, shape, MeasurementStatus::kOverBudget, probe::Stage::kTime,
                "the budget ended before it");
  }
  Measurement measurement = Begin(variant, shape);
  measurement.verified = true;
  measurement.host_timed = true;
  Fill(measurement, work, std::move(times_s), 0);
  AddReason(measurement, end.reason);
  if (kernel == kernels::Kernel::kLaunch) {
    const auto invert = [](std::optional<double>& rate) { rate = 1.0 / *rate; };
    for (auto* rate : {&measurement.rate, &measurement.p10_rate, &measurement.best_rate}) invert(*rate);
  }
  sink_(measurement);
}

void Reporter::Fill(Measurement& measurement, double work, std::vector<double> times_s,
                    std::size_t late) const {
  Summary summary = Summarise(times_s, late);
  const bool drawn = DependsOnWakingThreads(measurement.kernel, request_.device);
  if (limits_.disturbed || drawn) summary.quality = Quality::kNoisy;
  measurement.status = MeasurementStatus::kOk;
  measurement.samples = summary.samples;
  measurement.quality = summary.quality;
  // The least disturbed times; where the speed itself changed there are none such.
  const bool disturbed = summary.quality == Quality::kNoisy && !summary.drifted;
  measurement.time_s = disturbed ? summary.p10_s : summary.median_s;
  measurement.rate = work / *measurement.time_s;
  measurement.p10_rate = work / summary.p10_s;
  measurement.best_rate = work / summary.best_s;
  if (summary.ci95_s) {
    measurement.ci95 = {{summary.median_s / (*summary.ci95_s)[1], summary.median_s / (*summary.ci95_s)[0]}};
  }
  measurement.throttled = summary.throttled;
  measurement.batch_times_s = std::move(times_s);
  if (drawn) AddReason(measurement, std::string(kWakingThreads));
  if (!limits_.shared_with.empty()) {
    AddReason(measurement, "the device was shared (" + limits_.shared_with +
                               "): " + std::to_string(limits_.shared_percent) +
                               " % of its free memory was used at most");
  }
}

}  // namespace backends
