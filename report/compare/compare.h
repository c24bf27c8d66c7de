// SPDX-License-Identifier: MIT
// Holds two reports' figures against each other. Pure; reads no file and prints nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/core/comparison.h"

namespace report::compare {

// Figures called good may move this much between two runs of one machine; less is never a change.
inline constexpr double kFloor = 0.10;

// One row for every figure that was verified on either side: of each (device, runtime, driver, kernel, types,
// shape class) the fastest own variant, and every vendor library apart. In the order of `base`, then what
// only `other` has.
//
// slower (or faster): the 95 % intervals do not meet and the speeds differ by more than kFloor. A noisy
// figure, one without an interval, or a product of another size is never either. failed: `other` tells that
// the figure of `base` was tried and went wrong, that the process that was to measure it ended, or that its
// runtime or driver did when it was asked for its devices.
[[nodiscard]] std::vector<ComparedRow> Compare(const MeasuredReport& base, const MeasuredReport& other);

// How the figure's way went wrong in `now` when its runtime or driver was asked, before anything could be
// measured by it, and had not in `before`, which is nullptr where nobody asked; nullopt where it did not.
[[nodiscard]] std::optional<std::string> NewlyWrongText(const backends::Measurement& figure,
                                                        const probe::ProbeReport* before,
                                                        const probe::ProbeReport& now);

// What makes the two hard to compare: a run that was interrupted, another device in one's place.
[[nodiscard]] std::vector<std::string> Notes(const MeasuredReport& base, const MeasuredReport& other);

// Whether any row could be judged: not where all are noisy or missing.
[[nodiscard]] bool IsConclusive(std::span<const ComparedRow> rows);

// Whether a figure became slower or fails.
[[nodiscard]] bool HasRegression(std::span<const ComparedRow> rows);

// What both answered, a use each in the order of `base`; nothing where they predict unlike requests.
[[nodiscard]] std::vector<ComparedAnswer> CompareAnswers(const MeasuredReport& base,
                                                         const MeasuredReport& other);

}  // namespace report::compare
