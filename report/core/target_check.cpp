// SPDX-License-Identifier: MIT
#include "report/core/target_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "report/core/date.h"
#include "report/core/suggest.h"
#include "report/core/tables.h"
#include "report/core/targets_fields.h"

namespace report {
namespace {

bool IsVersion(std::string_view text) {
  if (text.ends_with('.')) return false;
  while (!text.empty()) {
    const auto number = probe::TakeUpTo(text, '.');
    if (!probe::IsDigits(number) || !probe::ParseNumber<std::uint32_t>(number)) return false;
    if (text.empty()) return true;
  }
  return false;
}

// What a shell, a build file and a terminal take as it is, between quotes.
bool IsLine(std::string_view text) {
  constexpr std::size_t kLongest = 4096;
  return text.find_first_not_of(' ') != std::string_view::npos && text.size() <= kLongest &&
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
constexpr std::array<Form, 12> kForms = {
    {{"package", "._-[],{}", "", "it must be the name of a package, with extras"},
     {"version", "._+-*<>=!~,", "< > == != ~=", "it must be bounds such as >=2.4,<2.7"},
     {"packages", "._-[],+*<>=!~{}", "", "it must be names of packages with bounds"},
     {"index", "._-~:/?@&=+,%", kSchemes, "it must be an address such as https://example.org/simple"},
     {"find_links", "._-~:/?@&=+,%", kSchemes, "it must be an address such as https://example.org/simple"},
     {"asset", "._-+{}", "", "it must be the name of a file"},
     {"provider", "._-+", "", "it must be a word"},
     {"image", "._-:/@{}", "", "it must be an image such as ubuntu:24.04"},
     {"vendors", "", "", "it must be a maker's number on PCI such as 8086"},
     {"kernel_drivers", "_-", "", "it must be the name of a kernel's driver of letters, digits, - and _"},
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

bool IsVariable(std::string_view text) {
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
}

// The places that an answer fills, and in the name of a file what its readers do.
constexpr std::array<std::string_view, 3> kPlaces = {"{architectures}", "{arch}", "{visible}"};
constexpr std::string_view kVersionPlace = "{version}";

bool IsPlace(std::string_view key, std::string_view place) {
  return (key == "asset" && place == kVersionPlace) ||
         std::find(kPlaces.begin(), kPlaces.end(), place) != kPlaces.end();
}

// The first place in the text that nothing fills: in a command a name between braces that no shell reads,
// elsewhere any brace. "" where there is none.
std::string UnknownPlace(std::string_view key, std::string_view text) {
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyz_";
  const bool is_command = key == "command";
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '}' && !is_command) return "}";
    if (text[at] != '{') continue;
    const auto end = text.find_first_not_of(kName, at + 1);
    const bool is_named = end != std::string_view::npos && text[end] == '}' && end > at + 1;
    const bool is_shells = is_command && (!is_named || (at > 0 && text[at - 1] == '$'));
    if (is_shells) continue;
    if (!is_named) return "{";
    const auto place = text.substr(at, end + 1 - at);
    if (!IsPlace(key, place)) return std::string(place);
    at = end;
  }
  return "";
}

// Words of which all that there are is known.
struct ClosedSet {
  std::string_view key;
  std::string_view what;
  std::vector<std::string> words;
};

const std::vector<ClosedSet>& ClosedSets() {
  static const auto sets = [] {
    std::vector<ClosedSet> all = {{"backend", "runtime", {}},
                                  {"through", "runtime", {}},
                                  {"os", "system", {"linux", "macos", "windows"}},
                                  {"machine", "machine", {"aarch64", "x86_64"}},
                                  {"architectures_of", "list of data/code_lists.csv", {}}};
    for (const CodeList& list : CodeLists()) all.back().words.push_back(list.name);
    if (const auto& tables = EmbeddedTables()) {
      for (const auto& facts : tables->runtimes) {
        all[0].words.push_back(facts.name);
        all[1].words.push_back(facts.name);
      }
    }
    return all;
  }();
  return sets;
}

// Looks at every text of a build; what is wrong with the first odd one.
class Check {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    Look(key, value);
  }
  // "os: 'linuks' is no system; did you mean 'linux'? (build one)"
  [[nodiscard]] std::string wrong() const {
    return found_.empty() ? wrong_ : fmt::format("{}, not '{}'", wrong_, found_);
  }

 private:
  void Fail(const char* key, std::string_view what, std::string_view found = "") {
    if (!wrong_.empty()) return;
    wrong_ = fmt::format("{}: {}", key, what);
    found_ = probe::CleanText(std::string(found), 64);
  }
  void LookAtWord(const char* key, const std::string& value) {
    const auto& sets = ClosedSets();
    const auto set = std::find_if(sets.begin(), sets.end(),
                                  [&](const ClosedSet& one) { return one.key == std::string_view(key); });
    if (set == sets.end() || std::find(set->words.begin(), set->words.end(), value) != set->words.end())
      return;
    Fail(key,
         fmt::format("'{}' is no {}{}", probe::CleanText(value, 64), set->what, Hint(value, set->words)));
  }
  void LookAtPlaces(const char* key, const std::string& value) {
    constexpr std::array<std::string_view, 7> kFilled = {"package", "packages", "asset",  "image",
                                                         "options", "cmake",    "command"};
    if (std::find(kFilled.begin(), kFilled.end(), std::string_view(key)) == kFilled.end()) return;
    const auto place = UnknownPlace(key, value);
    if (place.empty()) return;
    Fail(key, fmt::format("nothing fills the place '{}'; known are {}", probe::CleanText(place, 64),
                          fmt::join(kPlaces, ", ")));
  }
  static bool IsOfVersion(std::string_view key) {
    constexpr std::array<std::string_view, 8> kVersions = {
        "glibc", "driver",    "driver_tested", "driver_below",
        "api",   "api_below", "intermediate",  "architectures_below"};
    return std::find(kVersions.begin(), kVersions.end(), key) != kVersions.end();
  }
  void Look(const char* key, const std::string& value) {
    const std::string_view name = key;
    if (IsOfVersion(name) && !IsVersion(value)) Fail(key, "it must be a version such as 12.8", value);
    if (name == "date" && !DayOf(value)) Fail(key, "it must be a date such as 2026-11-25", value);
    if ((name == "id" || name == "backend" || name == "through") && !IsWord(value))
      Fail(key, "it must be small letters, digits and . _ -", value);
    if (name == "variable" && !IsVariable(value))
      Fail(key, "it must be a variable such as SOME_VISIBLE_DEVICES", value);
    if (name == "command" && !IsCommand(value))
      Fail(key, "it must be one command of sh, without <<, and begin with a word", value);
    const auto* form =
        std::find_if(kForms.begin(), kForms.end(), [&](const Form& one) { return one.key == name; });
    if (form != kForms.end() && !HasForm(value, *form)) Fail(key, form->wants, value);
    if ((name == "version" || name == "packages") && AreContradictory(value))
      Fail(key, "no version is within all of its bounds", value);
    LookAtWord(key, value);
    LookAtPlaces(key, value);
  }
  void Look(const char* /*key*/, std::uint32_t /*value*/) {}
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
    if constexpr (std::is_same_v<T, ProgramVisibility>) {
      std::set<std::string_view> backends;
      for (const auto& one : values) {
        if (!backends.insert(one.backend).second)
          Fail("backend", fmt::format("'{}' stands twice in {}", one.backend, key));
      }
    }
    if constexpr (std::is_same_v<T, std::string>) {
      if (std::string_view(key) != "uses") return;
      for (const std::string& use : values) {
        if (use != kRunsModels && use != kTrainsModels)
          Fail(key, "it must be of inference and training", use);
      }
    }
  }
  void Look(const char* /*key*/, const BuildNeeds& value) {
    Fields(*this, value);
    if (value.architectures && value.architectures_of)
      Fail("architectures_of", "it stands in the place of architectures, not beside them");
  }
  void Look(const char* /*key*/, const Prerequisite& value) { Fields(*this, value); }
  void Look(const char* /*key*/, const ProgramVisibility& value) { Fields(*this, value); }
  void Look(const char* /*key*/, const Build& value) {
    const bool was_right = wrong_.empty();
    Fields(*this, value);
    if (was_right && !wrong_.empty()) wrong_ += fmt::format(" (build {})", probe::CleanText(value.id, 64));
  }

