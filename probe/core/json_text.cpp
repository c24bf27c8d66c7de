// SPDX-License-Identifier: MIT
#include "probe/core/json_text.h"

#include <array>
#include <optional>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

namespace probe {

std::string ToText(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxKeys = 1024;
constexpr std::size_t kMaxValues = std::size_t{1} << 21U;  // a machine of 4,000 devices has a tenth

// What of a JSON text would cost its reader dearly, looked for before it is parsed: more than kMaxDepth
// arrays and objects within each other, or more keys in one object than any of ours could have, among which a
// parser that keeps their order searches, or more than kMaxValues values, each of which takes sixteen bytes
// and more. Nothing where there is none of them. The parser could count them itself, at twice the time.
std::optional<Error> TooMuch(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::array<std::size_t, kMaxDepth + 1> keys{};
  std::size_t open = 0;
  std::size_t values = 1;
  bool in_string = false;
  bool is_first = false;  // of the array or object that was opened last
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_first && kBlanks.find(c) == std::string_view::npos) {
      is_first = false;
      values += c == ']' || c == '}' ? 0 : 1;
    }
    values += c == ',' && !in_string ? 1 : 0;
    if (values > kMaxValues) {
      return Error{"parse JSON", std::nullopt, "too many values",
                   "more than " + std::to_string(kMaxValues) + " values"};
    }
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      i += c == '\\' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      if (++open > kMaxDepth) {
        return Error{"parse JSON", std::nullopt, "too deep",
                     "nested deeper than " + std::to_string(kMaxDepth) + " levels"};
      }
      keys[open] = 0;
      is_first = true;
    } else if (c == ']' || c == '}') {
      open -= open > 0 ? 1 : 0;
    } else if (c == ':' && ++keys[open] > kMaxKeys) {
      return Error{"parse JSON", std::nullopt, "too wide",
                   "more than " + std::to_string(kMaxKeys) + " keys in one object"};
    }
  }
  return std::nullopt;
}

Error Malformed() { return {"parse JSON", std::nullopt, "malformed", "not one whole JSON document"}; }

}  // namespace

Result<Json> ParseJson(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return Error{
        "parse JSON", std::nullopt, "too large",
        std::to_string(text.size()) + " bytes, at most " + std::to_string(max_bytes) + " are accepted"};
  }
  if (auto problem = TooMuch(text)) return *std::move(problem);
  // The parser takes a NUL for the end, whatever stands behind it; none may stand in JSON (RFC 8259, 7).
  if (text.find('\0') != std::string_view::npos) return Malformed();
  return ParseOwnJson(text);
}

Result<Json> ParseOwnJson(std::string_view text) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded()) return Malformed();
  return json;
}

std::string RepeatedKey(std::string_view text) {
  using Event = Json::parse_event_t;
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto look = [&](int, Event event, Json& value) {
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(value.get<std::string>()).second && twice.empty())
      twice = value.get<std::string>();
    return true;
  };
  const auto parsed = Json::parse(text.begin(), text.end(), look, false);
  return parsed.is_discarded() ? "" : twice;
}

}  // namespace probe
