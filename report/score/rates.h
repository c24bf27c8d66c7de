// SPDX-License-Identifier: MIT
// Picks from the measurements of one way to reach a device the rates that score it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::score {

struct Rate {
  Range per_s;       // with the measurement's own 95 % interval
  std::string name;  // "fp16 gemm 120 TFLOP/s"
};

struct Rates {
  std::optional<Rate> product;  // the fastest verified gemm of fp16, bf16 and fp32
  // The fastest of those types, and fp32, by what each reaches at the prompt's shape (512 rows) or, where
  // that was not measured of it, at its own best.
  std::optional<Rate> prompt;
  std::optional<Rate> prompt_fp32;
  std::optional<Rate> read;
  std::optional<Rate> gemv;  // of the request's weights, and their type
  std::optional<kernels::Dtype> gemv_type;
  std::string gemv_failure;   // why there is none, where it ran and failed
  std::optional<Rate> tiles;  // the fastest product in 16 bits that the wanted implementation ran
  std::optional<Rate> copy;
  std::optional<Rate> upload;         // from the host's memory
  std::vector<std::string> failures;  // of kernels that have no verified figure at all, the gravest first
  // Where all that is missing could not be measured, by a working driver, for want of time or memory: that it
  // is estimated and why, a sentence each. Else empty.
  std::vector<std::string> late;
};

// What a score of this use rests on and can be measured again: its products and its memory's speed.
[[nodiscard]] std::vector<const backends::Measurement*> DecidingFigures(
    const Tables& tables, std::string_view runtime, std::span<const backends::Measurement* const> of_one_way,
    Use use);

// What the runtime's engines make of the request's weights; nullptr where nobody has held them against
// engines.
[[nodiscard]] const WeightFactors* FactorsOf(const RuntimeFactors& factors, const InferenceRequest& request);

// Of a verified one: its rate, with the interval that scoring gives it.
[[nodiscard]] Range RangeOf(const backends::Measurement& measurement);

// A measurement without an interval counts as known within 10 %: twice the bound of a fair one.
inline constexpr double kUnknownSpread = 0.10;

// What depends on the request and the runtime's facts.
struct Wanted {
  std::string_view weights;  // of gemv
  std::string_view tiles;    // the implementation; may be empty
};

[[nodiscard]] Rates PickRates(std::span<const backends::Measurement* const> measurements,
                              const Wanted& wanted);

// Product and read from `estimates` where `rates` has none.
void FillIn(std::span<const backends::Measurement* const> estimates, Rates& rates);

}  // namespace report::score
