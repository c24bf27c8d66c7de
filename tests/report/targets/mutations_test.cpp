// SPDX-License-Identifier: MIT
// A table in which a row could be changed and nobody would notice has a row too many, or its expectations
// (tests/report/targets/*.csv) a line too few.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/targets/targets.h"

#include "probe/core/codec.h"
#include "report/core/architecture.h"
#include "report/core/tables.h"
#include "tests/report/targets/bounds.h"
#include "tests/report/targets/expected.h"

namespace report::targets {
namespace {

using probe::Json;

// A build with one change, and what that was.
struct Mutant {
  std::string what;
  Json build;
};

// The last number of a version one more or, where it can be, one less. What devices compile is moved past all
// of its generation, whose machine code may be there beside it, and down to all devices.
std::string Moved(const std::string& key, const std::string& version, bool up) {
  constexpr std::string_view kCompiled = "intermediate";
  const auto whole = key == kCompiled ? version.substr(0, version.find('.')) : version;
  if (!up) return key == kCompiled ? "0" : Before(whole);
  const auto start = whole.rfind('.') == std::string::npos ? 0 : whole.rfind('.') + 1;
  return fmt::format("{}{}{}", whole.substr(0, start), std::stoi(whole.substr(start)) + 1,
                     key == kCompiled ? ".9" : "");
}

bool IsVersionKey(std::string_view key) {
  constexpr std::array<std::string_view, 7> kVersions = {
      "glibc", "driver", "driver_tested", "driver_below", "api", "api_below", "intermediate"};
  return std::find(kVersions.begin(), kVersions.end(), key) != kVersions.end();
}

// Other code of the build runs wherever this one's does.
bool IsImplied(const Json& build, const Json& names, const Json& dropped) {
  const auto* facts = Find(*EmbeddedTables(), build.at("backend").get<std::string>());
  if (!facts || !facts->target) return false;
  const auto compiled = build.at("needs").value("intermediate", "");
  if (!compiled.empty() && CompareVersions(compiled, dropped.get<std::string>()) <= 0) return true;
  std::vector<std::string> others;
  for (const Json& name : names) {
    if (name != dropped) others.push_back(name.get<std::string>());
  }
  return HasCodeFor(*facts->target, others, dropped.get<std::string>());
}

void AddOfLists(const Json& build, const std::string& key, const std::vector<std::string>& path,
                std::vector<Mutant>& mutants) {
  Json::json_pointer place;
  for (const auto& step : path) place /= step;
  place /= key;
  const Json list = build.at(place);
  for (std::size_t i = 0; list.size() > 1 && i < list.size(); ++i) {
    if (key == "architectures" && IsImplied(build, list, list[i])) continue;
    auto changed = build;
    changed.at(place).erase(i);
    mutants.push_back({fmt::format("{} without {}", key, list[i].dump()), std::move(changed)});
  }
}

std::vector<Mutant> MutantsOf(const Json& build) {
  std::vector<Mutant> mutants;
  const auto without = [&](const std::string& key) {
    auto changed = build;
    changed.erase(key);
    return changed;
  };
  for (const char* key : {"uses", "brings_runtime"}) {
    if (build.contains(key)) mutants.push_back({fmt::format("no {}", key), without(key)});
  }
  for (const auto& facts : EmbeddedTables()->runtimes) {
    if (facts.name == build.at("backend")) continue;
    auto changed = build;
    changed["backend"] = facts.name;
    mutants.push_back({"backend " + facts.name, std::move(changed)});
  }
  if (build.contains("uses")) AddOfLists(build, "uses", {}, mutants);
  if (!build.contains("needs")) return mutants;
  for (const auto& [key, value] : build.at("needs").items()) {
    if (key == "driver_tested" && value == build.at("needs").value("driver", "")) continue;  // says no more
    auto changed = build;
    changed["needs"].erase(key);
    mutants.push_back({fmt::format("no {}", key), changed});
    if (value.is_array()) AddOfLists(build, key, {"needs"}, mutants);
    if (value.is_boolean()) {
      changed["needs"][key] = !value.get<bool>();
      mutants.push_back({fmt::format("other {}", key), changed});
    }
    if (!IsVersionKey(key)) continue;
    for (const bool up : {true, false}) {
      changed["needs"][key] = Moved(key, value, up);
      mutants.push_back({fmt::format("{} {}", key, Moved(key, value, up)), changed});
    }
  }
  return mutants;
}

// With the architectures of the list that a build names in its row, so that each of them is dropped in turn.
Json WithLists(Json table) {
  for (Json& build : table.at("builds")) {
    if (!build.contains("needs") || !build["needs"].contains("architectures_of")) continue;
    const auto* list = FindCodeList(build["needs"]["architectures_of"].get<std::string>());
    EXPECT_NE(list, nullptr) << build.at("id");
    build["needs"].erase("architectures_of");
    if (list != nullptr) build["needs"]["architectures"] = list->architectures;
  }
  return table;
}

bool IsNoticed(const std::string& name, const TargetTable& mutant, const Build& build) {
  const auto bounds = std::find_if(AllBounds().begin(), AllBounds().end(), [&](const Bounds& one) {
    return one.target == name && one.build == build.id;
  });
  if (bounds != AllBounds().end() && !Difference(*bounds, build).empty()) return true;
  return std::any_of(AllExpected().begin(), AllExpected().end(), [&](const Expected& expected) {
    return expected.target == name &&
           AnswerOf(Answered(expected, mutant)) != Answer(expected.backend, expected.build);
  });
}

class Mutations : public ::testing::TestWithParam<std::string> {};

TEST_P(Mutations, OfEveryFieldThatDecidesBreakAnExpectation) {
  const auto& texts = data::targets::Texts();
  const auto found =
      std::find_if(texts.begin(), texts.end(), [](const auto& one) { return one.first == GetParam(); });
  ASSERT_NE(found, texts.end());
  const auto table = WithLists(Json::parse(found->second));
  for (std::size_t i = 0; i < table.at("builds").size(); ++i) {
    for (auto& mutant : MutantsOf(table.at("builds")[i])) {
      auto changed = table;
      changed["builds"][i] = std::move(mutant.build);
      const auto decoded = DecodeTarget(GetParam(), changed.dump());
      ASSERT_TRUE(decoded) << mutant.what << ": " << decoded.error().text;
      EXPECT_TRUE(IsNoticed(GetParam(), *decoded, decoded->builds[i]))
          << GetParam() << " " << table.at("builds")[i].at("id") << ": " << mutant.what;
    }
  }
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& program) {
  std::string name = program.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Targets, Mutations, ::testing::ValuesIn(TargetNames()), NameOf);

// The row itself, too.
TEST(Targets, EveryRowIsSomeMachinesAnswer) {
  for (const std::string& name : TargetNames()) {
    const auto table = EmbeddedTarget(name);
    ASSERT_TRUE(table) << name;
    for (std::size_t i = 0; i < table->builds.size(); ++i) {
      auto without = *table;
      without.builds.erase(without.builds.begin() + static_cast<std::ptrdiff_t>(i));
      const bool matters = std::any_of(AllExpected().begin(), AllExpected().end(), [&](const auto& expected) {
        return expected.target == name && expected.build == table->builds[i].id &&
               AnswerOf(Answered(expected, without)) != Answer(expected.backend, expected.build);
      });
      EXPECT_TRUE(matters) << name << " " << table->builds[i].id;
    }
  }
}

}  // namespace
}  // namespace report::targets
