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
  while (!text.empty()) {
    if (!probe::IsDigits(probe::TakeUpTo(text, '.'))) return false;
    if (text.empty()) return true;
  }
  return false;
}

// What a shell, a build file and a terminal take as it is, between quotes.
bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
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
    if (value.empty() || !IsPrintable(value)) return Fail(key, "it must be one line of printable ASCII");
    if (IsOfVersion(name) && !IsVersion(value)) Fail(key, "it must be a version such as 12.8");
    if (name == "date" && !IsDate(value)) Fail(key, "it must be a date such as 2026-11-25");
    if ((name == "id" || name == "backend") && !IsWord(value))
      Fail(key, "it must be small letters, digits and . _ -");
  }
  void Look(const char* /*key*/, bool /*value*/) {}
  template <class T>
  void Look(const char* key, const std::optional<T>& value) {
    if (value) Look(key, *value);
  }
  template <class T>
  void Look(const char* key, const std::vector<T>& values) {
    if (values.empty()) Fail(key, "it must not be empty");
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
    Fields(*this, value);
    if (!wrong_.empty() && wrong_.find(" of ") == std::string::npos)
      wrong_ += fmt::format(" (build {})", value.id);
  }

  std::string wrong_;
};

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
  auto decoded = probe::Decode<TargetTable>(*parsed);
  if (!decoded) return decoded.error();
  Check check;
  Fields(check, std::as_const(*decoded));
  if (!check.wrong().empty()) return probe::Error{"decode", std::nullopt, "", check.wrong()};
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
