// SPDX-License-Identifier: MIT
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "probe/core/add_once.h"
#include "report/assume/assume.h"
#include "report/cli/interface.h"
#include "report/cli/options.h"
#include "report/core/glossary.h"
#include "report/core/report_names.h"
#include "report/core/tables.h"
#include "report/core/targets.h"
#include "report/render/fields.h"
#include "report/render/schema.h"

namespace report {
namespace {

using Words = std::vector<std::string>;

template <class E>
Words NamesOf() {
  Words words;
  for (const auto& [value, name] : probe::EnumNames<E>::kNames) words.emplace_back(name);
  return words;
}

Words Runtimes() {
  Words words;
  if (const auto& tables = EmbeddedTables()) {
    for (const RuntimeFacts& facts : tables->runtimes) words.push_back(facts.name);
  }
  return words;
}

Words GpuOrRuntimes() {
  auto words = Runtimes();
  words.insert(words.begin(), "gpu");
  return words;
}

Words FieldNames() {
  Words words;
  for (const render::Field& field : render::Fields()) words.emplace_back(field.name);
  return words;
}

// Every word that is one argument, and none to a shell.
Words DescribedWords() {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz0123456789-_./";
  Words words;
  const auto add = [&](const std::string& word) {
    if (word.find_first_not_of(kPlain) == std::string::npos) probe::AddOnce(word, words);
  };
  for (const GlossaryEntry& entry : GlossaryEntries()) {
    add(entry.name);
    add(entry.title);
    for (const std::string& word : entry.also) add(word);
  }
  for (const std::string& name : FieldNames()) add(name);
  return words;
}

}  // namespace

std::vector<std::string> WordsFor(const std::string& name, std::span<const std::string> modules) {
  if (name == "--only" || name == "--skip") return {modules.begin(), modules.end()};
  using Maker = Words (*)();
  static constexpr std::array<std::pair<std::string_view, Maker>, 14> kMakers = {
      {{"--for", NamesOf<Use>},
       {"--format", NamesOf<Format>},
       {"--policy", NamesOf<Policy>},
       {"--color", NamesOf<render::ColourChoice>},
       {"--require", GpuOrRuntimes},
       {"--among", Runtimes},
       {"--exclude", Runtimes},
       {"--can", Runtimes},
       {"--backend", Runtimes},
       {"--target", TargetNames},
       {"--assume-machine", assume::MachineNames},
       {"FIELDS", FieldNames},
       {"WORD", DescribedWords},
       {"COMMAND", render::SchemaCommands}}};
  for (const auto& [of, make] : kMakers) {
    if (of == name) return make();
  }
  return {};
}

}  // namespace report
