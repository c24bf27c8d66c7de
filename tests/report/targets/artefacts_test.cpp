// SPDX-License-Identifier: MIT
// What every row of every program gives to who installs, held against texts that were read and compared with
// the rows' sources (tests/report/golden/targets). Nothing of a row's texts can change unseen.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/targets/targets.h"

#include "probe/core/codec.h"
#include "probe/core/parse.h"
#include "report/targets/build.h"
#include "tests/report/golden.h"

namespace report::targets {
namespace {

using probe::Json;

// An answer that has something for every place of a row's texts.
Recommendation SomeAnswer() {
  Recommendation answer;
  answer.architecture = "ARCH";
  answer.architectures = {"ARCH", "OTHER"};
  answer.environment = {{"VARIABLE", "VISIBLE", Selects::kDevice}};
  return answer;
}

void Add(std::string_view key, const std::optional<std::string>& value, std::string& text) {
  if (value) text += fmt::format("  {}: {}\n", key, *value);
}

// No address stands outside data/: a number in the place of its host, by which another one is seen.
std::string WithoutHosts(const std::string& text) {
  constexpr std::string_view kScheme = "://";
  std::string without;
  std::string_view rest = text;
  for (auto at = rest.find(kScheme); at != std::string_view::npos; at = rest.find(kScheme)) {
    without += rest.substr(0, at + kScheme.size());
    rest.remove_prefix(at + kScheme.size());
    const auto host = rest.substr(0, rest.find_first_of("/ \n"));
    std::uint32_t number = 2166136261U;  // FNV-1a
    for (const char c : host) number = (number ^ static_cast<unsigned char>(c)) * 16777619U;
    without += fmt::format("{:08x}", number);
    rest.remove_prefix(host.size());
  }
  return without + std::string(rest);
}

std::string Shown(const TargetTable& table, const Build& build) {
  const auto answer = SomeAnswer();
  const auto artefact = ArtefactOf(table, build, answer);
  auto text = fmt::format("{}\n", build.id);
  if (build.needs && build.needs->architectures)
    text += fmt::format("  code for: {}\n", fmt::join(*build.needs->architectures, " "));
  Add("through", build.through, text);
  Add("command", CommandOf(build, artefact, answer), text);
  for (const auto& requirement : artefact.requirements) text += fmt::format("  requires: {}\n", requirement);
  Add(artefact.extra_index ? "extra index" : "index", artefact.index, text);
  Add("find links", artefact.find_links, text);
  Add("asset", artefact.asset, text);
  Add("provider", artefact.provider, text);
  Add("image", artefact.image, text);
  if (artefact.options) text += fmt::format("  options: {}\n", fmt::join(*artefact.options, " "));
  for (const auto& variable : artefact.cmake) text += fmt::format("  cmake: {}\n", variable);
  Add("note", artefact.note, text);
  for (const auto& one : artefact.missing) text += fmt::format("  missing: {}\n", one);
  if (artefact.runs_pip) text += "  by pip\n";
  if (artefact.on_host) text += "  on the host\n";
  return WithoutHosts(text);
}

TEST(Artefacts, AreWhatTheRowsSourcesSay) {
  for (const std::string& name : TargetNames()) {
    const auto table = EmbeddedTarget(name);
    ASSERT_TRUE(table) << name;
    std::string text;
    for (const Build& build : table->builds) text += Shown(*table, build);
    testing::ExpectGolden("targets/" + name, text);
  }
}

// Without it, and with another.
std::vector<Json> Changed(const Json& build, const std::string& key) {
  auto without = build;
  without.erase(key);
  auto other = build;
  auto& value = other[key];
  if (value.is_boolean()) return {std::move(without)};
  if (value.is_array() && value.empty()) value = Json::array({""});
  auto& first = value.is_array() ? value[0] : value;
  auto& text = first.is_object() ? first["text"] : first;
  if (text.is_string()) text = text.get<std::string>() + "0";
  return {std::move(without), std::move(other)};
}

// What is for those who mind the table alone.
bool IsUnshown(const std::string& key) {
  constexpr std::array<std::string_view, 3> kUnshown = {"source", "date", "library"};
  return std::find(kUnshown.begin(), kUnshown.end(), key) != kUnshown.end();
}

bool IsCondition(const std::string& key) {
  constexpr std::array<std::string_view, 5> kConditions = {"id", "backend", "uses", "needs",
                                                           "brings_runtime"};
  return std::find(kConditions.begin(), kConditions.end(), key) != kConditions.end();
}

TEST(Artefacts, NoTextOfARowChangesUnseen) {
  for (const auto& [name, text] : data::targets::Texts()) {
    const auto json = Json::parse(text);
    const auto table = *DecodeTarget(name, text);
    for (std::size_t i = 0; i < table.builds.size(); ++i) {
      for (const auto& [key, value] : json.at("builds")[i].items()) {
        if (IsUnshown(key) || IsCondition(key)) continue;
        for (auto& build : Changed(json.at("builds")[i], key)) {
          auto changed = json;
          changed["builds"][i] = std::move(build);
          const auto decoded = DecodeTarget(name, changed.dump());
          if (!decoded) continue;  // refused is seen
          EXPECT_NE(Shown(*decoded, decoded->builds[i]), Shown(table, table.builds[i]))
              << name << " " << table.builds[i].id << ": " << key;
        }
      }
    }
  }
}

// Of cmd and PowerShell, and of sh there, which take these in double quotes for more than themselves.
TEST(Artefacts, WindowsHasACommandThatItsShellsTake) {
  for (const char* name : {"llama.cpp", "ollama", "comfyui"}) {
    const auto table = EmbeddedTarget(name);
    ASSERT_TRUE(table) << name;
    for (const Build& build : table->builds) {
      if (!build.needs || build.needs->os != std::vector<std::string>{"windows"}) continue;
      const auto command = CommandOf(build, ArtefactOf(*table, build, SomeAnswer()), SomeAnswer());
      ASSERT_TRUE(command) << name << " " << build.id;
      // PowerShell 5.1 knows no &&, and its curl is another program; in quotes it is given to cmd as it
      // stands.
      const bool is_for_cmd = command->starts_with("cmd /c \"") && command->ends_with('"');
      EXPECT_EQ(command->find_first_of(is_for_cmd ? "$`%!|" : "$`%!&|"), std::string::npos)
          << name << " " << build.id;
      EXPECT_EQ((" " + *command).find(" curl "), std::string::npos) << name << " " << build.id;
    }
  }
}

TEST(Artefacts, WhatIsOfWindowsIsInNoOtherSystemsCommand) {
  for (const std::string& name : TargetNames()) {
    const auto table = EmbeddedTarget(name);
    ASSERT_TRUE(table) << name;
    for (const Build& build : table->builds) {
      if (build.needs && build.needs->os == std::vector<std::string>{"windows"}) continue;
      const auto command =
          CommandOf(build, ArtefactOf(*table, build, SomeAnswer()), SomeAnswer()).value_or("");
      for (const char* word : {"cmd /c", "curl.exe", "powershell", "winget"})
        EXPECT_EQ(command.find(word), std::string::npos) << name << " " << build.id;
    }
  }
}

// A shell that is given nothing ends with 0: a fetch that failed would be an installation that did not.
TEST(Artefacts, NothingIsFetchedIntoAShell) {
  for (const std::string& name : TargetNames()) {
    const auto table = EmbeddedTarget(name);
    ASSERT_TRUE(table) << name;
    for (const Build& build : table->builds) {
      const auto command =
          CommandOf(build, ArtefactOf(*table, build, SomeAnswer()), SomeAnswer()).value_or("");
      for (const char* shell : {"| sh", "| bash", "|sh", "|bash"})
        EXPECT_EQ(command.find(shell), std::string::npos) << name << " " << build.id;
    }
  }
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::string_view rest = text;
  while (!rest.empty()) words.emplace_back(probe::TakeUpTo(rest, ' '));
  return words;
}

// The first thing that the command for what is missing fetches and the build's own does, too.
std::string FetchedTwice(const TargetTable& table, const Build& build, const std::string& command) {
  constexpr std::size_t kVerb = 8;  // sudo, apt-get, install
  const auto artefact = ArtefactOf(table, build, SomeAnswer());
  const auto own = Words(CommandOf(build, artefact, SomeAnswer()).value_or(""));
  for (const std::string& word : Words(command)) {
    const bool is_own = word.size() > kVerb && std::find(own.begin(), own.end(), word) != own.end();
    const bool is_required = std::any_of(
        artefact.requirements.begin(), artefact.requirements.end(), [&](const std::string& requirement) {
          return requirement.substr(0, requirement.find_first_of("[<>=!~")) == word;
        });
    if (is_own || is_required) return word;
  }
  return "";
}

TEST(Artefacts, WhatTheCommandInstallsIsNotMissing) {
  for (const std::string& name : TargetNames()) {
    const auto table = EmbeddedTarget(name);
    ASSERT_TRUE(table) << name;
    for (const Build& build : table->builds) {
      for (const Prerequisite& one : build.missing.value_or(std::vector<Prerequisite>()))
        EXPECT_EQ(FetchedTwice(*table, build, one.command.value_or("")), "") << name << " " << build.id;
    }
  }
}

}  // namespace
}  // namespace report::targets
