// SPDX-License-Identifier: MIT
#include "report/core/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/targets/targets.h"

#include "probe/core/codec.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/core/suggest.h"
#include "report/core/tables.h"
#include "report/core/target_check.h"
#include "report/core/targets_fields.h"

namespace report {
namespace {

// `name` in small letters.
bool IsCalled(const TargetTable& table, std::string_view name) {
  if (table.name == name) return true;
  return table.names && std::find(table.names->begin(), table.names->end(), name) != table.names->end();
}

TargetTable WithCodeLists(TargetTable table) {
  for (Build& build : table.builds) {
    const auto* list =
        build.needs && build.needs->architectures_of ? FindCodeList(*build.needs->architectures_of) : nullptr;
    if (list != nullptr) build.needs->architectures = list->architectures;
  }
  return table;
}

// What a test has found to be right is not checked again.
probe::Result<TargetTable> DecodeOwn(std::string_view name, std::string_view json) {
  const auto parsed = probe::ParseOwnJson(json);
  if (!parsed) return parsed.error();
  auto decoded = probe::Decode<TargetTable>(*parsed);
  if (!decoded) return decoded;
  decoded->name = name;
  return WithCodeLists(*std::move(decoded));
}

}  // namespace

bool ComputesBy(const Build& build, const RuntimeFacts& facts) {
  return build.backend == facts.name || (facts.stands_on && build.through == facts.name);
}

const std::vector<CodeList>& CodeLists() {
  static const auto lists = [] {
    std::vector<CodeList> all;
    for (auto [name, runtime, architectures, date, source] :
         probe::ParseTable<5>(data::targets::CodeListsText())) {
      CodeList& list = all.emplace_back();
      list.name = name;
      list.runtime = runtime;
      while (!architectures.empty()) list.architectures.emplace_back(probe::TakeUpTo(architectures, ' '));
      list.date = date;
      list.source = source;
    }
    return all;
  }();
  return lists;
}

const CodeList* FindCodeList(std::string_view name) {
  const auto& lists = CodeLists();
  const auto found =
      std::find_if(lists.begin(), lists.end(), [&](const CodeList& one) { return one.name == name; });
  return found == lists.end() ? nullptr : &*found;
}

probe::Result<TargetTable> DecodeTarget(std::string_view name, std::string_view json) {
  const auto parsed = probe::ParseJson(json);
  if (!parsed) return parsed.error();
  const auto fail = [](std::string wrong) {
    return probe::Error{"decode", std::nullopt, "", std::move(wrong)};
  };
  if (auto wrong = WrongBeforeDecoding(*parsed); !wrong.empty()) return fail(std::move(wrong));
  auto decoded = probe::Decode<TargetTable>(*parsed);
  if (!decoded) return decoded.error();
  if (auto wrong = WrongWith(*parsed, *decoded); !wrong.empty()) return fail(std::move(wrong));
  decoded->name = name;
  return WithCodeLists(*std::move(decoded));
}

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const auto& [name, text] : data::targets::Texts()) names.emplace_back(name);
  return names;
}

probe::Result<TargetTable> EmbeddedTarget(std::string_view name) {
  const auto wanted = probe::Lower(name);
  for (const bool by_file : {true, false}) {
    for (const auto& [file, text] : data::targets::Texts()) {
      if (by_file != (file == wanted)) continue;
      // Most tables have no such name anywhere, and reading them takes its time.
      if (!by_file && text.find(fmt::format("\"{}\"", wanted)) == std::string_view::npos) continue;
      auto table = DecodeOwn(file, text);
      if (!table) return table.error();
      if (by_file || IsCalled(*table, wanted)) return table;
    }
  }
  const auto names = TargetNames();
  return probe::Error{"", std::nullopt, "",
                      fmt::format("there is no program '{}'{}", probe::CleanText(std::string(name), 64),
                                  Hint(wanted, names))};
}

}  // namespace report
