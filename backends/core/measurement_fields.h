// SPDX-License-Identifier: MIT
// The field lists of the measuring types, for probe/core/codec.h.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backends/core/measurement.h"
#include "probe/core/codec.h"
#include "probe/core/fields.h"

namespace probe {

// Enums whose names stand in a table of kernels/spec.h.
template <class E, auto Rows, auto Member>
struct RowCodec {
  static constexpr bool kOptional = false;
  static Json Encode(E value) { return std::string(Row(value).name); }
  static detail::MaybeError Decode(const Json& json, const std::string& path, E& value) {
    std::string names;
    for (const auto& row : Rows()) {
      if (json.is_string() && json.get_ref<const std::string&>() == row.name) {
        value = row.*Member;
        return std::nullopt;
      }
      names.append(names.empty() ? "" : ", ").append(row.name);
    }
    return detail::Mismatch(path, "one of " + names);
  }
};
template <>
struct Codec<kernels::Kernel> : RowCodec<kernels::Kernel, kernels::Kernels, &kernels::KernelRow::kernel> {};
template <>
struct Codec<kernels::Dtype> : RowCodec<kernels::Dtype, kernels::Dtypes, &kernels::DtypeRow::dtype> {};

// Fields that are 0 are absent: a gemm reads {m, n, k}, a read {count}.
template <>
struct Codec<kernels::Problem> {
  static constexpr bool kOptional = false;
  static Json Encode(const kernels::Problem& value);
  static detail::MaybeError Decode(const Json& json, const std::string& path, kernels::Problem& value);
};

template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
  static constexpr bool kOptional = false;
  static Json Encode(const std::array<T, N>& value) {
    Json out = Json::array();
    for (const T& item : value) out.push_back(Codec<T>::Encode(item));
    return out;
  }
  static detail::MaybeError Decode(const Json& json, const std::string& path, std::array<T, N>& value) {
    if (!json.is_array() || json.size() != N) return detail::Mismatch(path, std::to_string(N) + " elements");
    for (std::size_t i = 0; i < N; ++i) {
      if (auto error = Codec<T>::Decode(json[i], path + "[" + std::to_string(i) + "]", value[i]))
        return error;
    }
    return std::nullopt;
  }
};

}  // namespace probe

namespace backends {

template <class V, probe::Is<Measurement> S>
void Fields(V& v, S& s) {
  v("device_id", s.device_id);
  v("peer_id", s.peer_id);
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
  v("foreign_load", s.foreign_load);
  v("throttled", s.throttled);
  v("verified", s.verified);
  v("host_timed", s.host_timed);
  v("threads", s.threads);
  v("max_relative_error", s.max_relative_error);
  v("share_of_peak", s.share_of_peak);
}

template <class V, probe::Is<Figure> S>
void Fields(V& v, S& s) {
  v("kernel", s.kernel);
  v("in_dtype", s.in);
  v("acc_dtype", s.acc);
  v("implementation", s.implementation);
  v("shape", s.shape);
}

template <class V, probe::Is<PeerDevice> S>
void Fields(V& v, S& s) {
  v("device_id", s.device_id);
  v("device", s.device);
}

template <class V, probe::Is<MeasureRequest> S>
void Fields(V& v, S& s) {
  v("device_id", s.device_id);
  v("device", s.device);
  v("processor", s.processor);
  v("scope", s.scope);
  v("figures", s.figures);
  v("budget_s", s.budget_s);
  v("compile_allowance_s", s.compile_allowance_s);
  v("first_launch_allowance_s", s.first_launch_allowance_s);
  v("seed", s.seed);
  v("peers", s.peers);
}

template <class V, probe::Is<FigureKind> S>
void Fields(V& v, S& s) {
  v("kernel", s.kernel);
  v("in_dtype", s.in);
  v("acc_dtype", s.acc);
}

template <class V, probe::Is<MeasureStage> S>
void Fields(V& v, S& s) {
  v("stage", s.stage);
  v("title", s.title);
  v("kind", s.kind);
  v("implementation", s.implementation);
  v("allow_s", s.allow_s);
}

// {"event": "stage" or "measurement", "value": {...}}.
[[nodiscard]] probe::Json EncodeEvent(const MeasureEvent& event);
[[nodiscard]] probe::Result<MeasureEvent> DecodeEvent(const probe::Json& json);

}  // namespace backends

extern template struct probe::Codec<backends::Measurement>;
extern template struct probe::Codec<backends::MeasureRequest>;
