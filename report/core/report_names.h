// SPDX-License-Identifier: MIT
// The names of the report's enums, and of those below it.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "backends/core/measurement.h"
#include "probe/core/names.h"
#include "report/core/report.h"

namespace probe {

template <>
struct EnumNames<report::Use> {
  using E = report::Use;
  static constexpr std::array<std::pair<E, std::string_view>, 4> kNames = {{{E::kInference, "inference"},
                                                                            {E::kPrefill, "prefill"},
                                                                            {E::kDecode, "decode"},
                                                                            {E::kTraining, "training"}}};
};

template <>
struct EnumNames<report::Selects> {
  using E = report::Selects;
  static constexpr std::array<std::pair<E, std::string_view>, 2> kNames = {
      {{E::kDevice, "device"}, {E::kDriver, "driver"}}};
};

template <>
struct EnumNames<report::LeftOutBy> {
  using E = report::LeftOutBy;
  static constexpr std::array<std::pair<E, std::string_view>, 3> kNames = {
      {{E::kSysroot, "sysroot"}, {E::kOnly, "only"}, {E::kSkip, "skip"}}};
};

template <>
struct EnumNames<report::Basis> {
  using E = report::Basis;
  static constexpr std::array<std::pair<E, std::string_view>, 4> kNames = {{{E::kMeasured, "measured"},
                                                                            {E::kCached, "cached"},
                                                                            {E::kEstimated, "estimated"},
                                                                            {E::kAssumed, "assumed"}}};
};

template <>
struct EnumNames<report::Confidence> {
  using E = report::Confidence;
  static constexpr std::array<std::pair<E, std::string_view>, 3> kNames = {
      {{E::kHigh, "high"}, {E::kMedium, "medium"}, {E::kLow, "low"}}};
};

template <>
struct EnumNames<report::Severity> {
  using E = report::Severity;
  static constexpr std::array<std::pair<E, std::string_view>, 3> kNames = {
      {{E::kBlocking, "blocking"}, {E::kDegraded, "degraded"}, {E::kNote, "note"}}};
};

}  // namespace probe
