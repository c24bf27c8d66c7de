// SPDX-License-Identifier: MIT
#include "tests/fuzz/faces.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "probe/core/codec.h"
#include "probe/core/parse.h"
#include "probe/unify/unify.h"
#include "report/core/tables.h"
#include "report/decide/decide.h"
#include "report/render/faces.h"
#include "tests/fuzz/fuzz.h"
#include "tests/report/commands.h"

namespace fuzz {
namespace {

namespace render = report::render;

// Assignments of characters that no shell looks at twice.
void RequireAssignments(std::string_view text, bool quoted) {
  // Two have blanks, and stand where they can be quoted.
  Require(std::count(text.begin(), text.end(), '\n') == (quoted ? 19 : 17), "there are as many assignments",
          text);
  const bool plain = std::all_of(text.begin(), text.end(), [&](char c) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return word || std::string_view("_.:,#=-/\n").find(c) != std::string_view::npos || (quoted && c == '\'');
  });
  Require(plain, "assignments hold plain characters alone", text);
}

// One command a line, of which a driver says nothing but plain characters between two quotes.
void RequireCommands(std::string_view text) {
  // Of a program, which nobody named.
  constexpr std::string_view kNone = "set(WHICHGPU_COMMAND [=[]=])\nset(WHICHGPU_OPTIONS \"\")\n";
  Require(text.ends_with(kNone), "there is no command", text);
  text.remove_suffix(kNone.size());
  std::size_t commands = 0;
  for (; !text.empty(); ++commands) {
    const auto line = probe::TakeUpTo(text, '\n');
    const bool framed = line.starts_with("set(WHICHGPU_") && line.ends_with("\")");
    Require(framed && std::count(line.begin(), line.end(), '"') == 2, "each line sets one variable", line);
    Require(line.find_first_of("$\\@") == std::string_view::npos, "CMake reads values as they are", line);
  }
  Require(commands == 17, "there are as many commands", text);
}

// Of terms that leave nothing the reason is told; and whatever they leave out is no answer.
void RequireTerms(const report::Report& report, const report::RunRequest& request) {
  Require(report.recommendations.empty() || !report.no_answer, "there is an answer or a reason for none");
  if (report.no_answer) RequireLine(render::NoAnswerText(*report.no_answer));
  for (const auto& answer : report.recommendations) {
    const auto& among = request.terms.among;
    Require(among.empty() || std::find(among.begin(), among.end(), answer.backend) != among.end(),
            "the answer is among those named", answer.backend);
  }
}

void RequireAnswers(const report::Tables& tables, const report::Report& report,
                    const render::TerminalOptions& terminal) {
  RequireAssignments(render::Shell(report), true);
  RequireAssignments(render::Env(report), false);
  RequireCommands(render::CMake(report));
  RequirePage(render::Why(tables, report, terminal), terminal.width);
  (void)render::ExitCodeOf(report);
  for (const auto& answer : report.recommendations) {
    const auto token = render::Token(answer);
    const bool closed = std::all_of(token.begin(), token.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    Require(closed && !token.empty(), "a token needs no quotes", token);
  }
}

}  // namespace

void RequireFaces(const report::Record& record, std::uint64_t choice) {
  static const report::Tables tables = Must(report::EmbeddedTables());
  constexpr std::array kUses = {report::Use::kInference, report::Use::kPrefill, report::Use::kDecode,
                                report::Use::kTraining};
  render::TerminalOptions terminal;
  constexpr std::uint64_t kWidths = render::kMaxWidth - render::kMinWidth + 1;
  terminal.width = render::kMinWidth + static_cast<int>(choice % kWidths);
  terminal.unicode = (choice >> 10U) % 2 == 0;
  terminal.verbose = (choice >> 11U) % 2 == 0;
  report::RunRequest whole;
  report::RunRequest list;
  list.command = "list";
  list.uses.clear();
  report::RunRequest recommend;
  recommend.command = "recommend";
  recommend.uses = {kUses[(choice >> 12U) % kUses.size()]};
  report::RunRequest narrow = recommend;
  if ((choice >> 14U) % 2 == 0) narrow.terms.among = {"cuda", "opencl"};
  if ((choice >> 15U) % 2 == 0) narrow.terms.exclude = {"cpu"};
  if ((choice >> 16U) % 2 == 0) narrow.terms.min_memory_bytes = 1ULL << ((choice >> 17U) % 60);
  const auto devices = probe::unify::Unify(record.probes);
  for (const auto* request : {&whole, &list, &recommend, &narrow}) {
    const auto report = report::Decide(*request, tables, record, {devices, {}});
    RequireJson(render::Json(report, request->command));
    const auto commands = report::testing::CommandsOf(report);
    if (request == &whole) RequirePage(render::Text(tables, report, terminal), terminal.width, commands);
    if (request == &whole) RequirePage(render::Screen(tables, report, terminal), terminal.width, commands);
    if (request == &list) RequirePage(render::ListText(tables, report, terminal), terminal.width, commands);
    if (request == &recommend || request == &narrow) RequireAnswers(tables, report, terminal);
    if (request == &narrow) RequireTerms(report, narrow);
  }
}

std::optional<report::Record> ReadRequired(const probe::Json& json) {
  auto record = report::DecodeRecord(json);
  if (!record) {
    Require(IsUtf8(probe::Describe(record.error())), "an error is UTF-8");
    return std::nullopt;
  }
  const auto written = probe::ToText(report::EncodeRecord(*record), -1);
  const auto parsed = probe::ParseJson(written, 64U << 20U);
  Require(parsed.ok(), "a written record parses", written);
  const auto again = report::DecodeRecord(*parsed);
  Require(again.ok() && probe::ToText(report::EncodeRecord(*again), -1) == written,
          "a record reads as it was written", written);
  return *std::move(record);
}

}  // namespace fuzz
