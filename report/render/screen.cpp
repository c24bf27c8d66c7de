// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/core/clean.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/render/bound.h"
#include "report/render/faces.h"
#include "report/render/material.h"
#include "report/render/page.h"
#include "report/render/ranked.h"
#include "report/render/sections.h"
#include "report/render/steps.h"
#include "report/render/told.h"

namespace report::render {
namespace {

// A terminal of 24 lines shows the command, all of the page and the next prompt. Narrower ones break more
// lines.
constexpr std::size_t kLines = 15;
constexpr std::size_t kLinesOfSeveralGpus = 20;
constexpr std::size_t kWidthOfThose = 80;
constexpr int kLinesOfAProblem = 2;

// How much of it is shown.
struct Parts {
  std::size_t ways = 0;
  std::size_t problems = 0;
  std::size_t steps = 0;
  std::size_t warnings = 0;
  std::size_t reasons = 0;
  std::size_t cautions = 0;   // the warnings of the answers, but that
  std::size_t estimates = 0;  // their rates are estimates, which the ways show
  std::size_t notes = 1;      // below a way: what else is to be known of it
  std::size_t needs = 1;      // of programs
  std::size_t texts = 1;      // of fixes that have a command
  std::size_t air = 2;        // lines between the parts
};

// What goes first where not all has room, and how much of it stays for now.
struct Saving {
  std::size_t Parts::* part;
  std::size_t rest;
};
constexpr std::array kSavings = {
    Saving{&Parts::warnings, 1}, Saving{&Parts::ways, 4},      Saving{&Parts::steps, 2},
    Saving{&Parts::needs, 0},    Saving{&Parts::problems, 2},  Saving{&Parts::ways, 3},
    Saving{&Parts::problems, 1}, Saving{&Parts::reasons, 1},   Saving{&Parts::ways, 2},
    Saving{&Parts::steps, 1},    Saving{&Parts::estimates, 0}, Saving{&Parts::air, 0},
    Saving{&Parts::warnings, 0}, Saving{&Parts::ways, 1},      Saving{&Parts::cautions, 1},
    Saving{&Parts::notes, 0},    Saving{&Parts::reasons, 0},   Saving{&Parts::steps, 0},
    Saving{&Parts::texts, 0}};

bool Save(Parts& parts) {
  for (const Saving& saving : kSavings) {
    if (parts.*saving.part <= saving.rest) continue;
    --(parts.*saving.part);
    return true;
  }
  return false;
}

constexpr int kPlaceWidth = 4;  // " 1. "
constexpr int kAir = 2;         // between columns

// One of the table's columns of figures; `width` 0 where the page has no room for it.
struct Column {
  std::string_view head;
  std::string_view short_head;
  std::vector<std::string> cells;
  int width = 0;
};

// The columns behind the device's, in their order.
enum Figure : std::size_t { kTokens, kLikely, kFirst, kWhole, kMark, kFigures };

struct Table {
  std::array<Column, kFigures> columns{{{"tokens/s", "tok/s", {}, 0},
                                        {"likely", "likely", {}, 0},
                                        {"first token", "first", {}, 0},
                                        {"in all", "in all", {}, 0},
                                        {"", "", {}, 0}}};
  std::vector<std::string> backends;
  std::vector<std::string> devices;
  int backend = 0;
  int device = 0;
  bool brief = false;
};

// What is only known within a range is shown as that.
void Fill(const Report& report, const ShownWay& way, const Page& page, Table& table) {
  const Score& score = *way.score;
  const bool noisy = IsNoisy(report, score);
  const Range& writing = score.writing_tokens_per_s ? *score.writing_tokens_per_s : *score.tokens_per_s;
  table.backends.push_back(WayOf(report, score));
  table.devices.push_back(DeviceText(report, way));
  auto& columns = table.columns;
  columns[kTokens].cells.push_back(IsRangeAlone(report, score) ? "" : TokensText(writing.value));
  columns[kLikely].cells.push_back(TokensRangeText(writing, page.signs().dash));
  columns[kFirst].cells.push_back(score.first_token_s ? SecondsText(score.first_token_s->value) : "");
  columns[kWhole].cells.push_back(score.request_s ? SecondsText(score.request_s->value) : "");
  columns[kMark].cells.push_back(noisy ? "noisy" : score.basis == Basis::kEstimated ? "estimated" : "");
}

int Widest(const std::vector<std::string>& cells) {
  int width = 0;
  for (const auto& cell : cells) width = std::max(width, DisplayWidth(cell));
  return width;
}

void MeasureColumns(Table& table) {
  for (Column& column : table.columns) {
    const int cells = Widest(column.cells);
    column.width =
        cells == 0 ? 0 : std::max(cells, DisplayWidth(table.brief ? column.short_head : column.head));
  }
}

int WidthBeside(const Table& table) {
  int width = kPlaceWidth + table.backend;
  for (const Column& column : table.columns) width += column.width == 0 ? 0 : kAir + column.width;
  return width;
}

// Gives up columns until a device's name has room, the least wanted first; of the name itself never all.
void FitColumns(int width, Table& table) {
  constexpr int kShortestName = 18;
  constexpr int kRoomForHeads = 80;
  table.brief = width < kRoomForHeads;
  table.backend = std::max(Widest(table.backends), DisplayWidth("backend")) + kAir;
  // Where every figure is a range, theirs is the column.
  if (Widest(table.columns[kTokens].cells) == 0) {
    table.columns[kLikely].head = table.columns[kTokens].head;
    table.columns[kLikely].short_head = table.columns[kTokens].short_head;
  }
  MeasureColumns(table);
  const int longest = std::max(Widest(table.devices), DisplayWidth("device"));
  const auto room = [&] { return width - WidthBeside(table); };
  for (const Figure dropped : {kMark, kWhole, kLikely, kFirst}) {
    if (room() >= std::min(longest, kShortestName)) break;
    table.columns[dropped].width = 0;
    if (dropped != kLikely) continue;
    // Without its column a range stands where the figure would.
    auto& tokens = table.columns[kTokens];
    for (std::size_t i = 0; i < tokens.cells.size(); ++i) {
      if (tokens.cells[i].empty()) tokens.cells[i] = table.columns[kLikely].cells[i];
    }
    tokens.width = std::max(tokens.width, Widest(tokens.cells));
  }
  table.device = std::clamp(room(), 0, longest);
}

void Heads(const Table& table, Page& page) {
  page.To(kPlaceWidth).Add("backend", Style::kDim).To(kPlaceWidth + table.backend);
  page.Add(Fit("device", table.device, page.options().unicode), Style::kDim);
  int end = kPlaceWidth + table.backend + table.device;
  for (const Column& column : table.columns) {
    if (column.width == 0) continue;
    end += kAir + column.width;
    page.RightTo(end, table.brief ? column.short_head : column.head, Style::kDim);
  }
  page.End();
}

void Row(const Table& table, std::size_t row, std::string_view place, bool chosen, Page& page) {
  page.RightTo(3, place, Style::kDim).To(kPlaceWidth);
  page.Add(table.backends[row], chosen ? Style::kGood : Style::kPlain).To(kPlaceWidth + table.backend);
  page.Add(Fit(table.devices[row], table.device, page.options().unicode));
  int end = kPlaceWidth + table.backend + table.device;
  for (std::size_t at = 0; at < kFigures; ++at) {
    const Column& column = table.columns[at];
    if (column.width == 0) continue;
    end += kAir + column.width;
    if (at == kMark) {
      page.To(end - column.width).Add(column.cells[row], Style::kFair);
    } else {
      const bool dim = at == kLikely && !table.columns[kTokens].cells[row].empty();
      page.RightTo(end, column.cells[row],
                   at == kTokens ? Style::kStrong
                   : dim         ? Style::kDim
                                 : Style::kPlain);
    }
  }
  page.End();
}

void Ways(const Tables& tables, const Report& report, const Material& material, const Parts& parts,
          Page& page) {
  if (parts.ways == 0) return;
  if (parts.air > 1) page.Blank();
  page.Flow(RequestText(tables.reference, material.answer ? material.answer->use : Use::kInference), 0,
            Style::kDim);
  Table table;
  for (std::size_t i = 0; i < parts.ways; ++i) Fill(report, material.ways[i], page, table);
  FitColumns(page.width(), table);
  Heads(table, page);
  for (std::size_t i = 0; i < parts.ways; ++i) {
    const ShownWay& way = material.ways[i];
    Row(table, i, Place(report, material.answer, *way.score, way.rank), IsChosen(material.answer, *way.score),
        page);
    if (parts.notes == 0) continue;
    for (const Reason& reason : way.score->reasons)
      page.To(kPlaceWidth).Flow(reason.text, kPlaceWidth + 2, Style::kFair);
  }
}

void Do(const NextStep& step, bool with_text, Page& page) {
  if (with_text || step.command.empty()) {
    page.Add(page.signs().arrow, Style::kGood).Add(" ").Flow(step.text, 3);
    if (!step.command.empty()) page.Command(step.command, 3);
  } else {
    page.Add(page.signs().arrow, Style::kGood).Add(" ").Command(step.command, page.column());
  }
}

// What has to be there before is said, or where it is long by the program's own answer: a command that the
// machine refuses is no step.
NextStep Brief(NextStep step) {
  constexpr std::size_t kShort = 40;  // bytes: half a line, as long as where it is said
  if (step.needs.size() <= kShort) return WithNeeds(std::move(step));
  step.text += fmt::format(" (see {})", step.asking);
  return step;
}

void ToDo(const Report& report, const Material& material, const Parts& parts, Page& page) {
  if (parts.air > 0 && parts.problems + parts.steps + parts.warnings > 0) page.Blank();
  for (std::size_t i = 0; i < parts.problems; ++i) {
    const auto& [finding, alike] = material.problems[i];
    page.Add(page.signs().cross, Style::kBad).Add(" ");
    // What a driver says may be long: the rest of it stands in the details. How many are meant stays.
    const auto others = alike == 0 ? std::string() : fmt::format("; {} more alike", alike);
    const int room = kLinesOfAProblem * (page.prose_width() - 2) - kAir - DisplayWidth(others);
    page.Flow(FitWords(finding->summary, room, page.options().unicode) + others, 2);
    if (finding->fix.empty()) continue;
    const Fix& fix = finding->fix.front();
    Do({fix.text, CommandLine(report, fix), "", ""}, parts.texts > 0, page);
  }
  for (std::size_t i = 0; i < parts.warnings; ++i)
    page.Add(page.signs().warning, Style::kFair).Add(" ").Flow(report.warnings[i].text, 2);
  for (std::size_t i = 0; i < parts.steps; ++i)
    Do(parts.needs > 0 ? WithNeeds(material.steps[i]) : Brief(material.steps[i]), true, page);
}

std::string Counted(std::size_t count, std::string_view one) {
  return fmt::format("{} more {}{}", count, one, count == 1 ? "" : "s");
}

// What else there is, and where it stands.
void Rest(const Report& report, const Material& material, const Parts& parts, Page& page) {
  std::vector<std::string> more;
  if (const auto ways = material.ways.size() - parts.ways; ways > 0) more.push_back(Counted(ways, "way"));
  if (const auto problems = material.problems.size() - parts.problems; problems > 0)
    more.push_back(Counted(problems, "problem"));
  if (const auto steps = material.steps.size() - parts.steps; steps > 0)
    more.push_back(Counted(steps, "step"));
  // The last of the report's warnings may stand for many.
  const auto of_report = report.warnings.size() - parts.warnings;
  const auto many = of_report == 0 ? 0 : material.untold - std::min<std::size_t>(material.untold, 1);
  if (const auto warnings =
          of_report + many + WarningsOfAnswers(report).size() - parts.cautions - parts.estimates;
      warnings > 0)
    more.push_back(Counted(warnings, "warning"));
  more.emplace_back(more.empty() && report.measured ? "Every figure" : "every figure");
  const auto origin = report.measured ? fmt::format("Measured {} (--measure does it again). ",
                                                    AgoText(*report.measured, report.created))
                                      : "";
  const bool assumed =
      !report.recommendations.empty() && report.recommendations.front().basis == Basis::kAssumed;
  page.Flow(fmt::format("{}{}: whichgpu --details{}", origin, fmt::join(more, ", "),
                        assumed ? " with the same --assume" : ""),
            0, Style::kDim);
}

std::string Compose(const Tables& tables, const Report& report, const Material& material, const Parts& parts,
                    const TerminalOptions& options) {
  Page page(options);
  Answer(report, parts.reasons, parts.cautions + parts.estimates, page);
  Ways(tables, report, material, parts, page);
  ToDo(report, material, parts, page);
  Rest(report, material, parts, page);
  return page.text();
}

std::size_t Limit(const Report& report, int width) {
  const auto gpus = std::count_if(report.devices.begin(), report.devices.end(), IsGpu);
  const auto lines = gpus > 1 ? kLinesOfSeveralGpus : kLines;
  return lines * kWidthOfThose / std::min(kWidthOfThose, static_cast<std::size_t>(width));
}

}  // namespace

std::string Screen(const Tables& tables, const Report& report, const TerminalOptions& options) {
  const Report clean = Cleaned(Bounded(report), kLongestShownBytes);
  Material material = Gather(tables, clean);
  material.untold = UntoldWarnings(report.warnings);
  Parts parts;
  parts.ways = material.ways.size();
  parts.problems = material.problems.size();
  parts.steps = material.steps.size();
  parts.warnings = clean.warnings.size();
  parts.estimates = WarningsOfEstimates(clean);
  parts.cautions = WarningsOfAnswers(clean).size() - parts.estimates;
  for (const auto& answer : clean.recommendations)
    parts.reasons = std::max(parts.reasons, answer.reasons.size());
  const auto limit = static_cast<std::ptrdiff_t>(Limit(clean, options.width));
  auto text = Compose(tables, clean, material, parts, options);
  while (std::count(text.begin(), text.end(), '\n') > limit && Save(parts))
    text = Compose(tables, clean, material, parts, options);
  return text;
}

}  // namespace report::render
