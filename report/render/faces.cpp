// SPDX-License-Identifier: MIT
#include "report/render/faces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "report/core/clean.h"
#include "report/core/glossary.h"
#include "report/core/report_fields.h"
#include "report/core/report_names.h"
#include "report/render/bound.h"
#include "report/render/sections.h"

namespace report::render {
std::string Text(const Tables& tables, const Report& report, const TerminalOptions& options) {
  const Report clean = Cleaned(Bounded(report), kLongestShownBytes);
  Page page(options);
  Answer(clean, std::string::npos, std::string::npos, page);
  Devices(clean, page, true);
  Ranking(tables, clean, page);
  NotUsed(tables, clean, page);
  Problems(clean, true, page);
  AdviceLines(tables, clean, page);
  Foot(clean, page);
  return page.text();
}

std::string ListText(const Tables& tables, const Report& report, const TerminalOptions& options) {
  Report clean = Cleaned(Bounded(report), kLongestShownBytes);
  clean.recommendations.clear();
  Page page(options);
  Devices(clean, page, false);
  NotUsed(tables, clean, page);
  Problems(clean, false, page);
  Foot(clean, page);
  // The first device needs no line between it and the prompt.
  const auto first = page.text().find_first_not_of('\n');
  return first == std::string::npos ? "" : page.text().substr(first);
}

namespace {

constexpr std::array<std::string_view, 3> kCommands = {"report", "list", "recommend"};

// Beside the common head.
constexpr std::array<std::string_view, 11> kReportKeys = {"host",     "probes",  "devices", "measurements",
                                                          "figures",  "request", "scores",  "recommendations",
                                                          "findings", "advice",  "warnings"};
constexpr std::array<std::string_view, 6> kListKeys = {"host",     "probes", "devices",
                                                       "findings", "advice", "warnings"};
constexpr std::array<std::string_view, 6> kRecommendKeys = {"request",  "recommendation", "no_answer",
                                                            "findings", "advice",         "warnings"};
constexpr std::array<std::span<const std::string_view>, 3> kKeys = {kReportKeys, kListKeys, kRecommendKeys};
constexpr std::array<std::string_view, 4> kHead = {"schema_version", "tool_version", "command", "created"};

void Move(probe::Json& from, std::string_view key, probe::Json& to) {
  if (const auto found = from.find(key); found != from.end()) to[std::string(key)] = std::move(*found);
}

// What those figures are that the report has, each once: `kernel` as the measurements name it.
probe::Json FiguresOf(const Report& report) {
  std::set<kernels::Kernel> measured;
  for (const auto& m : report.measurements) measured.insert(m.kernel);
  probe::Json out = probe::Json::array();
  for (const auto kernel : measured) {
    const auto* entry = EntryNamed(kernels::Row(kernel).name);
    if (entry) out.push_back({{"kernel", entry->name}, {"title", entry->title}, {"text", entry->text}});
  }
  return out;
}

// A count of tokens or bytes is a whole number, whatever it is reckoned in.
void WriteCountsWhole(probe::Json& json) {
  constexpr double kExact = 9007199254740992;  // 2^53: from here on a double is no count
  if (json.is_structured()) {
    for (auto& value : json) WriteCountsWhole(value);
  } else if (json.is_number_float()) {
    const auto value = json.get<double>();
    if (value == std::floor(value) && std::abs(value) < kExact) json = static_cast<std::int64_t>(value);
  }
}

}  // namespace

std::span<const std::string_view> JsonCommands() { return kCommands; }

probe::Json JsonObject(const Report& report, std::string_view command) {
  probe::Json all = probe::Encode(Cleaned(report));
  all["command"] = command;
  all["figures"] = FiguresOf(report);
  if (const auto request = all.find("request"); request != all.end()) WriteCountsWhole(*request);
  for (auto& probe : all["probes"]) {
    probe.erase("devices");
    probe.erase("hardware");
  }
  if (!all["recommendations"].empty()) all["recommendation"] = all["recommendations"].front();

  probe::Json out = probe::Json::object();
  for (const auto key : kHead) Move(all, key, out);
  Move(all, "interrupted", out);
  const auto index = std::find(kCommands.begin(), kCommands.end(), command) - kCommands.begin();
  for (const auto key : kKeys[static_cast<std::size_t>(index)]) Move(all, key, out);
  return out;
}

std::string Json(const Report& report, std::string_view command) {
  return probe::ToText(JsonObject(report, command), 2) + "\n";
}

}  // namespace report::render
