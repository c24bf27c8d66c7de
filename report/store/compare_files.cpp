// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "probe/system/clock.h"
#include "report/compare/compare.h"
#include "report/core/comparison.h"
#include "report/core/report_fields.h"
#include "report/store/input.h"
#include "report/store/plausible.h"

namespace report {
namespace {

ComparedSide SideOf(const std::string& file, const MeasuredReport& report) {
  return {file, report.tool_version, report.created};
}

// A report's JSON leaves out what its probes saw: that stands with the devices. Those of 0.1 have no advice.
probe::Result<Report> DecodeWhole(probe::Json json) {
  if (json.is_object()) json.emplace("advice", probe::Json::array());
  if (const auto probes = json.is_object() ? json.find("probes") : json.end();
      json.is_object() && probes != json.end() && probes->is_array()) {
    for (probe::Json& one : *probes) {
      for (const char* left_out : {"devices", "hardware"}) {
        if (one.is_object()) one[left_out] = probe::Json::array();
      }
    }
  }
  return probe::Decode<Report>(json);
}

std::optional<std::string> Oddity(const MeasuredReport& report) {
  if (report.command != "report") return "command: expected report, which measures";
  if (auto odd = OddTime("created", report.created)) return odd;
  for (std::size_t i = 0; i < report.measurements.size(); ++i) {
    if (auto odd = OddMeasurement(fmt::format("measurements[{}]", i), report.measurements[i])) return odd;
  }
  return std::nullopt;
}

}  // namespace

probe::Result<MeasuredReport> ReadReport(const std::string& file) {
  constexpr std::string_view kForeign = "not what 'whichgpu --json' prints: ";
  const auto json = ReadJsonFile(file, kForeign, Accepted::kFilesAndPipes);
  if (!json) return json.error();
  const auto version = json->is_object() ? json->value("schema_version", probe::Json()) : probe::Json();
  if (version.is_number_unsigned() && version != kSchemaVersion) {
    return InputError(file, fmt::format("schema_version {} is not {}, the one that this version reads",
                                        version.get<std::uint64_t>(), kSchemaVersion));
  }
  const auto whole = DecodeWhole(*json);
  if (!whole) {
    return InputError(file, fmt::format("{}{}: {}", kForeign, whole.error().name, whole.error().text));
  }
  MeasuredReport found{whole->schema_version, whole->tool_version, whole->command, whole->created,
                       whole->measurements};
  auto odd = Oddity(found);
  if (!odd) odd = OddAnswer(*whole);
  if (odd) return InputError(file, std::string(kForeign) + *odd);
  return found;
}

probe::Result<Comparison> CompareFiles(const std::string& base, const std::string& other,
                                       const std::string& tool_version) {
  if (base == kStandardInput && other == kStandardInput)
    return FileError("compare", "'-' stands for standard input, which can be one of the two only");
  const auto first = ReadReport(base);
  if (!first) return first.error();
  const auto second = ReadReport(other);
  if (!second) return second.error();
  Comparison comparison;
  comparison.tool_version = tool_version;
  comparison.command = "compare";
  comparison.created = probe::system::CalendarNow();
  comparison.base = SideOf(InputName(base), *first);
  comparison.other = SideOf(InputName(other), *second);
  comparison.rows = compare::Compare(first->measurements, second->measurements);
  comparison.conclusive = compare::IsConclusive(comparison.rows);
  return comparison;
}

}  // namespace report
