// SPDX-License-Identifier: MIT
// Foreign text: made safe to print, laid out at every width, made part of an id; and figures as people read
// them, of any number.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/unify/likeness.h"
#include "report/core/quantity.h"
#include "report/explain/parts.h"
#include "report/render/page.h"
#include "report/render/terminal.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;
namespace render = report::render;

constexpr int kNarrowest = 20;
constexpr int kWidest = 200;

std::string WithoutBlanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

void CheckCleaning(std::string_view text, std::size_t max_bytes) {
  const std::string cleaned = probe::CleanText(text, max_bytes);
  Require(cleaned.size() <= max_bytes, "cleaned text respects its bound", cleaned);
  fuzz::RequireLine(cleaned);
  Require(probe::CleanText(cleaned, max_bytes) == cleaned, "cleaning twice changes nothing more", cleaned);
}

void CheckLayout(const std::string& text, int width, int first_width) {
  std::string joined;
  for (const std::string& line : render::Wrap(text, width, first_width)) {
    const int limit = joined.empty() ? std::max(width, first_width) : width;
    Require(render::DisplayWidth(line) <= limit, "no wrapped line is wider than asked for", line);
    joined += line;
  }
  Require(WithoutBlanks(joined) == WithoutBlanks(text), "wrapping loses nothing but blanks", joined);
  const std::string ascii = render::ForLocale(text, false);
  Require(render::DisplayWidth(ascii) == render::DisplayWidth(text), "ASCII takes as many columns", ascii);
  for (const bool unicode : {false, true}) {
    const auto fitted = render::Fit(unicode ? text : ascii, width, unicode);
    Require(render::DisplayWidth(fitted) <= width, "a cut text fits", fitted);
    fuzz::RequireLine(fitted);
  }
}

// A page of the words in every way that the sections set them.
void CheckPage(const std::string& text, int width, int indent, bool unicode) {
  render::Page page({width, false, unicode, false});
  const auto half = text.substr(0, text.find(' ', text.size() / 2));
  page.To(indent).Add(half).RightTo(width, render::Fit(text, 8, unicode)).End();
  page.FlowOn(text, indent).FlowOn(" " + half, indent).End();
  page.FlowList({half, text, "fact"}, indent);
  page.Bar(static_cast<double>(text.size()) / 100, std::min(width - indent, 12), render::Style::kGood).End();
  fuzz::RequirePage(page.text(), width);
}

void CheckIds(const std::string& text) {
  const auto slug = probe::Slug(text);
  const bool plain = std::all_of(slug.begin(), slug.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  Require(plain && !slug.empty(), "an id consists of lower case letters, digits and dashes", slug);
  fuzz::RequireLine(probe::unify::NormalName(text));
  fuzz::RequireLine(report::PlainName(text));
}

void CheckFigures(double value, double other, std::uint64_t bytes, int digits) {
  constexpr std::size_t kLongest = 1000;  // three times 1e308 in full
  for (const std::string& figure :
       {report::SignificantText(value, digits), report::RateText(value, "flop_per_s"),
        report::RateText(value, "s"), report::SecondsText(value), report::BytesText(bytes),
        report::TokensText(value), report::TokensText(report::Range{value, other, value}),
        report::PercentText(value)}) {
    fuzz::RequireLine(figure);
    Require(!figure.empty() && figure.size() <= kLongest, "a figure is said in bounded space", figure);
  }
}

}  // namespace

// One check an input: each looks at every character several times.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const int check = input.Between(0, 4);
  const int first = input.Between(0, kWidest);
  const int second = input.Between(0, kWidest);
  const int width = std::max(first, kNarrowest);
  if (check == 0) {
    const double value = input.Double();
    const double other = input.Double();
    CheckFigures(value, other, input.Number(), 1 + second % 6);
    return 0;
  }
  if (check == 1) {
    CheckCleaning(input.rest(), static_cast<std::size_t>(first));
    return 0;
  }
  const std::string text = probe::CleanText(input.rest());
  if (check == 2) CheckLayout(text, width, std::min(second, width));
  if (check == 3) CheckPage(text, width, second % 12, first % 2 == 0);
  if (check == 4) CheckIds(text);
  return 0;
}
