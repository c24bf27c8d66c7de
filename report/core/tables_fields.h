// SPDX-License-Identifier: MIT
// The field lists of the tables, for probe/core/codec.h.
#pragma once

#include <array>

#include "probe/core/fields.h"
#include "report/core/request_fields.h"
#include "report/core/tables.h"

namespace probe {

template <>
struct EnumNames<report::FactorBasis> {
  using E = report::FactorBasis;
  static constexpr std::array<std::pair<E, std::string_view>, 2> kNames = {
      {{E::kFitted, "fitted"}, {E::kAssumed, "assumed"}}};
};

template <>
struct EnumNames<report::NamedBy> {
  using E = report::NamedBy;
  static constexpr std::array<std::pair<E, std::string_view>, 3> kNames = {
      {{E::kUuid, "uuid"}, {E::kOrdinal, "ordinal"}, {E::kIds, "ids"}}};
};

}  // namespace probe

namespace report {

template <class V, probe::Is<Visibility> S>
void Fields(V& v, S& s) {
  v("variable", s.variable);
  v("value", s.value);
  v("prefix", s.prefix);
  v("partition_prefix", s.partition_prefix);
}

template <class V, probe::Is<Factor> S>
void Fields(V& v, S& s) {
  v("value", s.value);
  v("low", s.low);
  v("high", s.high);
  v("basis", s.basis);
  v("source", s.source);
  v("date", s.date);
}

template <class V, probe::Is<TileFactors> S>
void Fields(V& v, S& s) {
  v("implementation", s.implementation);
  v("prefill", s.prefill);
  v("decode", s.decode);
}

template <class V, probe::Is<WeightFactors> S>
void Fields(V& v, S& s) {
  v("weights", s.weights);
  v("decode", s.decode);
  v("prefill", s.prefill);
  v("tiles", s.tiles);
}

template <class V, probe::Is<RuntimeFactors> S>
void Fields(V& v, S& s) {
  v("decode", s.decode);
  v("prefill", s.prefill);
  v("training", s.training);
  v("weights", s.weights);
}

template <class V, probe::Is<Maturity> S>
void Fields(V& v, S& s) {
  v("inference", s.inference);
  v("training", s.training);
  v("source", s.source);
  v("date", s.date);
}

template <class V, probe::Is<TrainingSupport> S>
void Fields(V& v, S& s) {
  v("supported", s.supported);
  v("reason", s.reason);
}

template <class V, probe::Is<InstallHint> S>
void Fields(V& v, S& s) {
  v("text", s.text);
  v("command", s.command);
  v("drivers", s.drivers);
  v("file", s.file);
}

template <class V, probe::Is<GuideClaim> S>
void Fields(V& v, S& s) {
  v("relative_to", s.relative_to);
  v("low", s.low);
  v("high", s.high);
  v("source", s.source);
  v("date", s.date);
}

template <class V, probe::Is<Advice> S>
void Fields(V& v, S& s) {
  v("inference", s.inference);
  v("training", s.training);
  v("without_gpu", s.without_gpu);
}

template <class V, probe::Is<FixFacts> S>
void Fields(V& v, S& s) {
  v("text", s.text);
  v("command", s.command);
  v("needs_root", s.needs_root);
  v("needs_reboot", s.needs_reboot);
}

template <class V, probe::Is<ErrorFacts> S>
void Fields(V& v, S& s) {
  v("name", s.name);
  v("layer", s.layer);
  v("meaning", s.meaning);
  v("fix", s.fix);
}

// The name is the file's.
template <class V, probe::Is<RuntimeFacts> S>
void Fields(V& v, S& s) {
  v("title", s.title);
  v("names", s.names);
  v("vendor", s.vendor);
  v("maturity", s.maturity);
  v("factors", s.factors);
  v("training", s.training);
  v("advice", s.advice);
  v("install", s.install);
  v("guides", s.guides);
  v("errors", s.errors);
  v("visibility", s.visibility);
  v("driver_variable", s.driver_variable);
}

template <class V, probe::Is<DevicePeak> S>
void Fields(V& v, S& s) {
  v("id", s.id);
  v("name", s.name);
  v("memory_bytes_per_s", s.memory);
  v("fp32_flop_per_s", s.fp32);
  v("matrix16_flop_per_s", s.matrix16);
  v("int8_op_per_s", s.int8);
  v("source", s.source);
  v("date", s.date);
}

template <class V, probe::Is<UnitPeak> S>
void Fields(V& v, S& s) {
  v("architecture", s.architecture);
  v("name", s.name);
  v("fp32", s.fp32);
  v("matrix16", s.matrix16);
  v("matrix16_fp32", s.matrix16_fp32);
  v("int8", s.int8);
  v("source", s.source);
  v("date", s.date);
}

template <class V, probe::Is<KindPeak> S>
void Fields(V& v, S& s) {
  v("kind", s.kind);
  v("name", s.name);
  v("memory_bytes_per_s", s.memory);
  v("fp32_flop_per_s", s.fp32);
  v("matrix16_flop_per_s", s.matrix16);
  v("int8_op_per_s", s.int8);
  v("source", s.source);
  v("date", s.date);
}

template <class V, probe::Is<Peaks> S>
void Fields(V& v, S& s) {
  v("devices", s.devices);
  v("units", s.units);
  v("kinds", s.kinds);
}

template <class V, probe::Is<VendorFit> S>
void Fields(V& v, S& s) {
  v("vendor", s.vendor);
  v("decode", s.decode);
  v("prefill", s.prefill);
}

template <class V, probe::Is<Fit> S>
void Fields(V& v, S& s) {
  v("decode", s.decode);
  v("token_overhead_s", s.token_overhead_s);
  v("prefill", s.prefill);
  v("matrix_power", s.matrix_power);
  v("scalar_share", s.scalar_share);
  v("training", s.training);
  v("vendors", s.vendors);
}

}  // namespace report
