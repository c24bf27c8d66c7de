// SPDX-License-Identifier: MIT
#include "report/core/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/core/quantity.h"
#include "report/core/report_fields.h"
#include "report/core/wording.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;

// How good a figure is, more being better: of a time its inverse.
double Merit(const Measurement& m) { return m.unit == "s" ? 1 / *m.rate : *m.rate; }

// The best of each figure on this machine: what the bars are a share of.
using Best = std::map<std::string, double>;

Best BestOf(const Report& report) {
  Best best;
  for (const auto& m : report.measurements) {
    if (IsVerified(m)) best[FigureName(m)] = std::max(best[FigureName(m)], Merit(m));
  }
  return best;
}

std::string SpreadText(const Page& page, const Measurement& m) {
  if (!m.ci95) return "";
  return fmt::format("{}{:.1f} %", page.signs().plus_minus, ((*m.ci95)[1] - (*m.ci95)[0]) * 50);
}

std::pair<std::string, Style> QualityText(const Measurement& m) {
  if (!m.quality) return {"", Style::kPlain};
  constexpr std::array kStyles = {Style::kGood, Style::kFair, Style::kFair};
  return {std::string(probe::NameOf(*m.quality)), kStyles[static_cast<std::size_t>(*m.quality)]};
}

constexpr int kIndent = 4;
constexpr int kNameWidth = 11;    // "fp32 gemm"
constexpr int kRateWidth = 12;    // "58.0 TFLOP/s"
constexpr int kSpreadWidth = 10;  // "±12.3 %"
constexpr int kShareWidth = 7;    // " 100 %", where any figure's peak is known
constexpr int kNotesWidth = 6;    // quality
constexpr int kShortestBar = 6;
constexpr int kLongestBar = 40;
constexpr int kDetailWidth = 26;  // implementation, where there is room

// What the figures of a whole report are drawn by.
struct Scale {
  Best best;
  bool shares = false;  // some figure's share of its peak is known
};

void Figure(const Measurement& m, const Scale& scale, Page& page) {
  page.To(kIndent).Add(FigureName(m));
  page.RightTo(kIndent + kNameWidth + kRateWidth, RateText(*m.rate, m.unit), Style::kStrong);
  page.Add("  ").Add(SpreadText(page, m), Style::kDim).To(kIndent + kNameWidth + kRateWidth + kSpreadWidth);
  const int rest = page.room() - kNotesWidth - 2 - (scale.shares ? kShareWidth : 0);
  const bool detailed = rest > kDetailWidth + 2 * kShortestBar + kIndent;
  const int bar = std::min(detailed ? rest - kDetailWidth : rest, kLongestBar);
  if (bar >= kShortestBar) {
    page.Add(" ").Bar(Merit(m) / scale.best.at(FigureName(m)), bar, Style::kAccent).Add(" ");
  }
  if (scale.shares && page.room() >= kShareWidth + kNotesWidth) {
    page.RightTo(page.column() + kShareWidth - 1, m.share_of_peak ? PercentText(*m.share_of_peak) : "")
        .Add(" ");
  }
  const auto [quality, style] = QualityText(m);
  if (page.room() >= kNotesWidth) page.Add(" ").Add(quality, style);
  if (detailed) {
    std::string detail = m.implementation;
    if (m.throttled) detail += ", throttled";
    page.To(page.column() + kNotesWidth - 1 - DisplayWidth(quality)).Add(" ").Add(detail, Style::kDim);
  }
  page.End();
}

// How it was found: every batch's time of one execution.
void Samples(const Measurement& m, Page& page) {
  std::vector<std::string> times;
  for (const double seconds : m.batch_times_s) times.push_back(SignificantText(seconds * 1e3, 4));
  std::string text = "by " + m.implementation;
  if (m.threads > 0) text += fmt::format(", {} thread{}", m.threads, m.threads == 1 ? "" : "s");
  if (!times.empty()) text += fmt::format(", {} batches, in ms: {}", times.size(), fmt::join(times, " "));
  page.To(kIndent + 2).Flow(text, kIndent + 4, Style::kDim);
}

void Failed(const Measurement& m, Page& page) {
  page.To(kIndent).Add(page.signs().cross, Style::kBad).Add(" ");
  page.Flow(FailureText(m), kIndent + 2, Style::kBad);
}

