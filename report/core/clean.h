// SPDX-License-Identifier: MIT
// Makes every text of a value safe to print, by the same field lists that encode it. Everything that is
// rendered passes here once, so that no renderer has to remember which strings are foreign.
#pragma once

#include <cstddef>

#include "probe/core/text.h"
#include "report/core/comparison.h"
#include "report/core/report.h"

namespace report {

// Of what people read: a driver's longest message is for --json, and may not push the answer off the screen.
inline constexpr std::size_t kLongestShownBytes = 400;

// max_bytes bounds each text.
[[nodiscard]] Report Cleaned(Report report, std::size_t max_bytes = probe::kMaxDecodedTextBytes);
[[nodiscard]] Comparison Cleaned(Comparison comparison, std::size_t max_bytes = probe::kMaxDecodedTextBytes);

}  // namespace report
