// SPDX-License-Identifier: MIT
#include "api/options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "probe/core/text.h"

namespace api {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = 1 << 20;
constexpr double kLongestS = 86400;

enum class Kind { kText, kWords, kTexts, kNumber, kFlag };

struct Key {
  std::string_view name;
  std::string_view option;  // empty: of the library itself
  Kind kind;
  bool recommends = false;  // of that command alone
};

constexpr std::array<Key, 25> kKeys = {{{"only", "--only", Kind::kWords},
                                        {"skip", "--skip", Kind::kWords},
                                        {"assume", "--assume", Kind::kTexts},
                                        {"device", "--device", Kind::kText},
                                        {"assume_machine", "--assume-machine", Kind::kText},
                                        {"sysroot", "--sysroot", Kind::kText},
                                        {"replay", "--replay", Kind::kText},
                                        {"request", "--request", Kind::kText},
                                        {"timeout_s", "--timeout", Kind::kNumber},
                                        {"budget_s", "--budget", Kind::kNumber},
                                        {"retry_crashed", "--retry-crashed", Kind::kFlag},
                                        {"quick", "--quick", Kind::kFlag},
                                        {"thorough", "--thorough", Kind::kFlag},
                                        {"no_calibrate", "--no-calibrate", Kind::kFlag},
                                        {"measure", "--measure", Kind::kFlag},
                                        {"for", "--for", Kind::kText, true},
                                        {"target", "--target", Kind::kText, true},
                                        {"policy", "--policy", Kind::kText, true},
                                        {"can", "--can", Kind::kText, true},
                                        {"min_memory", "--min-memory", Kind::kText, true},
                                        {"among", "--among", Kind::kWords, true},
                                        {"exclude", "--exclude", Kind::kWords, true},
                                        {"tables", "--tables", Kind::kText, true},
                                        {"program", "", Kind::kText},
                                        {"deadline_s", "", Kind::kNumber}}};

constexpr std::array<std::pair<Kind, std::string_view>, 5> kWanted = {
    {{Kind::kText, "a text that is not empty and has no zero byte"},
     {Kind::kWords, "a word, or an array of words, without commas in them"},
     {Kind::kTexts, "a text, or an array of texts, none of them empty"},
     {Kind::kNumber, "a number above 0 and up to 86400"},
     {Kind::kFlag, "true or false"}}};

// An empty value would have the program take its next argument for it.
bool IsText(const Json& value, Kind kind) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return !text.empty() && text.find('\0') == std::string::npos &&
         (kind != Kind::kWords || text.find(',') == std::string::npos);
}

// The value's texts; nothing where it is none of that kind.
std::optional<std::vector<std::string>> TextsOf(const Json& value, Kind kind) {
  if (kind == Kind::kFlag)
    return value.is_boolean() ? std::optional(std::vector<std::string>{}) : std::nullopt;
  if (kind == Kind::kNumber) {
    const bool is_so = value.is_number() && value.get<double>() > 0 && value.get<double>() <= kLongestS;
    return is_so ? std::optional(std::vector{value.dump()}) : std::nullopt;
  }
  // By reference: copying a value descends into it, and a caller's may be as deep as it likes.
  std::vector<std::string> texts;
  const auto take = [&](const Json& one) {
    const bool is_text = IsText(one, kind);
    if (is_text) texts.push_back(one.get<std::string>());
    return is_text;
  };
  const bool is_list = value.is_array() && kind != Kind::kText;
  const bool are_texts = is_list ? std::all_of(value.begin(), value.end(), take) : take(value);
  if (!are_texts || texts.empty()) return std::nullopt;
  if (kind != Kind::kWords) return texts;
  for (std::size_t i = 1; i < texts.size(); ++i) texts.front() += "," + texts[i];
  return std::vector{texts.front()};
}

std::string Known(std::string_view command) {
  std::string names;
  for (const Key& key : kKeys) {
    if (key.recommends && command != "recommend") continue;
    names.append(names.empty() ? "" : ", ").append(key.name);
  }
  return names;
}

std::string Take(const std::string& name, const Json& value, std::string_view command, Request& request) {
  const auto key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& one) { return one.name == name; });
  const auto shown = "option '" + probe::CleanText(name) + "'";
  if (key == kKeys.end()) return "there is no " + shown + "; known are " + Known(command);
  if (key->recommends && command != "recommend") return shown + " belongs to whichgpu_recommend";
  const auto texts = TextsOf(value, key->kind);
  if (!texts) {
    const auto wanted =
        std::find_if(kWanted.begin(), kWanted.end(), [&](const auto& row) { return row.first == key->kind; });
    return shown + " wants " + std::string(wanted->second);
  }
  if (name == "program") request.program = texts->front();
  if (name == "deadline_s") request.deadline_s = value.get<double>();
  if (key->option.empty()) return "";
  for (const std::string& text : *texts) request.arguments.push_back(std::string(key->option) + "=" + text);
  if (key->kind == Kind::kFlag && value.get<bool>()) request.arguments.emplace_back(key->option);
  return "";
}

}  // namespace

Request ReadOptions(std::string_view json, std::string_view command) {
  Request request;
  if (json.size() > kMostBytes) return {"the options are longer than 1 MiB", {}, {}};
  std::set<std::string> names;
  std::string twice;
  const auto check = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::key && depth == 1 && !names.insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  const auto options = Json::parse(json, check, false);
  if (!options.is_object())
    return {"the options are no object of JSON in UTF-8, such as {\"quick\": true}", {}, {}};
  if (!twice.empty()) return {"option '" + probe::CleanText(twice) + "' stands twice", {}, {}};
  if (command == "recommend") request.arguments.emplace_back(command);
  request.arguments.emplace_back("--json");
  for (const auto& [name, value] : options.items()) {
    if (request.error.empty()) request.error = Take(name, value, command, request);
  }
  return request;
}

}  // namespace api
