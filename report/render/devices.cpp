// SPDX-License-Identifier: MIT
#include "report/core/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "data/tables.h"

#include "probe/core/add_once.h"
#include "probe/core/parse.h"
#include "report/core/glossary.h"
#include "report/core/not_measurable.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/render/figures.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

using backends::Measurement;

std::pair<std::string, Style> QualityText(const Measurement& m) {
  if (!m.quality) return {"", Style::kPlain};
  constexpr std::array kStyles = {Style::kGood, Style::kFair, Style::kFair};
  return {std::string(probe::NameOf(*m.quality)), kStyles[static_cast<std::size_t>(*m.quality)]};
}

constexpr int kIndent = 4;
constexpr int kShortWidth = 12;  // "fp32 product"; what is longer has a line of its own
constexpr int kNameWidth = 20;   // "fp32 matrix product", where there is room
constexpr int kRoomForNames = 60;
constexpr int kPeerNameWidth = 24;  // "copy to pci:0000:c1:00.0", where there is room
constexpr int kRoomForPeers = 80;
constexpr int kRateWidth = 12;    // "58.0 TFLOP/s"
constexpr int kSpreadWidth = 10;  // "  ±12.3 %"
constexpr int kShareWidth = 7;    // " 100 %", where any figure's peak is known
constexpr int kNotesWidth = 6;    // quality
constexpr int kShortestBar = 6;
constexpr int kLongestBar = 40;
constexpr int kDetailWidth = 26;  // implementation, where there is room

// What the figures of a whole report are drawn by: which columns the width holds, the quality before all.
struct Layout {
  BestFigures best;
  bool spreads = false;
  bool shares = false;
  bool details = false;
  int name = kShortWidth;
  int bar = 0;  // 0: none
};

Layout LayoutOf(const Report& report, int width) {
  Layout layout;
  layout.best = BestFiguresOf(report);
  const bool any_peer = std::any_of(report.measurements.begin(), report.measurements.end(),
                                    [](const Measurement& m) { return IsVerified(m) && m.peer_id; });
  if (width >= kRoomForNames) layout.name = kNameWidth;
  if (any_peer && width >= kRoomForPeers) layout.name = kPeerNameWidth;
  int rest = width - kIndent - layout.name - kRateWidth - kNotesWidth;
  const auto take = [&](int columns, bool wanted) {
    if (!wanted || rest < columns) return false;
    rest -= columns;
    return true;
  };
  const bool any_share = std::any_of(report.measurements.begin(), report.measurements.end(),
                                     [](const Measurement& m) { return IsVerified(m) && m.share_of_peak; });
  layout.spreads = take(kSpreadWidth, true);
  layout.shares = take(kShareWidth, any_share);
  rest -= 2;  // beside the bar
  layout.details = rest > kDetailWidth + 2 * kShortestBar + kIndent;
  layout.bar = std::min(layout.details ? rest - kDetailWidth : rest, kLongestBar);
  if (layout.bar < kShortestBar) layout.bar = 0;
  return layout;
}

std::string Legend(const Layout& layout, const Page& page) {
  if (layout.best.empty()) return "nothing was measured";
  std::string text = "checked";
  if (layout.spreads) text += fmt::format("; {} 95 % interval", page.signs().plus_minus);
  if (layout.bar > 0) text += "; bars: of the best here";
  return layout.shares ? text + "; %: of the peak" : text;
}

// "fp32 product" of a "fp32 matrix product".
std::string Shortened(const std::string& label) {
  const auto* entry = FindEntry(label);
  if (!entry || !entry->shortened || !label.ends_with(entry->title)) return label;
  return label.substr(0, label.size() - entry->title.size()) + *entry->shortened;
}

void Figure(const Measurement& m, const std::string& label, const Layout& layout, Page& page) {
  page.To(kIndent).Add(layout.name == kShortWidth ? Shortened(label) : label);
  if (page.column() > kIndent + layout.name) page.End();
  page.RightTo(kIndent + layout.name + kRateWidth, RateText(*m.rate, m.unit), Style::kStrong);
  if (layout.spreads) {
    const int end = page.column() + kSpreadWidth;
    page.Add("  ").Add(SpreadText(m, page.signs().plus_minus), Style::kDim).To(end);
  }
  if (layout.bar > 0) {
    page.Add(" ").Bar(m.Speed() / layout.best.at(BarKey(m, label)), layout.bar, Style::kAccent).Add(" ");
  }
  if (layout.shares) {
    page.RightTo(page.column() + kShareWidth - 1, m.share_of_peak ? PercentText(*m.share_of_peak) : "")
        .Add(" ");
  }
  const auto [quality, style] = QualityText(m);
  page.Add(" ").Add(quality, style);
  if (layout.details) {
    std::string detail = m.implementation;
    if (m.throttled) detail += ", throttled";
    page.To(page.column() + kNotesWidth - 1 - DisplayWidth(quality)).Add(" ").Add(detail, Style::kDim);
  }
  page.End();
}

std::string ShapeText(const Measurement& m) {
  if (m.shape.m == 0) return "";
  if (m.shape.n == 0) return fmt::format(" {}x{}", m.shape.m, m.shape.k);
  return fmt::format(" {}x{}x{}", m.shape.m, m.shape.n, m.shape.k);
}

