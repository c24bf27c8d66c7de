// SPDX-License-Identifier: MIT
// What `whichgpu schema` prints: the schemas of data/schema, which say what the JSON of each command holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probe/core/result.h"

namespace report::render {

// The commands whose JSON has a schema, and the same as text, a line each.
[[nodiscard]] std::vector<std::string> SchemaCommands();
[[nodiscard]] std::string SchemaNames();

// The schema of what the command prints, with the types that it needs among its own $defs, so that it refers
// to nothing else. Another name is an error with what was probably meant.
[[nodiscard]] probe::Result<std::string> Schema(std::string_view name);

}  // namespace report::render
