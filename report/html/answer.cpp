// SPDX-License-Identifier: MIT
// The first screen of a report's page: what to use, how fast that is, what to do next.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/html/sections.h"
#include "report/render/ranked.h"
#include "report/render/told.h"

namespace report::html {
namespace {

using render::ToldAnswer;

void AddUse(const ToldAnswer& told, Element& into) {
  into.Text("Use ").Add(Element("b", {}, told.way)).Text(" on ").Add(Element("b", {}, told.device));
}

void AddPromises(const ToldAnswer& told, Element& into) {
  if (told.promises.empty()) {
    into.Text(told.instead);
    return;
  }
  for (const auto& promise : told.promises) {
    const bool first = &promise == &told.promises.front();
    if (first) {
      into.Add(Element("b", {}, promise));
    } else {
      into.Text(", " + promise);
    }
  }
}

// What the answer before it says is not said again.
void AddReasons(const ToldAnswer& told, std::vector<std::string>& said, Element& into) {
  auto sentences = render::ReasonsBeside(*told.answer);
  if (!sentences.empty() && sentences != said)
    into.Add(Paragraph("why", fmt::format("because {}", fmt::join(sentences, "; "))));
  said = std::move(sentences);
}

// Text, and the command for it.
void AddStep(const render::NextStep& step, Element& into) {
  const auto whole = render::WithNeeds(step);
  if (!whole.text.empty()) into.Add(Element("p", {}, whole.text));
  if (!whole.command.empty()) into.Add(Command(whole.command));
}

}  // namespace

Element AnswerPart(const Tables& tables, const Report& report) {
  Element head("header");
  head.Add(Paragraph("brand", "whichgpu"));
  if (report.recommendations.empty()) {
    head.Add(Element("h1", {}, render::WithoutAnswer(report)));
    return head;
  }
  const auto all = render::TellAnswers(report, kDash);
  std::vector<std::string> said;
  for (const ToldAnswer& told : all) {
    const bool first = &told == &all.front();
    Element title = first ? Element("h1") : Element("p", {{"class", "also"}});
    if (!told.nothing_fits.empty()) {
      title.Text(told.nothing_fits);
      head.Add(std::move(title));
      AddReasons(told, said, head);
      continue;
    }
    AddUse(told, title);
    title.Text(told.promises.empty() ? ";" : ":");
    Element promise("p", {{"class", "promise"}});
    AddPromises(told, promise);
    head.Add(std::move(title)).Add(std::move(promise));
    AddReasons(told, said, head);
  }
  if (report.interrupted)
    head.Add(Paragraph("warning", "The run was interrupted before everything was asked."));
  for (const auto& warning : render::WarningsOfAnswers(report)) head.Add(Paragraph("warning", warning));
  const auto use = report.recommendations.front().use;
  auto about = "Predicted for " + render::RequestText(tables.reference, use) + ".";
  if (report.measured)
    about += fmt::format(" Measured {}; whichgpu --measure does it again.",
                         AgoText(*report.measured, report.created));
  head.Add(Paragraph("dim", about));
  return head;
}

Element ToDoPart(const Report& report, const render::Material& material) {
  Element section = Section("next", "What to do");
  Element list("ul", {{"class", "steps"}});
  for (const auto& [finding, alike] : material.problems) {
    Element item("li", {{"class", "bad"}});
    item.Add(Element("p")
                 .Add(Element("b", {}, finding->summary))
                 .Text(alike == 0 ? "" : fmt::format("; {} more alike", alike)));
    if (!finding->fix.empty()) {
      const Fix& fix = finding->fix.front();
      AddStep({fix.text, render::CommandLine(report, fix)}, item);
    }
    list.Add(std::move(item));
  }
  for (const Warning& warning : report.warnings)
    list.Add(Element("li", {{"class", "fair"}}).With(Element("p", {}, warning.text)));
  for (const auto& step : material.steps) {
    Element item("li", {{"class", "good"}});
    AddStep(step, item);
    list.Add(std::move(item));
  }
  if (list.IsEmpty()) return std::move(section).With(Element("p", {}, "Nothing: no problem was found."));
  return std::move(section).With(std::move(list));
}

}  // namespace report::html
