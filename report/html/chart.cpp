// SPDX-License-Identifier: MIT
#include "report/html/chart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include "data/html.h"

#include "report/core/quantity.h"
#include "report/html/plot.h"
#include "report/render/terminal.h"

namespace report::html {
namespace {

// In units of the picture, in which a letter is about 12 high.
constexpr double kWidth = 480;
constexpr double kLeft = 56;
constexpr double kRight = 466;
constexpr double kTop = 40;
constexpr double kBottom = 276;
constexpr double kLegendTop = 330;
constexpr double kLegendRow = 19;
constexpr double kMark = 5;
constexpr int kLegendColumns = 64;

struct Axes {
  LogScale x;
  LogScale y;
};

std::string Point(double x, double y) { return NumberText(x) + "," + NumberText(y); }

Element Line(std::string css, double x1, double y1, double x2, double y2) {
  return Element("line", {{"class", std::move(css)},
                          {"x1", NumberText(x1)},
                          {"y1", NumberText(y1)},
                          {"x2", NumberText(x2)},
                          {"y2", NumberText(y2)}});
}

Element Label(std::string css, double x, double y, std::string_view text) {
  return Element("text", {{"class", std::move(css)}, {"x", NumberText(x)}, {"y", NumberText(y)}}, text);
}

std::vector<Roof> Drawn(const Roofline& line) {
  auto roofs = line.roofs;
  if (roofs.size() > kColours) roofs.erase(roofs.begin() + kColours, roofs.end());
  return roofs;
}

Axes AxesOf(const Roofline& line) {
  constexpr double kAir = 0.12;
  constexpr double kLeastDecades = 2;
  std::vector<double> xs = {line.token_flop_per_byte, line.prompt_flop_per_byte};
  std::vector<double> ys;
  const auto add = [&](double flop_per_s, double bytes_per_s) {
    xs.push_back(flop_per_s / bytes_per_s);
    ys.push_back(flop_per_s);
    ys.push_back(RoofAt(line.token_flop_per_byte, flop_per_s, bytes_per_s));
  };
  for (const Roof& roof : Drawn(line)) {
    add(roof.product.rate, roof.read.rate);
    for (const auto& point : {roof.prompt, roof.token}) {
      if (point) ys.push_back(point->flop_per_s);
    }
  }
  if (line.peak_flop_per_s && line.peak_bytes_per_s) add(*line.peak_flop_per_s, *line.peak_bytes_per_s);
  return {ScaleOver(xs, kAir, kLeastDecades, kLeft, kRight),
          ScaleOver(ys, kAir, kLeastDecades, kBottom, kTop)};
}

// From where the slope enters the picture, over its ridge, to the right end.
Element RoofLine(const Axes& axes, double flop_per_s, double bytes_per_s, std::string css) {
  const double start = std::max(axes.x.low, axes.y.low / bytes_per_s);
  std::vector<std::string> points;
  for (const double x : {start, flop_per_s / bytes_per_s, axes.x.high})
    points.push_back(Point(axes.x.At(x), axes.y.At(RoofAt(x, flop_per_s, bytes_per_s))));
  return Element("polyline",
                 {{"class", std::move(css)}, {"points", fmt::format("{}", fmt::join(points, " "))}});
}

// A form for each way, for who sees no colours: disc, square, diamond, triangles, cross.
std::string MarkPath(std::size_t way, double x, double y) {
  const auto at = [&](double dx, double dy) { return Point(x + dx * kMark, y + dy * kMark); };
  switch (way % kColours) {
    case 0:
      return fmt::format("M{} A5,5 0 1 0 {} A5,5 0 1 0 {} Z", at(-1, 0), at(1, 0), at(-1, 0));
    case 1:
      return fmt::format("M{} L{} {} {} Z", at(-0.9, -0.9), at(0.9, -0.9), at(0.9, 0.9), at(-0.9, 0.9));
    case 2:
      return fmt::format("M{} L{} {} {} Z", at(0, -1.2), at(1.2, 0), at(0, 1.2), at(-1.2, 0));
    case 3:
      return fmt::format("M{} L{} {} Z", at(0, -1.1), at(1.1, 0.9), at(-1.1, 0.9));
    case 4:
      return fmt::format("M{} L{} {} Z", at(0, 1.1), at(1.1, -0.9), at(-1.1, -0.9));
    default:
      return fmt::format("M{} L{} M{} L{}", at(-1, -1), at(1, 1), at(-1, 1), at(1, -1));
  }
}

Element Mark(std::size_t way, double x, double y) {
  return Element("path", {{"class", "mark " + ColourClass(way)}, {"d", MarkPath(way, x, y)}});
}

void Grid(const Axes& axes, Element& into) {
  for (const Tick& tick : Ticks(axes.x)) {
    if (!tick.labelled) continue;
    const double x = axes.x.At(tick.value);
    into.Add(Line("grid", x, kTop, x, kBottom));
    into.Add(Label("tick middle", x, kBottom + 16, TickText(tick.value)));
  }
  for (const Tick& tick : Ticks(axes.y)) {
    if (!tick.labelled) continue;
    const double y = axes.y.At(tick.value);
    into.Add(Line("grid", kLeft, y, kRight, y));
    into.Add(Label("tick end", kLeft - 6, y + 4, TickText(tick.value)));
  }
  into.Add(Line("axis", kLeft, kBottom, kRight, kBottom));
  into.Add(Line("axis", kLeft, kTop, kLeft, kBottom));
  into.Add(Label("tick", 4, kTop - 22, "FLOP/s"));
  into.Add(Label("tick middle", (kLeft + kRight) / 2, kBottom + 35, "FLOP for each byte that is read"));
}

void Guides(const Roofline& line, const Axes& axes, Element& into) {
  constexpr double kNearTheEnd = 60;
  for (const auto& [value, text] : {std::pair(line.token_flop_per_byte, "writing a token"),
                                    std::pair(line.prompt_flop_per_byte, "reading the prompt")}) {
    const double x = axes.x.At(value);
    const auto* css = kRight - x < kNearTheEnd ? "guide end" : "guide middle";
    into.Add(Line("guide", x, kTop - 4, x, kBottom));
    into.Add(Label(css, std::max(x, kLeft + kNearTheEnd / 2), kTop - 8, text));
  }
}

// What the fastest way's lines stand for: left of the ridge, where nothing is above the slope, and below the
// slope behind the token's marks.
void RoofLabels(const Roofline& line, const Axes& axes, Element& into) {
  constexpr double kBeside = 16;
  constexpr double kLabelWidth = 90;
  const Roof& roof = line.roofs.front();
  const double flop = roof.product.rate;
  const double bytes = roof.read.rate;
  const double ridge = axes.x.At(flop / bytes);
  const bool has_room = ridge - kBeside - kLabelWidth > kLeft;
  into.Add(Label("direct end", has_room ? ridge - kBeside : kRight - 4,
                 axes.y.At(flop) + (has_room ? 4 : kBeside), RateText(flop, roof.product.unit)));
  const double start = std::max({axes.x.low, axes.y.low / bytes, line.token_flop_per_byte});
  const double middle = std::sqrt(start * std::max(flop / bytes, start));
  const double x = axes.x.At(middle);
  const double y = axes.y.At(middle * bytes);
  const double run = axes.x.Decade();
  const double rise = -axes.y.Decade();
  const double degrees = -std::atan2(rise, run) * 180 / std::numbers::pi;
  Element label("text", {{"class", "direct middle"},
                         {"transform", fmt::format("translate({},{}) rotate({})", NumberText(x),
                                                   NumberText(y), NumberText(degrees))},
                         {"dy", NumberText(kBeside)}});
  into.Add(std::move(label.Text(RateText(bytes, roof.read.unit))));
}

std::string RateOf(const RoofFigure& figure) {
  return fmt::format("{} {}{}", figure.name, RateText(figure.rate, figure.unit),
                     figure.noisy ? " (noisy)" : "");
}

std::string RoofText(const Roof& roof) {
  return fmt::format("{}: {}, {}", roof.way, RateOf(roof.product), RateOf(roof.read));
}

std::optional<std::string> PeakText(const Roofline& line) {
  if (!line.peak_flop_per_s && !line.peak_bytes_per_s) return std::nullopt;
  std::vector<std::string> parts;
  if (line.peak_flop_per_s) parts.push_back(RateText(*line.peak_flop_per_s, "flop_per_s"));
  if (line.peak_bytes_per_s) parts.push_back(RateText(*line.peak_bytes_per_s, "bytes_per_s"));
  return fmt::format("the chip's peak: {}", fmt::join(parts, ", "));
}

std::size_t LegendRows(const Roofline& line) {
  const auto drawn = std::min(line.roofs.size(), kColours);
  return drawn + (line.roofs.size() > drawn ? 1 : 0) + (PeakText(line) ? 1 : 0);
}

void Legend(const Roofline& line, Element& into) {
  double y = kLegendTop;
  const auto row = [&](std::string css, std::string_view text) {
    if (!css.empty()) into.Add(Line(std::move(css), 8, y - 4, 34, y - 4));
    into.Add(Label("legend", 42, y, render::Fit(text, kLegendColumns, true)));
    y += kLegendRow;
  };
  for (std::size_t way = 0; way < std::min(line.roofs.size(), kColours); ++way) {
    into.Add(Mark(way, 21, y - 4));
    row("roof " + ColourClass(way), RoofText(line.roofs[way]));
  }
  if (line.roofs.size() > kColours) row("", fmt::format("and {} more ways", line.roofs.size() - kColours));
  // Without one of the two there is no line.
  if (const auto peak = PeakText(line))
    row(line.peak_flop_per_s && line.peak_bytes_per_s ? "peak" : "", *peak);
}

double HeightOf(const Roofline& line) {
  return kLegendTop + static_cast<double>(LegendRows(line)) * kLegendRow - 8;
}

void Draw(const Roofline& line, Element& into) {
  const Axes axes = AxesOf(line);
  Grid(axes, into);
  Guides(line, axes, into);
  if (line.peak_flop_per_s && line.peak_bytes_per_s)
    into.Add(RoofLine(axes, *line.peak_flop_per_s, *line.peak_bytes_per_s, "peak"));
  const auto roofs = Drawn(line);
  // The first is drawn last, over the others.
  for (std::size_t way = roofs.size(); way-- > 0;) {
    const Roof& roof = roofs[way];
    into.Add(RoofLine(axes, roof.product.rate, roof.read.rate, "roof " + ColourClass(way)));
  }
  for (std::size_t way = roofs.size(); way-- > 0;) {
    for (const auto& point : {roofs[way].prompt, roofs[way].token}) {
      if (point) into.Add(Mark(way, axes.x.At(point->flop_per_byte), axes.y.At(point->flop_per_s)));
    }
  }
  RoofLabels(line, axes, into);
  Legend(line, into);
}

// All that the picture shows, in words.
std::string Description(const Roofline& line) {
  std::vector<std::string> parts;
  for (const Roof& roof : line.roofs) {
    auto text = RoofText(roof);
    if (roof.token) text += fmt::format(", a token at {}", RateText(roof.token->flop_per_s, "flop_per_s"));
    if (roof.prompt)
      text += fmt::format(", the prompt at {}", RateText(roof.prompt->flop_per_s, "flop_per_s"));
    parts.push_back(std::move(text));
  }
  if (const auto peak = PeakText(line)) parts.push_back(*peak);
  return fmt::format("{}. A token computes {} FLOP for each byte that is read, the prompt {}.",
                     fmt::join(parts, "; "), SignificantText(line.token_flop_per_byte, 2),
                     SignificantText(line.prompt_flop_per_byte, 2));
}

constexpr std::string_view kNone = "No device has both a product and a read that were measured and checked.";

std::string TitleOf(const Roofline& line) { return "Roofline of " + line.device; }

}  // namespace

std::string ColourClass(std::size_t way) { return fmt::format("w{}", way % kColours); }

std::string ChartCaption(const std::string& request) {
  return fmt::format(
      "Rooflines: lines are what was measured here, memory on the slope, products on the flat; marks are "
      "what "
      "each way is predicted to reach with {}. A mark above its line is of engines that do better than that "
      "product.",
      request);
}

Element Chart(const Roofline& line, std::size_t number) {
  const auto text = fmt::format("roofline-{}", number);
  Element svg("svg", {{"class", "chart"},
                      {"role", "img"},
                      {"aria-describedby", text},
                      {"viewBox", fmt::format("0 0 {} {}", kWidth, NumberText(HeightOf(line)))}});
  svg.Add(Element("title", {}, TitleOf(line)));
  svg.Add(Element("desc", {{"id", text}}, Description(line)));
  Draw(line, svg);
  return svg;
}

Element ChartFile(const std::vector<Roofline>& lines, const std::string& request) {
  constexpr double kHead = 34;
  constexpr double kRow = 15;
  constexpr int kColumns = 70;
  const auto caption = render::Wrap(lines.empty() ? std::string(kNone) : ChartCaption(request), kColumns);
  double height = 20 + kRow * static_cast<double>(caption.size());
  for (const Roofline& line : lines) height += kHead + HeightOf(line) + 12;
  Element svg("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"class", "chart file"},
                      {"role", "img"},
                      {"aria-describedby", "text"},
                      {"viewBox", fmt::format("0 0 {} {}", kWidth, NumberText(height))},
                      {"width", fmt::format("{}", kWidth * 2)},
                      {"height", NumberText(height * 2)}});
  std::vector<std::string> titles;
  std::vector<std::string> texts;
  if (lines.empty()) texts.emplace_back(kNone);
  for (const Roofline& line : lines) {
    titles.push_back(line.device);
    texts.push_back(line.device + ": " + Description(line));
  }
  svg.Add(Element("title", {},
                  fmt::format("Roofline of {}",
                              titles.empty() ? "no device" : fmt::format("{}", fmt::join(titles, ", ")))));
  svg.Add(Element("desc", {{"id", "text"}}, fmt::format("{}", fmt::join(texts, " "))));
  svg.Add(Element::Carried("style", data::html::kChart));
  svg.Add(Element("rect", {{"class", "ground"}, {"width", "100%"}, {"height", "100%"}}));
  double top = 0;
  for (const Roofline& line : lines) {
    Element group("g", {{"transform", fmt::format("translate(0,{})", NumberText(top))}});
    group.Add(Label("title", 8, 22, render::Fit(TitleOf(line), kColumns, true)));
    Element drawing("g", {{"transform", fmt::format("translate(0,{})", NumberText(kHead))}});
    Draw(line, drawing);
    svg.Add(std::move(group).With(std::move(drawing)));
    top += kHead + HeightOf(line) + 12;
  }
  double y = top + kRow;
  for (const auto& words : caption) {
    svg.Add(Label("tick", 8, y, words));
    y += kRow;
  }
  return svg;
}

}  // namespace report::html
