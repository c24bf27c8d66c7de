// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>
#include <utility>

#include "report/core/clean.h"
#include "report/html/chart.h"
#include "report/html/html.h"
#include "report/html/roofline.h"
#include "report/html/sections.h"
#include "report/render/bound.h"
#include "report/render/faces.h"
#include "report/render/ranked.h"
#include "report/render/told.h"

namespace report::html {
namespace {

std::string TitleOf(const Report& report) {
  const auto told = render::TellAnswers(report, kDash);
  if (!told.empty() && !told.front().nothing_fits.empty()) return "whichgpu: nothing here fits";
  return told.empty() ? "whichgpu: no answer"
                      : fmt::format("whichgpu: use {} on {}", told.front().way, told.front().device);
}

Element Contents() {
  Element nav("nav", {{"aria-label", "Contents"}});
  Element list("ul", {{"class", "facts"}});
  for (const auto& [id, text] : {std::pair("next", "What to do"), std::pair("ways", "Ways"),
                                 std::pair("devices", "Devices"), std::pair("stack", "Stack")}) {
    list.Add(Element("li").With(Element("a", {{"href", std::string("#") + id}}, text)));
  }
  return std::move(nav).With(std::move(list));
}

Element Foot(const Report& report) {
  Element foot("footer");
  foot.Add(Facts(render::FootFacts(report)));
  foot.Add(
      Paragraph("dim", "All of it for programs: the JSON in this page's element with the id \"report\"."));
  return foot;
}

}  // namespace

std::string ReportPage(const Tables& tables, const Report& report) {
  const Report clean = Cleaned(render::Bounded(report), kLongestShownBytes);
  const auto material = render::Gather(tables, clean);
  Element main("main");
  main.Add(AnswerPart(tables, clean));
  main.Add(Contents());
  main.Add(ToDoPart(clean, material));
  main.Add(WaysPart(tables, clean));
  main.Add(DevicesPart(tables, clean));
  main.Add(StackPart(tables, clean));
  main.Add(Foot(clean));
  return Document(TitleOf(clean), std::move(main), "report", render::JsonObject(report, kWholeReport));
}

std::string RooflinePicture(const Tables& tables, const Report& report) {
  const Report clean = Cleaned(render::Bounded(report), kLongestShownBytes);
  return SvgFile(ChartFile(Rooflines(tables, clean), render::RequestText(tables.reference, Use::kInference)));
}

}  // namespace report::html
