// SPDX-License-Identifier: MIT
// The field lists of a comparison, for probe/core/codec.h.
#pragma once

#include <array>

#include "backends/core/measurement_fields.h"
#include "probe/core/fields.h"
#include "report/core/comparison.h"

namespace probe {

template <>
struct EnumNames<report::Verdict> {
  using E = report::Verdict;
  static constexpr std::array<std::pair<E, std::string_view>, 5> kNames = {{{E::kSame, "same"},
                                                                            {E::kFaster, "faster"},
                                                                            {E::kSlower, "slower"},
                                                                            {E::kNoisy, "noisy"},
                                                                            {E::kMissing, "missing"}}};
};

}  // namespace probe

namespace report {

template <class V, probe::Is<MeasuredReport> S>
void Fields(V& v, S& s) {
  v("schema_version", s.schema_version);
  v("tool_version", s.tool_version);
  v("command", s.command);
  v("created", s.created);
  v("measurements", s.measurements);
}

template <class V, probe::Is<ComparedSide> S>
void Fields(V& v, S& s) {
  v("file", s.file);
  v("tool_version", s.tool_version);
  v("created", s.created);
}

template <class V, probe::Is<ComparedRow> S>
void Fields(V& v, S& s) {
  v("key", s.key);
  v("device_id", s.device_id);
  v("runtime", s.runtime);
  v("figure", s.figure);
  v("unit", s.unit);
  v("base", s.base);
  v("other", s.other);
  v("ratio", s.ratio);
  v("verdict", s.verdict);
  v("reason", s.reason);
}

template <class V, probe::Is<Comparison> S>
void Fields(V& v, S& s) {
  v("schema_version", s.schema_version);
  v("tool_version", s.tool_version);
  v("command", s.command);
  v("created", s.created);
  v("interrupted", s.interrupted);
  v("conclusive", s.conclusive);
  v("base", s.base);
  v("other", s.other);
  v("rows", s.rows);
}

}  // namespace report
