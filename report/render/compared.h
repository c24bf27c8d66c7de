// SPDX-License-Identifier: MIT
// The words of a comparison, for every page that shows one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/comparison.h"
#include "report/render/page.h"

namespace report::render {

// Rows that stand together below a title, in the order of their weight.
struct VerdictGroup {
  Verdict verdict;
  std::string_view title;
  Style style;
  bool shown;           // without --verbose
  bool is_new = false;  // of what is in one report alone: in the second
};
[[nodiscard]] std::span<const VerdictGroup> VerdictGroups();
[[nodiscard]] bool IsIn(const VerdictGroup& group, const ComparedRow& row);

// "No regression in 16 figures", or what became of them.
[[nodiscard]] std::string VerdictText(const Comparison& comparison);
// "from a.json (2026-11-21T12:00:00Z) to b.json (2026-11-22T12:00:00Z)"
[[nodiscard]] std::string ComparedText(const Comparison& comparison);

// What the figures come to, a use each: "writes 119 -> 84 tokens/s (-29 %), still cuda on RTX 4090". Nothing
// where the answers can not be held against each other.
struct MeaningLine {
  std::string text;
  Style style;  // strong where it differs
};
[[nodiscard]] std::vector<MeaningLine> Meanings(const Comparison& comparison, std::string_view arrow,
                                                std::string_view dash);

// "62.0 TFLOP/s"; "-" of nothing.
[[nodiscard]] std::string ValueText(const std::optional<double>& value, const std::string& unit);
// "+4.0 %"
[[nodiscard]] std::string PercentChange(double ratio);

}  // namespace report::render
