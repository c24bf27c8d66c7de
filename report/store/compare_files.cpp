// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/system/clock.h"
#include "report/compare/compare.h"
#include "report/core/comparison.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_fields.h"
#include "report/store/input.h"
#include "report/store/plausible.h"

namespace report {
namespace {

using backends::Measurement;

// What a report says of its figures, which nothing here needs.
struct FigureText {
  kernels::Kernel kernel = kernels::Kernel::kGemm;
  std::string title;
  std::string text;
};
WHICHGPU_FIELDS(FigureText, kernel, title, text)

ComparedSide SideOf(const std::string& file, const MeasuredReport& report) {
  return {file, report.tool_version, report.created};
}

// A report's JSON leaves out what its probes saw: that stands with the devices. Those of 0.1 have no advice.
probe::Result<Report> DecodeWhole(probe::Json json) {
  if (json.is_object() && json.contains("figures")) {
    const auto told = probe::Decode<std::vector<FigureText>>(json["figures"], "figures");
    if (!told) return told.error();
  }
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

std::optional<std::string> Oddity(const Report& report) {
  if (report.command != "report") return "command: expected report, which measures";
  if (auto odd = OddTime("created", report.created)) return odd;
  for (std::size_t i = 0; i < report.measurements.size(); ++i) {
    if (auto odd = OddMeasurement(fmt::format("measurements[{}]", i), report.measurements[i])) return odd;
  }
  if (auto odd = OddAnswer(report)) return odd;
  return OddPlaces(report.devices, report.measurements);
}

// Of a use its first answer, with the error of measuring that its score tells.
std::vector<std::pair<Use, ComparedChoice>> AnswersOf(const Report& report) {
  std::vector<std::pair<Use, ComparedChoice>> answers;
  for (const Recommendation& answer : report.recommendations) {
    ComparedChoice choice{
        answer.backend, answer.device_id, PlainName(DeviceName(report.devices, answer.device_id)),
        std::nullopt,   std::nullopt,     std::nullopt};
    const auto& speed = answer.use == Use::kInference ? answer.writing_tokens_per_s : answer.tokens_per_s;
    if (speed) choice.tokens_per_s = speed->value;
    if (const Score* score = ScoreOf(report, answer)) {
      choice.measured = score->ranking_tokens_per_s;
      if (IsRangeAlone(report, *score))
        choice.alone = score->writing_tokens_per_s ? score->writing_tokens_per_s : score->tokens_per_s;
    }
    answers.emplace_back(answer.use, std::move(choice));
  }
  return answers;
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
  if (const auto odd = Oddity(*whole)) return InputError(file, std::string(kForeign) + *odd);
  MeasuredReport report{whole->schema_version, whole->tool_version, whole->command,    whole->created,
                        whole->measurements,   whole->probes,       whole->interrupted};
  report.answers = AnswersOf(*whole);
  report.request = whole->request;
  // What no source of hardware names may be called after a runtime, another one in another run.
  for (const auto& device : whole->devices) {
    if (device.hardware) {
      report.names[device.id] = device.name;
      continue;
    }
    for (const auto& view : device.views)
      report.names[fmt::format("{} by {}", device.id, view.device.runtime)] = view.device.name;
  }
  return report;
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
  comparison.notes = compare::Notes(*first, *second);
  comparison.rows = compare::Compare(*first, *second);
  comparison.answers = compare::CompareAnswers(*first, *second);
  comparison.conclusive = compare::IsConclusive(comparison.rows);
  return comparison;
}

}  // namespace report