  std::string wrong_;
  std::string found_;  // what stands there
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
  if (wrong.empty() && table.contains("visible")) {
    for (const probe::Json& one : table.at("visible")) {
      if (wrong.empty()) wrong = UnknownKey<ProgramVisibility>(one);
    }
  }
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

// Before its keys, which another format may have changed.
std::string WrongFormat(const probe::Json& json) {
  if (!json.is_object() || !json.contains("format")) return "";
  const auto& format = json.at("format");
  if (!format.is_number_unsigned() || format == 0)
    return "format: it must be a whole number from 1 on, without quotes";
  if (format <= kTargetFormat) return "";
  return fmt::format("format: the table is of format {}, written for a newer whichgpu; this one reads {}",
                     format.dump(), kTargetFormat);
}

}  // namespace

std::string WrongBeforeDecoding(const probe::Json& json) {
  if (auto wrong = WrongFormat(json); !wrong.empty()) return wrong;
  const auto key = KeyOfNoLine(json, "text");
  return key.empty()
             ? ""
             : probe::CleanText(key, 64) + ": it must be one line of printable ASCII that is not blank";
}

std::string WrongWith(const probe::Json& json, const TargetTable& table) {
  Check check;
  Fields(check, table);
  return check.wrong().empty() ? UnknownKeyOf(json) : check.wrong();
}

}  // namespace report
