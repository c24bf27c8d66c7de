// SPDX-License-Identifier: MIT
// JSON from text and to text. No other source parses: the linker would take the parser that it compiled, with
// little optimisation, for all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "probe/core/json.h"
#include "probe/core/result.h"

namespace probe {

// Text of one document on one line, invalid UTF-8 replaced.
[[nodiscard]] std::string ToText(const Json& json, int indent = -1);

// Parses one whole document; the error says where it broke. max_bytes bounds the input.
[[nodiscard]] Result<Json> ParseJson(std::string_view text, std::size_t max_bytes = 16U << 20U);
// Likewise of a text that this program carries or made: without looking for what only others would write.
[[nodiscard]] Result<Json> ParseOwnJson(std::string_view text);
// The first key of a document that stands twice in one object; empty where none does, and for no document.
[[nodiscard]] std::string RepeatedKey(std::string_view text);

}  // namespace probe