bool IsTrouble(const Measurement& m) {
  switch (m.status) {
    case MeasurementStatus::kWrongResult:
    case MeasurementStatus::kImplausible:
    case MeasurementStatus::kFailed:
    case MeasurementStatus::kCrashed:
    case MeasurementStatus::kTimedOut:
      return true;
    case MeasurementStatus::kOk:
    case MeasurementStatus::kUnsupported:
    case MeasurementStatus::kOverBudget:
    case MeasurementStatus::kSkipped:
    case MeasurementStatus::kInterrupted:
      return false;
  }
  return true;
}

// Of several implementations the fastest that verified; all of them, and how they were found, with --verbose.
void Figures(const Report& report, const std::string& device_id, const probe::RuntimeDevice& of,
             const Scale& scale, Page& page) {
  const bool verbose = page.options().verbose;
  const auto measured = MeasurementsOf(report.measurements, device_id, of.runtime, of.driver);
  std::set<std::string> told;
  for (const auto* m : measured) {
    if (!IsVerified(*m)) {
      const bool new_to_reader = told.insert(FailureText(*m)).second;
      if (verbose || (IsTrouble(*m) && new_to_reader)) Failed(*m, page);
      if (verbose) Samples(*m, page);
      continue;
    }
    const bool beaten = std::any_of(measured.begin(), measured.end(), [&](const Measurement* other) {
      return IsVerified(*other) && FigureName(*other) == FigureName(*m) && Merit(*other) > Merit(*m);
    });
    if (beaten && !verbose) continue;
    Figure(*m, scale, page);
    if (verbose) Samples(*m, page);
  }
}

// The files that this way goes through.
void Files(const Report& report, const probe::RuntimeDevice& of, Page& page) {
  const auto say = [&](std::string_view what, const std::optional<std::string>& path) {
    if (path && !path->empty())
      page.To(kIndent).Flow(fmt::format("{} {}", what, *path), kIndent + 2, Style::kDim);
  };
  for (const auto& probe : report.probes) {
    if (probe.module != of.runtime) continue;
    if (probe.library) say("loader", probe.library->path ? probe.library->path : probe.library->soname);
    for (const auto& driver : probe.drivers) {
      const bool same = of.manifest ? driver.manifest == of.manifest : driver.name == of.driver;
      if (same) say("driver", driver.library);
    }
  }
  say("manifest", of.manifest);
}

void Way(const probe::PhysicalDevice& device, const probe::View& view, int label, Page& page) {
  std::vector<std::string> facts;
  facts.push_back(view.device.driver + (view.device.driver_version ? " " + *view.device.driver_version : ""));
  if (IsSoftware(device, view)) facts.emplace_back("software on this processor");
  if (view.device.architecture) facts.push_back(*view.device.architecture);
  if (view.environment_hidden) facts.push_back("hidden from others by " + *view.environment_hidden);
  page.To(2).Add(view.device.runtime, Style::kAccent).To(2 + label);
  page.FlowList(facts, 2 + label, Style::kDim);
}

}  // namespace

void Devices(const Report& report, Page& page, bool figures) {
  const Scale scale{BestOf(report),
                    std::any_of(report.measurements.begin(), report.measurements.end(),
                                [](const Measurement& m) { return IsVerified(m) && m.share_of_peak; })};
  if (figures) {
    Heading(page, "Devices",
            scale.best.empty()
                ? "nothing was measured"
                : fmt::format("checked; {} 95 % interval; bars: of the best here{}", page.signs().plus_minus,
                              scale.shares ? "; %: of the peak" : ""));
  }
  for (const auto& device : report.devices) {
    if (!figures || &device != &report.devices.front()) page.Blank();
    page.Add(device.name.empty() ? device.id : device.name, Style::kStrong);
    page.End();
    page.To(2).FlowList(DeviceFacts(device, !figures), 2, Style::kDim);
    int label = 0;
    for (const auto& view : device.views) label = std::max(label, DisplayWidth(view.device.runtime) + 2);
    for (const auto& view : device.views) {
      Way(device, view, label, page);
      if (page.options().verbose) Files(report, view.device, page);
      if (figures) Figures(report, device.id, view.device, scale, page);
    }
    for (const auto& conflict : device.conflicts) {
      page.To(2).Flow(fmt::format("{} says {} {}", conflict.module, conflict.field, conflict.value), 4,
                      Style::kDim);
    }
  }
}

}  // namespace report::render
