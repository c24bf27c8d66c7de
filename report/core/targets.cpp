// SPDX-License-Identifier: MIT
#include "report/core/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "data/targets/targets.h"

#include "probe/core/codec.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/core/suggest.h"
#include "report/core/targets_fields.h"

namespace report {
namespace {

bool IsVersion(std::string_view text) {
  if (text.ends_with('.')) return false;
  while (!text.empty()) {
    if (!probe::IsDigits(probe::TakeUpTo(text, '.'))) return false;
    if (text.empty()) return true;
  }
  return false;
}

// What a shell, a build file and a terminal take as it is, between quotes.
bool IsLine(std::string_view text) {
  constexpr std::size_t kLongest = 4096;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// The key of the first text that is no line, before anybody cleans it. "" where all are.
std::string KeyOfNoLine(const probe::Json& value, const std::string& key) {
  if (value.is_string()) return IsLine(value.get_ref<const std::string&>()) ? "" : key;
  if (!value.is_structured()) return "";
  for (const auto& [inner, one] : value.items()) {
    auto found = KeyOfNoLine(one, value.is_object() ? inner : key);
    if (!found.empty()) return found;
  }
  return "";
}

// A line of sh that is one line of a Dockerfile too, which would take these for its own list of words, its
// options, its here-document and its continued line.
bool IsCommand(std::string_view text) {
  constexpr std::string_view kOwn = "[-#";
  return kOwn.find(text.front()) == std::string_view::npos && text.find("<<") == std::string_view::npos &&
         text.back() != '\\';
}

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// What the texts with these names consist of, beside letters and digits: what a file of requirements, a list
// of words or of CMake's and an instruction take without quotes. They begin with one of a list of words, or,
// where that is empty, with a letter or digit.
struct Form {
  std::string_view key;
  std::string_view signs;
  std::string_view begin;
  std::string_view wants;
};
constexpr std::string_view kSchemes = "https:// http:// file://";
constexpr std::string_view kAny = " ";  // an empty word, with which every text begins
constexpr std::array<Form, 10> kForms = {
    {{"package", "._-[],{}", "", "it must be the name of a package, with extras"},
     {"version", "._+-*<>=!~,", "< > == != ~=", "it must be bounds such as >=2.4,<2.7"},
     {"packages", "._-[],+*<>=!~{}", "", "it must be names of packages with bounds"},
     {"index", "._-~:/?@&=+,%", kSchemes, "it must be an address such as https://example.org/simple"},
     {"find_links", "._-~:/?@&=+,%", kSchemes, "it must be an address such as https://example.org/simple"},
     {"asset", "._-+{}", "", "it must be the name of a file"},
     {"provider", "._-+", "", "it must be a word"},
     {"image", "._-:/@{}", "", "it must be an image such as ubuntu:24.04"},
     {"options", "._-:/@+,=%{}", kAny, "it must be words without blanks and quotes"},
     {"cmake", "._-:/@+,=%;{}", kAny, "it must be words without blanks and quotes"}}};

bool Begins(std::string_view text, std::string_view begin) {
  if (begin.empty()) return IsLetterOrDigit(text.front());
  while (!begin.empty()) {
    if (text.starts_with(probe::TakeUpTo(begin, ' '))) return true;
  }
  return false;
}

bool HasForm(std::string_view text, const Form& form) {
  return Begins(text, form.begin) && std::all_of(text.begin(), text.end(), [&](char c) {
           return IsLetterOrDigit(c) || form.signs.find(c) != std::string_view::npos;
         });
}

bool IsWord(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") == std::string_view::npos;
}

bool IsDate(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  return std::equal(text.begin(), text.end(), kForm.begin(), kForm.end(),
                    [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; });
}

// Looks at every text of a build; what is wrong with the first odd one.
class Check {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    Look(key, value);
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  void Fail(const char* key, std::string_view what) {
    if (wrong_.empty()) wrong_ = fmt::format("{}: {}", key, what);
  }
  static bool IsOfVersion(std::string_view key) {
    constexpr std::array<std::string_view, 7> kVersions = {
        "glibc", "driver", "driver_tested", "driver_below", "api", "api_below", "intermediate"};
    return std::find(kVersions.begin(), kVersions.end(), key) != kVersions.end();
  }
  void Look(const char* key, const std::string& value) {
    const std::string_view name = key;
    if (IsOfVersion(name) && !IsVersion(value)) Fail(key, "it must be a version such as 12.8");
    if (name == "date" && !IsDate(value)) Fail(key, "it must be a date such as 2026-11-25");
    if ((name == "id" || name == "backend") && !IsWord(value))
      Fail(key, "it must be small letters, digits and . _ -");
    if (name == "command" && !IsCommand(value))
      Fail(key, "it must be one command of sh, without <<, and begin with a word");
    const auto* form =
        std::find_if(kForms.begin(), kForms.end(), [&](const Form& one) { return one.key == name; });
    if (form != kForms.end() && !HasForm(value, *form)) Fail(key, form->wants);
  }
  void Look(const char* /*key*/, bool /*value*/) {}
  template <class T>
  void Look(const char* key, const std::optional<T>& value) {
    if (value) Look(key, *value);
  }
  template <class T>
  void Look(const char* key, const std::vector<T>& values) {
    // A build that no option selects is told from one that has none to name.
    if (values.empty() && std::string_view(key) != "options") Fail(key, "it must not be empty");
    for (const T& value : values) Look(key, value);
    if constexpr (std::is_same_v<T, Build>) {
      std::set<std::string_view> ids;
      for (const Build& build : values) {
        if (!ids.insert(build.id).second) Fail("id", fmt::format("'{}' stands twice", build.id));
      }
    }
    if constexpr (std::is_same_v<T, std::string>) {
      if (std::string_view(key) != "uses") return;
      for (const std::string& use : values) {
        if (use != kRunsModels && use != kTrainsModels) Fail(key, "it must be of inference and training");
      }
    }
  }
  void Look(const char* /*key*/, const BuildNeeds& value) { Fields(*this, value); }
  void Look(const char* /*key*/, const Prerequisite& value) { Fields(*this, value); }
  void Look(const char* /*key*/, const Build& value) {
    const bool was_right = wrong_.empty();
    Fields(*this, value);
    if (was_right && !wrong_.empty()) wrong_ += fmt::format(" (build {})", probe::CleanText(value.id, 64));
  }

  std::string wrong_;
};

// The names of a structure's keys.
class Keys {
 public:
  template <class T>
  void operator()(const char* key, const T& /*value*/) {
    names_.emplace_back(key);
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

// A key that is misspelt would take its condition along. "" where all are known.
template <class T>
std::string UnknownKey(const probe::Json& object) {
  const T one{};
  Keys keys;
  Fields(keys, one);
  for (const auto& [key, value] : object.items()) {
    if (std::find(keys.names().begin(), keys.names().end(), key) == keys.names().end())
      return fmt::format("there is no key '{}'{}", probe::CleanText(key, 64), Hint(key, keys.names()));
  }
  return "";
}

// Of a document that could be decoded.
std::string UnknownKeyOf(const probe::Json& table) {
  auto wrong = UnknownKey<TargetTable>(table);
  for (const probe::Json& build : table.at("builds")) {
    if (wrong.empty()) wrong = UnknownKey<Build>(build);
    if (wrong.empty() && build.contains("needs")) wrong = UnknownKey<BuildNeeds>(build.at("needs"));
    if (!wrong.empty() || !build.contains("missing")) continue;
    for (const probe::Json& one : build.at("missing")) {
      if (wrong.empty()) wrong = UnknownKey<Prerequisite>(one);
    }
  }
  return wrong;
}

// "whichgpu's PyTorch" and "pytorch" are one name.
bool IsCalled(const TargetTable& table, std::string_view word) {
  const auto name = probe::Lower(word);
  if (table.name == name) return true;
  return table.names && std::find(table.names->begin(), table.names->end(), name) != table.names->end();
}

}  // namespace

probe::Result<TargetTable> DecodeTarget(std::string_view name, std::string_view json) {
  const auto parsed = probe::ParseJson(json);
  if (!parsed) return parsed.error();
  const auto fail = [](std::string wrong) {
    return probe::Error{"decode", std::nullopt, "", std::move(wrong)};
  };
  if (const auto key = KeyOfNoLine(*parsed, "text"); !key.empty())
    return fail(probe::CleanText(key, 64) + ": it must be one line of printable ASCII");
  auto decoded = probe::Decode<TargetTable>(*parsed);
  if (!decoded) return decoded.error();
  Check check;
  Fields(check, std::as_const(*decoded));
  const auto wrong = check.wrong().empty() ? UnknownKeyOf(*parsed) : check.wrong();
  if (!wrong.empty()) return fail(wrong);
  decoded->name = name;
  return decoded;
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
      auto table = DecodeTarget(file, text);
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
