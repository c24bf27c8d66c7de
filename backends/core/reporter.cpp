// SPDX-License-Identifier: MIT
#include "backends/core/reporter.h"

#include <algorithm>
#include <utility>

#include "backends/core/measurement_fields.h"
#include "backends/core/statistics.h"

namespace backends {
namespace {

constexpr double kImpossibleShare = 1.5;
constexpr double kDoubtfulShare = 1.05;

std::string Unit(const kernels::Variant& variant) {
  const std::string_view unit = kernels::Row(variant.kernel).unit;
  return std::string(unit == "flop_per_s" && kernels::Row(variant.in).integer ? "op_per_s" : unit);
}

void AddReason(Measurement& measurement, const std::string& reason) {
  if (reason.empty()) return;
  measurement.reason = measurement.reason ? *measurement.reason + "; " + reason : reason;
}

}  // namespace

std::string Title(const kernels::Variant& variant) {
  return std::string(kernels::Row(variant.kernel).name)
      .append(" ")
      .append(kernels::Row(variant.in).name)
      .append("/")
      .append(kernels::Row(variant.acc).name);
}

void Reporter::Enter(probe::Stage stage, std::string kernel, std::string implementation,
                     double allow_s) const {
  sink_(MeasureStage{stage, std::move(kernel), std::move(implementation), std::max(allow_s, 0.0)});
}

void Reporter::Enter(probe::Stage stage, const kernels::Variant& variant, double allow_s) const {
  Enter(stage, Title(variant), variant.name, allow_s);
}

Measurement Reporter::Begin(const kernels::Variant& variant, const kernels::Problem& shape) const {
  Measurement measurement;
  measurement.device_id = request_.device_id;
  measurement.runtime = request_.device.runtime;
  measurement.driver = request_.device.driver;
  measurement.manifest = request_.device.manifest;
  measurement.kernel = variant.kernel;
  measurement.implementation = variant.name;
  measurement.in_dtype = variant.in;
  measurement.acc_dtype = variant.acc;
  measurement.shape = shape;
  measurement.unit = Unit(variant);
  if (request_.device.kind == probe::DeviceKind::kCpu) measurement.threads = limits_.shape.compute_units;
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

void Reporter::Skip(const kernels::Variant& variant, const kernels::Problem& shape, double rate,
                    bool verified, std::string reason) const {
  Measurement measurement = Begin(variant, shape);
  measurement.status = MeasurementStatus::kSkipped;
  measurement.reason = std::move(reason);
  measurement.rate = rate;
  measurement.verified = verified;
  sink_(measurement);
}

void Reporter::CompareWithPeak(Measurement& measurement) const {
  for (const KnownPeak& peak : request_.peaks) {
    const bool same = peak.kernel == measurement.kernel && peak.in == measurement.in_dtype &&
                      peak.acc == measurement.acc_dtype && peak.rate > 0;
    if (!same) continue;
    const double share = *measurement.rate / peak.rate;
    measurement.share_of_peak = share;
    if (share > kImpossibleShare) {
      measurement.status = MeasurementStatus::kImplausible;
      AddReason(measurement, "more than 1.5 times what the device can do at best");
    } else if (share > kDoubtfulShare) {
      AddReason(measurement, "above what the device should do at best");
    }
  }
}

void Reporter::Finish(const Series& series) const {
  const Workload& workload = series.workload;
  Measurement measurement = Begin(workload.variant(), Reported(workload.shape()));
  measurement.verified = true;
  measurement.max_relative_error = series.max_relative_error;
  AddReason(measurement, workload.shape().note);
  if (series.error) {
    measurement.status = MeasurementStatus::kFailed;
    measurement.stage = std::string(probe::NameOf(probe::Stage::kTime));
    AddReason(measurement, probe::Describe(*series.error));
    sink_(measurement);
    return;
  }
  ChosenTimes chosen = ChooseClock(series);
  measurement.samples = static_cast<std::uint32_t>(chosen.times_s.size());
  if (chosen.times_s.empty()) {
    chosen = {{series.expected_s}, true, "the budget ended before a batch: timed while it was verified"};
  }
  const Summary summary = Summarise(chosen.times_s);
  const double work = workload.work();
  measurement.status = MeasurementStatus::kOk;
  measurement.quality = summary.quality;
  measurement.time_s = summary.quality == Quality::kNoisy ? summary.p10_s : summary.median_s;
  measurement.rate = work / *measurement.time_s;
  measurement.p10_rate = work / summary.p10_s;
  measurement.best_rate = work / summary.best_s;
  if (summary.ci95_s) {
    measurement.ci95 = {{summary.median_s / (*summary.ci95_s)[1], summary.median_s / (*summary.ci95_s)[0]}};
  }
  measurement.throttled = summary.throttled;
  measurement.host_timed = chosen.host_timed;
  AddReason(measurement, chosen.reason);
  if (series.out_of_time && summary.samples < kMinBatches) {
    AddReason(measurement, "the budget ended after " + std::to_string(measurement.samples) + " batches");
  }
  measurement.batch_times_s = std::move(chosen.times_s);
  CompareWithPeak(measurement);
  sink_(measurement);
}

}  // namespace backends
