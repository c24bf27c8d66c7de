// SPDX-License-Identifier: MIT
// The faces of a comparison: a table for people, one JSON object (data/schema/compare.json) for machines.
#pragma once

#include <string>

#include "report/core/comparison.h"
#include "report/render/terminal.h"

namespace report::render {

// The verdict first, then what changed; what stayed the same is counted, and listed with `verbose`.
[[nodiscard]] std::string ComparisonText(const Comparison& comparison, const TerminalOptions& options);

[[nodiscard]] std::string ComparisonJson(const Comparison& comparison);

}  // namespace report::render
