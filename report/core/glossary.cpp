// SPDX-License-Identifier: MIT
#include "report/core/glossary.h"

#include <algorithm>
#include <utility>

#include "data/glossary.h"

#include "probe/core/codec.h"
#include "probe/core/fields.h"
#include "probe/core/names.h"
#include "probe/core/parse.h"

namespace probe {

WHICHGPU_NAMES(report::WordKind, {kFigure, "figure"}, {kPrediction, "prediction"}, {kColumn, "column"},
               {kAnswer, "answer"})

}  // namespace probe

namespace report {

WHICHGPU_FIELDS(GlossaryEntry, name, kind, title, shortened, also, unit, text, more)
WHICHGPU_FIELDS(Glossary, source, entries)

namespace {

// "fp32 product" -> "product"
std::string_view WithoutType(std::string_view word) {
  for (const kernels::DtypeRow& row : kernels::Dtypes()) {
    if (word.starts_with(row.name) && word.substr(row.name.size()).starts_with(' '))
      return word.substr(row.name.size() + 1);
  }
  return word;
}

const GlossaryEntry* EntryOf(std::string_view word) {
  const auto entries = GlossaryEntries();
  const auto is_asked = [&](const GlossaryEntry& entry) {
    return probe::Lower(entry.name) == word || probe::Lower(entry.title) == word || entry.shortened == word ||
           std::find(entry.also.begin(), entry.also.end(), word) != entry.also.end();
  };
  // A name goes before another entry's other words.
  if (const auto* entry = EntryNamed(word)) return entry;
  const auto found = std::find_if(entries.begin(), entries.end(), is_asked);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

probe::Result<Glossary> DecodeGlossary(std::string_view json) {
  const auto parsed = probe::ParseOwnJson(json);
  if (!parsed) return parsed.error();
  return probe::Decode<Glossary>(*parsed);
}

std::span<const GlossaryEntry> GlossaryEntries() {
  static const Glossary glossary = [] {
    auto decoded = DecodeGlossary(data::kGlossary);
    return decoded ? *std::move(decoded) : Glossary{};
  }();
  return glossary.entries;
}

const GlossaryEntry* EntryNamed(std::string_view name) {
  const auto entries = GlossaryEntries();
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const GlossaryEntry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

const GlossaryEntry* FindEntry(std::string_view word) {
  const std::string asked = probe::Lower(probe::Trim(word));
  const auto* whole = EntryOf(asked);
  return whole ? whole : EntryOf(WithoutType(asked));
}

probe::Json EncodeEntry(const GlossaryEntry& entry) { return probe::Encode(entry); }

std::string_view TitleOf(kernels::Kernel kernel) {
  const auto name = kernels::Row(kernel).name;
  const auto* entry = EntryNamed(name);
  return entry ? std::string_view(entry->title) : name;
}

}  // namespace report
