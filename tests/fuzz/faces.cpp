// SPDX-License-Identifier: MIT
#include "tests/fuzz/faces.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "probe/core/codec.h"
#include "probe/unify/unify.h"
#include "report/core/tables.h"
#include "report/decide/decide.h"
#include "report/render/faces.h"
#include "tests/fuzz/fuzz.h"

namespace fuzz {
namespace {

namespace render = report::render;

// Five assignments of characters that no shell looks at twice.
void RequireAssignments(std::string_view text, bool quoted) {
  Require(std::count(text.begin(), text.end(), '\n') == 5, "there are five assignments", text);
  const bool plain = std::all_of(text.begin(), text.end(), [&](char c) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return word || std::string_view("_.:,#=-/\n").find(c) != std::string_view::npos || (quoted && c == '\'');
  });
  Require(plain, "assignments hold plain characters alone", text);
}

void RequireAnswers(const report::Report& report, const render::TerminalOptions& terminal) {
  RequireAssignments(render::Shell(report), true);
  RequireAssignments(render::Env(report), false);
  RequirePage(render::Why(report, terminal), terminal.width);
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
  const auto devices = probe::unify::Unify(record.probes);
  for (const auto* request : {&whole, &list, &recommend}) {
    const auto report = report::Decide(*request, tables, record, {devices, {}});
    RequireJson(render::Json(report, request->command));
    if (request == &whole) RequirePage(render::Text(tables, report, terminal), terminal.width);
    if (request == &list) RequirePage(render::ListText(tables, report, terminal), terminal.width);
    if (request == &recommend) RequireAnswers(report, terminal);
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
