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

WHICHGPU_FIELDS(Measurement, device_id, peer_id, runtime, driver, manifest, kernel, implementation, in_dtype,
                acc_dtype, shape, status, reason, stage, rate, unit, time_s, ci95, p10_rate, best_rate,
                samples, batch_times_s, quality, foreign_load, throttled, verified, host_timed, threads,
                max_relative_error, share_of_peak, temperature_c, power_w, pcie, limited_by, needed_bytes,
                holder_unseen, lacked_memory)

template <class V, probe::Is<Figure> S>
void Fields(V& v, S& s) {
  v("kernel", s.kernel);
  v("in_dtype", s.in);
  v("acc_dtype", s.acc);
  v("implementation", s.implementation);
  v("shape", s.shape);
}

WHICHGPU_FIELDS(PeerDevice, device_id, device)
WHICHGPU_FIELDS(MeasureRequest, device_id, device, processor, scope, figures, budget_s, compile_allowance_s,
                first_launch_allowance_s, seed, peers)

template <class V, probe::Is<FigureKind> S>
void Fields(V& v, S& s) {
  v("kernel", s.kernel);
  v("in_dtype", s.in);
  v("acc_dtype", s.acc);
}

WHICHGPU_FIELDS(MeasureStage, stage, title, kind, implementation, allow_s)

// {"event": "stage" or "measurement", "value": {...}}.
[[nodiscard]] probe::Json EncodeEvent(const MeasureEvent& event);
[[nodiscard]] probe::Result<MeasureEvent> DecodeEvent(const probe::Json& json);

}  // namespace backends

extern template struct probe::Codec<backends::Measurement>;
extern template struct probe::Codec<backends::MeasureRequest>;