// How it was found: every batch's time of one execution.
void Samples(const Measurement& m, Page& page) {
  std::vector<std::string> times;
  times.reserve(m.batch_times_s.size());
  for (const double seconds : m.batch_times_s) times.push_back(SignificantText(seconds * 1e3, 4));
  std::string text = "by " + m.implementation + ShapeText(m);
  if (m.threads > 0) text += fmt::format(", {} thread{}", m.threads, m.threads == 1 ? "" : "s");
  if (!times.empty()) text += fmt::format(", {} batches, in ms: {}", times.size(), fmt::join(times, " "));
  page.To(kIndent + 2).Flow(text, kIndent + 4, Style::kDim);
}

// A variant that nothing is wrong with: it lost, or there was no time for it.
void Passed(const Measurement& m, Page& page) {
  page.To(kIndent).Add(page.signs().dot, Style::kDim).Add(" ");
  page.Flow(fmt::format("{}{} by {} {}{}", FigureName(m), ShapeText(m), m.implementation, PhraseOf(m),
                        m.reason ? ": " + *m.reason : ""),
            kIndent + 2, Style::kDim);
}

void Failed(const Measurement& m, std::string_view by, Page& page) {
  page.To(kIndent).Add(page.signs().cross, Style::kBad).Add(" ");
  page.Flow(FailureText(m, by), kIndent + 2, Style::kBad);
}

// With --verbose all of them, and how they were found.
void Rows(const Figures& figures, const Layout& layout, Page& page) {
  const bool verbose = page.options().verbose;
  std::set<std::string> told;
  for (const auto* m : figures) {
    if (IsVerified(*m)) {
      if (!verbose && !IsShownFigure(*m, figures)) continue;
      Figure(*m, FigureLabel(*m, figures), layout, page);
      if (verbose) Samples(*m, page);
    } else if (IsTrouble(*m)) {
      if (!told.insert(FailureText(*m)).second && !verbose) continue;
      Failed(*m, verbose ? std::string(ImplementationOf(*m)) : FailedLikewise(*m, figures), page);
      if (verbose && !m->implementation.empty()) Samples(*m, page);
    } else if (verbose) {
      Passed(*m, page);
    }
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

// "512 execution units": those that this driver counts; empty where nobody knows what it counts.
std::string UnitsText(const probe::PhysicalDevice& device, const probe::RuntimeDevice& of) {
  if (!of.compute_units) return "";
  const std::string* told = probe::FindFact(of.facts, "compute_unit");
  std::string_view unit = told != nullptr ? std::string_view(*told) : std::string_view();
  for (const auto& [vendor, its, source] : probe::ParseTable<3>(data::kUnitNames)) {
    if (unit.empty() && probe::ParseNumber<std::uint32_t>(vendor, 16) == VendorOf(device)) unit = its;
  }
  if (unit.empty()) return "";
  return fmt::format("{} {}{}", *of.compute_units, unit, *of.compute_units == 1 ? "" : "s");
}

void Way(const probe::PhysicalDevice& device, const probe::View& view, int label, Page& page) {
  std::vector<std::string> facts;
  facts.push_back(DriverText(view));
  if (IsSoftware(device, view)) facts.emplace_back("software on this processor");
  if (view.device.architecture) facts.push_back(*view.device.architecture);
  if (page.options().verbose && IsGpu(device) && !IsSoftware(device, view)) {
    if (auto units = UnitsText(device, view.device); !units.empty()) facts.push_back(std::move(units));
  }
  // Where its own part of the memory is not what programs have by this way.
  const auto& bytes = view.device.memory_total_bytes;
  if (HasCarveOut(device) && bytes && bytes != device.memory.total_bytes)
    facts.push_back(BytesText(*bytes) + " of memory");
  if (view.environment_hidden) facts.push_back("hidden from others by " + *view.environment_hidden);
  page.To(2).Add(view.device.runtime, Style::kAccent).To(2 + label);
  page.FlowList(facts, 2 + label, Style::kDim);
}

}  // namespace

void Devices(const Report& report, Page& page, bool figures) {
  const Layout layout = LayoutOf(report, page.width());
  if (figures) Heading(page, "Devices", Legend(layout, page));
  for (const auto& device : report.devices) {
    if (!figures || &device != &report.devices.front()) page.Blank();
    page.Add(device.name.empty() ? device.id : device.name, Style::kStrong);
    page.End();
    page.To(2).FlowList(DeviceFacts(report, device, !figures), 2, Style::kDim);
    if (const auto why = WhyNotMeasurable(device))
      page.To(2).Flow("not measurable: " + NotMeasurableText(device, *why), 4, Style::kDim);
    int label = 0;
    for (const auto& view : device.views) label = std::max(label, DisplayWidth(view.device.runtime) + 2);
    for (const auto& view : device.views) {
      Way(device, view, label, page);
      if (page.options().verbose) Files(report, view.device, page);
      if (figures) Rows(FiguresOf(report, device.id, view.device), layout, page);
    }
    if (const auto text = figures ? AbridgedText(report, device) : ""; !text.empty())
      page.To(2).Flow(text, 4, Style::kDim);
    for (const auto& conflict : device.conflicts) {
      page.To(2).Flow(fmt::format("{} says {} {}", conflict.module, conflict.field, conflict.value), 4,
                      Style::kDim);
    }
  }
}

}  // namespace report::render
