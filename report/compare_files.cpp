// SPDX-License-Identifier: MIT
#include "report/compare_files.h"

#include <fmt/format.h>

#include "probe/system/clock.h"
#include "report/compare/compare.h"
#include "report/core/comparison_fields.h"
#include "report/text_file.h"

namespace report {
namespace {

ComparedSide SideOf(const std::string& file, const MeasuredReport& report) {
  return {file, report.tool_version, report.created};
}

}  // namespace

probe::Result<MeasuredReport> ReadReport(const std::string& file) {
  const auto text = ReadTextFile(file);
  if (!text) return text.error();
  const auto json = probe::ParseJson(*text, kMaxTextFileBytes);
  if (!json) return FileError(file, "not what 'whichgpu --json' prints: " + probe::Describe(json.error()));
  auto report = probe::Decode<MeasuredReport>(*json);
  if (!report) {
    return FileError(file, fmt::format("not what 'whichgpu --json' prints: {}: {}", report.error().name,
                                       report.error().text));
  }
  if (report->schema_version != kSchemaVersion) {
    return FileError(file, fmt::format("schema_version {} is not {}, the one that this version reads",
                                       report->schema_version, kSchemaVersion));
  }
  return report;
}

probe::Result<Comparison> CompareFiles(const std::string& base, const std::string& other,
                                       const std::string& tool_version) {
  const auto first = ReadReport(base);
  if (!first) return first.error();
  const auto second = ReadReport(other);
  if (!second) return second.error();
  Comparison comparison;
  comparison.tool_version = tool_version;
  comparison.command = "compare";
  comparison.created = probe::system::CalendarNow();
  comparison.base = SideOf(base, *first);
  comparison.other = SideOf(other, *second);
  comparison.rows = compare::Compare(first->measurements, second->measurements);
  comparison.conclusive = compare::IsConclusive(comparison.rows);
  return comparison;
}

}  // namespace report
