// SPDX-License-Identifier: MIT
// The devices of a report's page: facts, roofline, every figure with its bar.
#include "report/core/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/core/not_measurable.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"
#include "report/html/chart.h"
#include "report/html/roofline.h"
#include "report/html/sections.h"
#include "report/render/figures.h"
#include "report/render/ranked.h"
#include "report/render/sections.h"

namespace report::html {
namespace {

using backends::Measurement;

std::string ViewText(const probe::PhysicalDevice& device, const probe::View& view) {
  std::vector<std::string> facts = {DriverText(view)};
  if (IsSoftware(device, view)) facts.emplace_back("software on this processor");
  if (view.device.architecture) facts.push_back(*view.device.architecture);
  if (view.environment_hidden) facts.push_back("hidden from others by " + *view.environment_hidden);
  return fmt::format("{}", fmt::join(facts, ", "));
}

// The colours of the ways, as the roofline has them; the others after those.
std::map<std::string, std::string> ColoursOf(const probe::PhysicalDevice& device, const Report& report,
                                             const Roofline* line) {
  std::map<std::string, std::string> colours;
  const auto add = [&](const std::string& way) {
    colours.try_emplace(way, ColourClass(std::min(colours.size(), kColours - 1)));
  };
  if (line) {
    for (const Roof& roof : line->roofs) add(roof.way);
  }
  for (const probe::View& view : device.views)
    add(RuntimeName(report.devices, device.id, view.device.runtime, view.device.driver));
  return colours;
}

void AddFigure(const Measurement& m, const std::string& way, const std::string& colour,
               const std::string& label, double best, Table& table) {
  table.Row();
  table.Cell(way);
  table.Head(label);
  table.Cell(RateText(*m.rate, m.unit), m.Speed(), "strong");
  table.Cell(render::SpreadText(m, kPlusMinus), m.ci95 ? (*m.ci95)[1] - (*m.ci95)[0] : 1e9);
  table.Put(Bar(m.Speed() / best, colour), "bars");
  table.Cell(m.share_of_peak ? PercentText(*m.share_of_peak) : "", m.share_of_peak.value_or(-1));
  const auto quality = m.quality ? std::string(probe::NameOf(*m.quality)) : "";
  table.Cell(quality, m.quality ? static_cast<double>(*m.quality) : -1,
             quality.empty() ? "" : "q-" + quality);
  table.Cell(m.implementation + (m.throttled ? ", throttled" : ""));
}

struct Told {
  std::vector<std::string> failures;
  std::size_t figures = 0;
};

Told AddFigures(const Report& report, const probe::PhysicalDevice& device, const render::BestFigures& best,
                const std::map<std::string, std::string>& colours, Table& table) {
  Told told;
  for (const probe::View& view : device.views) {
    const auto figures = render::FiguresOf(report, device.id, view.device);
    const auto way = RuntimeName(report.devices, device.id, view.device.runtime, view.device.driver);
    std::set<std::string> failed;
    for (const Measurement* m : figures) {
      if (IsVerified(*m) && render::IsShownFigure(*m, figures)) {
        const auto label = FigureLabel(*m, figures);
        AddFigure(*m, way, colours.at(way), label, best.at(render::BarKey(*m, label)), table);
        ++told.figures;
      } else if (IsTrouble(*m) && failed.insert(FailureText(*m)).second) {
        told.failures.push_back(
            fmt::format("{}: {}", way, FailureText(*m, render::FailedLikewise(*m, figures))));
      }
    }
  }
  return told;
}

void AddViews(const Report& report, const probe::PhysicalDevice& device, Element& into) {
  if (device.views.empty()) {
    const auto why = WhyNotMeasurable(device);
    into.Add(why ? Paragraph("dim", "Not measurable: " + NotMeasurableText(device, *why) + ".")
                 : Paragraph("bad", "No runtime reaches it."));
    return;
  }
  Element list("dl");
  for (const probe::View& view : device.views) {
    list.Add(
        Element("dt", {}, RuntimeName(report.devices, device.id, view.device.runtime, view.device.driver)));
    list.Add(Element("dd", {}, ViewText(device, view)));
  }
  into.Add(std::move(list));
}

Element DeviceCard(const Report& report, const probe::PhysicalDevice& device, const render::BestFigures& best,
                   const Roofline* line, std::size_t number) {
  Element card("div", {{"class", "device"}});
  card.Add(Element("h3", {}, device.name.empty() ? device.id : PlainName(device.name)));
  card.Add(Facts(render::DeviceFacts(report, device, true)));
  AddViews(report, device, card);
  if (const auto text = render::AbridgedText(report, device); !text.empty()) card.Add(Paragraph("dim", text));
  for (const probe::Conflict& conflict : device.conflicts)
    card.Add(Paragraph("dim", fmt::format("{} says {} {}", conflict.module, conflict.field, conflict.value)));
  if (line) {
    card.Add(Element("figure").With(Chart(*line, number)));
  }
  Table table(fmt::format("Figures of {}", DeviceName(report.devices, device.id)),
              {"Way", "Figure", "#Rate", "#Spread", "Of the best here", "#Of the peak", "Quality", "By"});
  const auto told = AddFigures(report, device, best, ColoursOf(device, report, line), table);
  if (told.figures > 0) card.Add(std::move(table).Done());
  for (const auto& failure : told.failures) card.Add(Paragraph("bad", failure));
  return card;
}

}  // namespace

Element DevicesPart(const Tables& tables, const Report& report) {
  Element section = Section("devices", "Devices");
  const auto lines = Rooflines(tables, report);
  const auto best = render::BestFiguresOf(report);
  if (report.devices.empty()) section.Add(Element("p", {}, "None was found."));
  auto about = best.empty()
                   ? std::string("Nothing was measured.")
                   : std::string(
                         "Every figure is of a kernel whose result was checked. Spread: the wider side of "
                         "the 95 % interval. Quality: good, fair or noisy.");
  if (!lines.empty()) about += " " + ChartCaption(render::RequestText(tables.reference, Use::kInference));
  section.Add(Paragraph("dim", about));
  std::size_t number = 0;
  for (const auto& device : report.devices) {
    const auto line = std::find_if(lines.begin(), lines.end(),
                                   [&](const Roofline& of) { return of.device_id == device.id; });
    section.Add(DeviceCard(report, device, best, line == lines.end() ? nullptr : &*line, ++number));
  }
  return section;
}

}  // namespace report::html
