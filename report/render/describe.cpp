// SPDX-License-Identifier: MIT
#include "report/render/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "probe/core/json.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor_names.h"
#include "report/core/devices.h"
#include "report/core/glossary.h"
#include "report/core/report.h"
#include "report/core/suggest.h"
#include "report/core/tables.h"
#include "report/core/targets.h"
#include "report/render/fields.h"
#include "report/render/page.h"
#include "report/render/sections.h"

namespace report::render {
namespace {

constexpr std::array<std::pair<WordKind, std::string_view>, 4> kHeadings = {
    {{WordKind::kFigure, "Figures, measured"},
     {WordKind::kPrediction, "Predictions, computed of them"},
     {WordKind::kColumn, "Beside a figure"},
     {WordKind::kAnswer, "Beside the answer"}}};

// A field of query as an entry.
std::optional<GlossaryEntry> FieldEntry(std::string_view word) {
  const std::string asked = probe::Lower(probe::Trim(word));
  const auto fields = Fields();
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == asked; });
  if (found == fields.end()) return std::nullopt;
  GlossaryEntry entry;
  entry.name = found->name;
  entry.kind = WordKind::kAnswer;
  entry.title = found->name;
  if (!found->unit.empty()) entry.unit = std::string(found->unit);
  entry.text = found->text;
  entry.more = {"A field: 'whichgpu query " + entry.name + "' prints it."};
  return entry;
}

// The first of those that it stands on which is no single maker's: by that it reaches processors, too.
const RuntimeFacts* BelowOfAnyMaker(const RuntimeFacts& facts, const Tables& tables) {
  if (!facts.stands_on) return nullptr;
  for (const std::string& name : facts.stands_on->runtimes) {
    const auto* below = Find(tables, name);
    if (below && !below->vendor) return below;
  }
  return nullptr;
}

// "GPUs of NVIDIA alone", "GPUs and processors of every maker whose driver has it".
std::string ReachText(const RuntimeFacts& facts, const Tables& tables) {
  if (facts.name == kProcessorRuntime) return "the processor itself, which every machine has";
  const auto vendor = facts.vendor ? probe::ParseNumber<std::uint32_t>(*facts.vendor, 16) : std::nullopt;
  if (!vendor) return "the GPUs and processors of every maker whose driver has it";
  if (const auto* below = BelowOfAnyMaker(facts, tables))
    return fmt::format("GPUs of {}, and on processors by {}", probe::VendorName(*vendor), below->title);
  return fmt::format("GPUs of {} alone", probe::VendorName(*vendor));
}

// Something is had by it: what only names a backend is no program's.
bool IsHad(const Build& build) {
  return build.package || build.asset || build.image || build.options || build.cmake || build.command;
}

// That have a build which computes by it, be it on top of another backend.
std::vector<std::string> ProgramsOf(const RuntimeFacts& facts) {
  std::vector<std::string> programs;
  for (const std::string& name : TargetNames()) {
    const auto table = EmbeddedTarget(name);
    const bool has_one =
        table && std::any_of(table->builds.begin(), table->builds.end(),
                             [&](const auto& build) { return IsHad(build) && ComputesBy(build, facts); });
    if (has_one) programs.push_back(name);
  }
  return programs;
}

GlossaryEntry EntryOf(const RuntimeFacts& facts, const Tables& tables) {
  GlossaryEntry entry;
  entry.name = facts.name;
  entry.kind = WordKind::kAnswer;
  entry.title = facts.title;
  entry.also = facts.names;
  entry.text = fmt::format("a way to compute on {}", ReachText(facts, tables));
  entry.more.push_back(fmt::format("Programs with a build for it are told by the word '{}': {}.", facts.name,
                                   fmt::join(ProgramsOf(facts), ", ")));
  if (!facts.training.supported && facts.training.reason)
    entry.more.push_back(fmt::format("Nothing is trained by it: {}.", *facts.training.reason));
  return entry;
}

// A runtime as an entry, by its token, its title or what people call it.
std::optional<GlossaryEntry> RuntimeEntry(std::string_view word, const Tables& tables) {
  const std::string asked = probe::Lower(probe::Trim(word));
  const auto is_called = [&](const RuntimeFacts& facts) {
    const auto& names = facts.names;
    return facts.name == asked || probe::Lower(facts.title) == asked ||
           std::find(names.begin(), names.end(), asked) != names.end();
  };
  const auto& all = tables.runtimes;
  auto found =
      std::find_if(all.begin(), all.end(), [&](const RuntimeFacts& facts) { return facts.name == asked; });
  if (found == all.end()) found = std::find_if(all.begin(), all.end(), is_called);
  return found == all.end() ? std::nullopt : std::optional(EntryOf(*found, tables));
}

