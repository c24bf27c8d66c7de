// SPDX-License-Identifier: MIT
// What `whichgpu describe` prints: the glossary, or one word of it.
#pragma once

#include <string>
#include <string_view>

#include "probe/core/result.h"
#include "report/render/terminal.h"

namespace report::render {

// Every word with its line, or of one what there is to say. `word` is empty, one of the glossary in any of
// its forms, a field of query or a runtime; another is an error with what was probably meant.
[[nodiscard]] probe::Result<std::string> Describe(std::string_view word, const TerminalOptions& options);

// The same as an object (data/schema/describe.json); of a field of query its name, unit and text.
[[nodiscard]] probe::Result<std::string> DescribeJson(std::string_view word, std::string_view tool_version);

}  // namespace report::render
