// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/cli/options.h"
#include "report/core/suggest.h"
#include "report/render/fields.h"

namespace report {
namespace {

std::vector<std::string> FieldNames() {
  std::vector<std::string> names;
  for (const render::Field& field : render::Fields()) names.emplace_back(field.name);
  return names;
}

// "memory.total" and "memory.free" of "memory"; none of less than three letters.
std::vector<std::string> FieldsThatBeginWith(std::string_view word, std::vector<std::string> names) {
  constexpr std::size_t kShortest = 3;
  std::erase_if(names, [&](const std::string& name) {
    return word.size() < kShortest || !name.starts_with(probe::Lower(word));
  });
  return names;
}

}  // namespace

std::optional<probe::Error> CheckQuery(RawOptions& raw) {
  Options& options = raw.options;
  QueryRequest& query = options.query;
  if (options.command != Command::kQuery) return std::nullopt;
  if (query.list && (raw.csv || raw.tsv || raw.markdown || options.json))
    return Usage("--list-fields is a list for people; data/schema/query.json has the fields for programs");
  if (query.list) return std::nullopt;
  if (query.fields.empty())
    return Usage("query takes fields: 'whichgpu query name memory.total'; --list-fields names them");
  const auto names = FieldNames();
  for (const auto& field : query.fields) {
    if (std::find(names.begin(), names.end(), field) != names.end()) continue;
    auto meant = FieldsThatBeginWith(field, names);
    if (const auto nearest = meant.empty() ? Nearest(field, names) : std::nullopt) meant.push_back(*nearest);
    return Usage(fmt::format(
        "query: there is no field '{}'{}; --list-fields names them", probe::CleanText(field, 64),
        meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", fmt::join(meant, "' or '"))));
  }
  for (const auto& backend : query.backends) {
    if (auto error = CheckToken(backend, "--backend")) return error;
  }
  const std::array<std::pair<bool, QueryFormat>, 4> formats = {{{raw.csv, QueryFormat::kCsv},
                                                                {raw.tsv, QueryFormat::kTsv},
                                                                {raw.markdown, QueryFormat::kMarkdown},
                                                                {options.json, QueryFormat::kJson}}};
  for (const auto& [is_asked, format] : formats) {
    if (!is_asked) continue;
    if (query.format != QueryFormat::kPlain)
      return Usage("--csv, --tsv, --markdown and --json exclude each other");
    query.format = format;
  }
  if (query.all && !query.backends.empty())
    return Usage("--all and --backend exclude each other: of a backend every way is printed");
  const auto needs = render::NeedsOf(query.fields);
  // Which line is the first one, and which works, is a matter of figures.
  options.run.facts_suffice = !needs.figures && !query.best && !query.usable;
  options.run.of_the_moment = needs.now;
  return std::nullopt;
}

}  // namespace report