// In the order of the list; all of them where no word is given, the runtimes behind the glossary's.
probe::Result<std::vector<GlossaryEntry>> EntriesFor(std::string_view word) {
  const auto all = GlossaryEntries();
  const auto tables = EmbeddedTables();
  if (!tables) return tables.error();
  if (probe::Trim(word).empty()) {
    std::vector entries(all.begin(), all.end());
    for (const RuntimeFacts& facts : tables->runtimes) entries.push_back(EntryOf(facts, *tables));
    return entries;
  }
  if (const auto* entry = FindEntry(word)) return std::vector{*entry};
  if (auto field = FieldEntry(word)) return std::vector{*std::move(field)};
  if (auto runtime = RuntimeEntry(word, *tables)) return std::vector{*std::move(runtime)};
  std::vector<std::string> known;
  for (const GlossaryEntry& entry : all) {
    known.push_back(entry.name);
    known.push_back(entry.title);
    known.insert(known.end(), entry.also.begin(), entry.also.end());
  }
  for (const Field& field : Fields()) known.emplace_back(field.name);
  for (const RuntimeFacts& facts : tables->runtimes) known.push_back(facts.name);
  const auto nearest = Nearest(word, known);
  return probe::Error{"", std::nullopt, "",
                      fmt::format("describe: the report has no word '{}'{}", probe::CleanText(word, 64),
                                  nearest ? fmt::format("; did you mean '{}'?", *nearest)
                                          : "; 'whichgpu describe' lists them")};
}

void List(std::span<const GlossaryEntry> entries, Page& page) {
  constexpr int kIndent = 2;
  int column = 0;
  for (const GlossaryEntry& entry : entries) column = std::max(column, DisplayWidth(entry.title));
  column += kIndent + 2;
  const auto add = [&](const GlossaryEntry& entry) {
    page.To(kIndent).Add(entry.title, Style::kAccent).To(column).Flow(entry.text, column);
  };
  const auto words = entries.first(GlossaryEntries().size());
  for (const auto& [kind, heading] : kHeadings) {
    Heading(page, heading, "");
    for (const GlossaryEntry& entry : words) {
      if (entry.kind == kind) add(entry);
    }
  }
  Heading(page, "Runtimes", "");
  for (const GlossaryEntry& entry : entries.subspan(words.size())) add(entry);
  page.Blank();
  page.Flow("'whichgpu describe WORD' says more of one.", 0, Style::kDim);
}

void One(const GlossaryEntry& entry, Page& page) {
  page.Add(entry.title, Style::kStrong);
  std::vector<std::string> facts;
  if (entry.kind == WordKind::kFigure && entry.name != entry.title) facts.push_back(entry.name + " in JSON");
  if (entry.unit && *entry.unit != entry.title) facts.push_back(*entry.unit);
  if (!facts.empty()) page.Add("  ");
  page.FlowList(facts, 2, Style::kDim);
  page.To(2).Flow(entry.text, 2);
  for (const std::string& paragraph : entry.more) page.To(2).Flow(paragraph, 2);
}

}  // namespace

probe::Result<std::string> Describe(std::string_view word, const TerminalOptions& options) {
  const auto entries = EntriesFor(word);
  if (!entries) return entries.error();
  Page page(options);
  if (entries->size() == 1) {
    One(entries->front(), page);
    return page.text();
  }
  List(*entries, page);
  // The first heading needs no line between it and the prompt.
  return page.text().substr(page.text().find_first_not_of('\n'));
}

probe::Result<std::string> DescribeJson(std::string_view word, std::string_view tool_version) {
  const auto entries = EntriesFor(word);
  if (!entries) return entries.error();
  probe::Json out = probe::Json::object();
  out["schema_version"] = kSchemaVersion;
  out["tool_version"] = tool_version;
  out["command"] = "describe";
  out["words"] = probe::Json::array();
  for (const GlossaryEntry& entry : *entries) out["words"].push_back(EncodeEntry(entry));
  return probe::ToText(out, 2) + "\n";
}

}  // namespace report::render
