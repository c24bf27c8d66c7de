// SPDX-License-Identifier: MIT
// The field lists of a measurement, for probe/core/codec.h. Kernels and data types are spelt by their own tables.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "backends/core/measurement.h"
#include "probe/core/codec.h"
#include "probe/core/fields.h"

namespace probe {

template <>
struct EnumNames<backends::MeasurementStatus> {
  using E = backends::MeasurementStatus;
  static constexpr std::array<std::pair<E, std::string_view>, 10> kNames = {{
      {E::kOk, "ok"},
      {E::kWrongResult, "wrong_result"},
      {E::kImplausible, "implausible"},
      {E::kUnsupported, "unsupported"},
      {E::kOverBudget, "over_budget"},
      {E::kFailed, "failed"},
      {E::kCrashed, "crashed"},
      {E::kTimedOut, "timed_out"},
      {E::kSkipped, "skipped"},
      {E::kInterrupted, "interrupted"},
  }};
};

template <>
struct EnumNames<backends::Quality> {
  using E = backends::Quality;
  static constexpr std::array<std::pair<E, std::string_view>, 3> kNames = {
      {{E::kGood, "good"}, {E::kFair, "fair"}, {E::kNoisy, "noisy"}}};
};

namespace detail {

// An enum whose names are rows of a table: `Rows()` lists them, `member` is the enum's field of a row.
template <class E, auto Rows, auto member>
struct RowCodec {
  static constexpr bool kOptional = false;
  static Json Encode(E value) { return std::string(kernels::Row(value).name); }
  static MaybeError Decode(const Json& json, const std::string& path, E& value) {
    if (json.is_string()) {
      for (const auto& row : Rows()) {
        if (row.name != json.get_ref<const std::string&>()) continue;
        value = row.*member;
        return std::nullopt;
      }
    }
    return Mismatch(path, "a known name");
  }
};

}  // namespace detail

template <>
struct Codec<kernels::Kernel> : detail::RowCodec<kernels::Kernel, kernels::Kernels, &kernels::KernelRow::kernel> {};
template <>
struct Codec<kernels::Dtype> : detail::RowCodec<kernels::Dtype, kernels::Dtypes, &kernels::DtypeRow::dtype> {};

template <>
struct Codec<std::array<double, 2>> {
  static constexpr bool kOptional = false;
  static Json Encode(const std::array<double, 2>& value) { return Json::array({value[0], value[1]}); }
  static detail::MaybeError Decode(const Json& json, const std::string& path, std::array<double, 2>& value) {
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) {
      return detail::Mismatch(path, "two numbers");
    }
    value = {json[0].get<double>(), json[1].get<double>()};
    return std::nullopt;
  }
};

}  // namespace probe

namespace kernels {

template <class V, probe::Is<Problem> S>
void Fields(V& v, S& s) {
  v("m", s.m);
  v("n", s.n);
  v("k", s.k);
  v("count", s.count);
  v("seed", s.seed);
}

}  // namespace kernels

namespace backends {

template <class V, probe::Is<Measurement> S>
void Fields(V& v, S& s) {
  v("device_id", s.device_id);
  v("runtime", s.runtime);
  v("driver", s.driver);
  v("manifest", s.manifest);
  v("kernel", s.kernel);
  v("implementation", s.implementation);
  v("in_dtype", s.in_dtype);
  v("acc_dtype", s.acc_dtype);
  v("shape", s.shape);
  v("status", s.status);
  v("reason", s.reason);
  v("stage", s.stage);
  v("rate", s.rate);
  v("unit", s.unit);
  v("time_s", s.time_s);
  v("ci95", s.ci95);
  v("p10_rate", s.p10_rate);
  v("best_rate", s.best_rate);
  v("samples", s.samples);
  v("batch_times_s", s.batch_times_s);
  v("quality", s.quality);
  v("throttled", s.throttled);
  v("verified", s.verified);
  v("host_timed", s.host_timed);
  v("threads", s.threads);
  v("max_relative_error", s.max_relative_error);
  v("share_of_peak", s.share_of_peak);
}

}  // namespace backends
