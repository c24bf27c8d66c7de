// SPDX-License-Identifier: MIT
// What the tables know of an error that a measurement ended with, and which programs never meet it.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report {

// This tool itself did not load it, of which the runtime knows nothing.
[[nodiscard]] bool IsRefusal(const std::optional<probe::Error>& error);

// The first error of the runtime's table (nullptr: there is none) that is it; nullptr without one.
template <class IsIt>
[[nodiscard]] const ErrorFacts* FindError(const RuntimeFacts* facts, IsIt is_it) {
  if (facts == nullptr || !facts->errors) return nullptr;
  const auto row = std::find_if(facts->errors->begin(), facts->errors->end(), is_it);
  return row == facts->errors->end() ? nullptr : &*row;
}

// A measurement's reason names the vendor's error within a sentence. nullptr where the runtime's table
// (nullptr: there is none) does not know it.
[[nodiscard]] const ErrorFacts* KnownReason(const RuntimeFacts* facts,
                                            const backends::Measurement& measurement);

// Which programs a way serves that could not be measured: each of its failures is an error that spares the
// same ones. nullopt of a way that was measured, that failed otherwise, or at which nobody looked.
[[nodiscard]] std::optional<Spares> SparedBy(const RuntimeFacts* facts,
                                             std::span<const backends::Measurement* const> of_one_way);

// The failure of another way of the runtime to the device, for which one that spares the program stands in:
// "dlopen libx.so: ..."; "" of a way for which there is none.
[[nodiscard]] std::string SparedFailure(const Report& report, const std::string& device_id,
                                        const probe::View& view);

}  // namespace report
