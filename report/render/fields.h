// SPDX-License-Identifier: MIT
// `whichgpu query`: single facts and figures by name, a line a way, for scripts that take words instead of
// JSON. The report must be clean (report/core/clean.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/query.h"
#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::render {

struct Field {
  std::string_view name;
  std::string_view unit;  // "" of words
  QueryNeed need;
  std::string_view text;  // what it is, for people
};

[[nodiscard]] std::span<const Field> Fields();

// Of those of the names that there are.
[[nodiscard]] QueryNeeds NeedsOf(std::span<const std::string> names);

// `whichgpu query --list-fields`: name, unit and text of each.
[[nodiscard]] std::string FieldList();

struct QueryAnswer {
  std::string text;       // whole lines
  bool has_rows = false;  // whether anything matched
};

// A line for each device by its best way, in the order of the ranking, then of what is not usable. Unknown
// values are empty. Tabs, commas, quotes, bars and line breaks of a name are written as the format writes
// them.
[[nodiscard]] QueryAnswer Query(const Tables& tables, const Report& report, const QueryRequest& request);

}  // namespace report::render
