// SPDX-License-Identifier: MIT
// Two reports in one document, {"base": ..., "other": ...}, held against each other.
#include "probe/core/codec.h"
#include "report/compare/compare.h"
#include "report/core/comparison.h"
#include "report/render/faces.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;
namespace render = report::render;

std::optional<report::MeasuredReport> Side(const probe::Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  auto report = probe::Decode<report::MeasuredReport>(*found);
  if (!report) {
    fuzz::RequireLine(probe::Describe(report.error()));
    return std::nullopt;
  }
  return *std::move(report);
}

void CheckRows(const report::Comparison& comparison, std::size_t most) {
  Require(comparison.rows.size() <= most, "a row is of a figure");
  for (const report::ComparedRow& row : comparison.rows) {
    const bool judged = row.verdict == report::Verdict::kSlower || row.verdict == report::Verdict::kFaster;
    Require(!judged || (row.base && row.other && row.ratio), "what changed has both figures", row.key);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kBound = 1U << 20U;
  const auto text = fuzz::AsText(data, size);
  const auto json = probe::ParseJson(text, kBound);
  if (!json || !json->is_object()) return 0;
  const auto base = Side(*json, "base");
  const auto other = Side(*json, "other");
  if (!base || !other) return 0;
  report::Comparison comparison;
  comparison.command = "compare";
  comparison.base = {"before.json", base->tool_version, base->created};
  comparison.other = {"after.json", other->tool_version, other->created};
  comparison.rows = report::compare::Compare(*base, *other);
  comparison.conclusive = report::compare::IsConclusive(comparison.rows);
  CheckRows(comparison, base->measurements.size() + other->measurements.size());
  Require(!report::compare::HasRegression(comparison.rows) || comparison.conclusive,
          "a regression is a conclusion");
  const auto hash = fuzz::HashOf(text);
  constexpr std::uint64_t kWidths = render::kMaxWidth - render::kMinWidth + 1;
  const int width = render::kMinWidth + static_cast<int>(hash % kWidths);
  const render::TerminalOptions terminal{width, false, (hash >> 10U) % 2 == 0, (hash >> 11U) % 2 == 0};
  fuzz::RequirePage(render::ComparisonText(comparison, terminal), width);
  fuzz::RequireJson(render::ComparisonJson(comparison));
  return 0;
}
