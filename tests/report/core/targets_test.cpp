// SPDX-License-Identifier: MIT
// Which tables of programs are taken, and that of those that are not the key is named.
#include "report/core/targets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/targets/targets.h"

#include "probe/core/codec.h"
#include "report/core/date.h"
#include "report/core/target_check.h"

namespace report {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Json Table() {
  return {
      {"format", 1},
      {"title", "Some program"},
      {"source", "its makers"},
      {"date", "2026-11-25"},
      {"absent", "it has builds for some"},
      {"names", {"some"}},
      {"uses", {"inference"}},
      {"visible", {{{"backend", "vulkan"}, {"variable", "SOME_DEVICES"}, {"source", "a document"}}}},
      {"builds",
       {{{"id", "one"},
         {"backend", "cuda"},
         {"uses", {"inference", "training"}},
         {"brings_runtime", true},
         {"needs",
          {{"os", {"linux"}},
           {"machine", {"x86_64"}},
           {"wsl", false},
           {"glibc", "2.28"},
           {"driver", "525.60.13"},
           {"driver_tested", "550"},
           {"driver_below", "590"},
           {"api", "12.0"},
           {"api_below", "14"},
           {"vendors", {"10de"}},
           {"kernel_drivers", {"nvidia"}},
           {"driver_names", {"NVIDIA"}},
           {"architectures", {"7.5"}},
           {"intermediate", "9.0"},
           {"architectures_below", "10.0"},
           {"features", {"avx2"}}}},
         {"package", "some[extra]"},
         {"version", ">=2.4,<2.7"},
         {"packages", {"other~=1.2"}},
         {"index", "https://download.some.example/whl/cu126"},
         {"extra_index", false},
         {"find_links", "https://some.example/whl?a=b&c"},
         {"asset", "some-{arch}.tar.gz"},
         {"provider", "CUDAExecutionProvider"},
         {"image", "some/image:1.2@sha256:abc"},
         {"options", {"--gpus", "all"}},
         {"cmake", {"-DA={architectures};x"}},
         {"command", "pip install 'some'"},
         {"runs_pip", true},
         {"on_host", true},
         {"note", "a note"},
         {"missing", {{{"library", "libsome.so.1"}, {"text", "a library"}, {"command", "apt install some"}}}},
         {"source", "a document"},
         {"date", "2026-01-02"}}}}};
}

std::string WrongOf(const Json& table) {
  const auto decoded = DecodeTarget("some", table.dump());
  return decoded ? "" : probe::Describe(decoded.error());
}

using Pointer = Json::json_pointer;

TEST(TargetTable, IsTakenWhole) {
  auto places = Table();
  places["builds"][0]["command"] = "V=${x} && get {arch} '{architectures}' {visible} && { echo ${y}; } {a,b}";
  places["builds"][0]["asset"] = "some-{version}-{arch}.tar.gz";
  EXPECT_EQ(WrongOf(places), "");
  auto old = Table();
  old.erase("format");
  EXPECT_EQ(WrongOf(old), "") << "the first format";
  EXPECT_EQ(WrongOf(Table()), "");
}

TEST(TargetTable, AListOfArchitecturesFillsThemIn) {
  auto table = Table();
  auto& needs = table["builds"][0]["needs"];
  needs.erase("architectures");
  needs["architectures_of"] = "xpu";
  const auto decoded = DecodeTarget("some", table.dump());
  ASSERT_TRUE(decoded) << probe::Describe(decoded.error());
  const auto* list = FindCodeList("xpu");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(decoded->builds.at(0).needs->architectures, list->architectures);
  EXPECT_EQ(FindCodeList("none"), nullptr);
}

// A list is of the runtime whose builds name it.
TEST(TargetTable, EveryListOfArchitecturesIsSomeBuildsOfItsRuntime) {
  ASSERT_FALSE(CodeLists().empty());
  for (const CodeList& list : CodeLists()) {
    int users = 0;
    EXPECT_FALSE(list.architectures.empty()) << list.name;
    EXPECT_NE(list.source, "") << list.name;
    EXPECT_TRUE(DayOf(list.date)) << list.name;
    for (const std::string& name : TargetNames()) {
      const auto table = EmbeddedTarget(name);
      ASSERT_TRUE(table) << name;
      for (const Build& build : table->builds) {
        if (!build.needs || build.needs->architectures_of != list.name) continue;
        ++users;
        EXPECT_EQ(build.backend, list.runtime) << name << " " << build.id;
      }
    }
    EXPECT_GT(users, 1) << list.name << ": a list of one build belongs into its row";
  }
}

// The program trusts its own.
TEST(TargetTable, ThoseOfThisBuildAreRight) {
  for (const auto& [name, text] : data::targets::Texts()) {
    const auto table = DecodeTarget(name, text);
    EXPECT_TRUE(table) << (table ? "" : probe::Describe(table.error()));
  }
}

TEST(VersionBounds, ContradictWhereNoVersionIsWithinThem) {
  for (const char* bounds :
       {">=2,<1", ">2,<2", ">=2,<2", "==1.5,>=2", "<=1.9,>1.10", "a>=2,<1.99", "~=3.1,<3"})
    EXPECT_TRUE(AreContradictory(bounds)) << bounds;
  for (const char* bounds : {"", "a", ">=2", ">=2,<3", ">=2,<=2", "==2", "==2.*,<1", "!=1,<2", ">=1.9,<1.10",
                             "==1.0rc1,>=2", "a[x]>=2.4,!=2.5,<2.7"})
    EXPECT_FALSE(AreContradictory(bounds)) << bounds;
}

TEST(TargetTable, NamesTheKeyThatIsWrong) {
  // Where, what stands there, and what the error says.
  const std::vector<std::tuple<std::string, Json, std::string>> rows = {
      {"/title", "", "title: it must be one line"},
      {"/title", 5, "title"},
      {"/source", "a\nb", "source: it must be one line"},
      {"/date", "25.11.2026", "date: it must be a date such as 2026-11-25"},
      {"/date", "2026-11-251", "date: it must be a date"},
      {"/date", "2026-02-30", "date: it must be a date such as 2026-11-25, not '2026-02-30'"},
      {"/builds/0/date", "2026-13-01",
       "date: it must be a date such as 2026-11-25 (build one), not '2026-13-01'"},
      {"/format", 3, "format: the table is of format 3, written for a newer whichgpu; this one reads 2"},
      {"/format", 18446744073709551615U, "written for a newer whichgpu"},
      {"/format", 0, "format: it must be a whole number from 1 on"},
      {"/format", "1", "format: it must be a whole number from 1 on"},
      {"/format", 1.5, "format: it must be a whole number from 1 on"},
      {"/visible/0/backend", "vulcan", "backend: 'vulcan' is no runtime; did you mean 'vulkan'?"},
      {"/visible/0/variable", "some devices", "variable: it must be a variable such as"},
      {"/visible/0/value", "0", "there is no key 'value'; known are"},
      {"/visible", Json::array(), "visible: it must not be empty"},
      {"/builds/0/backend", "cudda", "backend: 'cudda' is no runtime; did you mean 'cuda'? (build one)"},
      {"/builds/0/needs/os",
       {"linux", "Linuks"},
       "os: 'Linuks' is no system; did you mean 'linux'? (build one)"},
      {"/builds/0/needs/machine", {"amd64"}, "machine: 'amd64' is no machine; known are aarch64, x86_64"},
      {"/builds/0/needs/wsl", "yes", "wsl"},
      {"/builds/0/command", "   ", "command: it must be one line of printable ASCII that is not blank"},
      {"/builds/0/command", "make {arhc}",
       "command: nothing fills the place '{arhc}'; known are {architectures}"},
      {"/builds/0/command", "get {version}", "command: nothing fills the place '{version}'"},
      {"/builds/0/missing/0/command", "get {archs}", "command: nothing fills the place '{archs}'"},
      {"/builds/0/package", "some[{gfx}]", "package: nothing fills the place '{gfx}'"},
      {"/builds/0/asset", "some-{arch", "asset: nothing fills the place '{'"},
      {"/builds/0/image", "some:1}", "image: nothing fills the place '}'"},
      {"/names", Json::array(), "names: it must not be empty"},
      {"/uses", {"play"}, "uses: it must be of inference and training"},
      {"/builds", Json::array(), "builds: it must not be empty"},
      {"/builds", "none", "builds"},
      {"/builds/0/id", "One", "id: it must be small letters"},
      {"/builds/0/id", "a\nb", "id: it must be one line"},
      {"/builds/0/id", "A b", "(build A b)"},
      {"/builds/0/command", "one\ntwo", "command: it must be one line"},
      {"/builds/0/note", std::string(4097, 'x'), "note: it must be one line"},
      {"/builds/0/backend", "NVIDIA CUDA", "backend: it must be small letters"},
      {"/builds/0/uses", {"training", "both"}, "uses: it must be of inference and training (build one)"},
      {"/builds/0/brings_runtime", "yes", "brings_runtime"},
      {"/builds/0/needs/os", "linux", "os"},
      {"/builds/0/needs/machine", Json::array(), "machine: it must not be empty"},
      {"/builds/0/needs/glibc", "two", "glibc: it must be a version such as 12.8"},
      {"/builds/0/needs/driver", "580.x", "driver: it must be a version"},
      {"/builds/0/needs/driver", "9999999999999999999", "driver: it must be a version"},
      {"/builds/0/version", ">=2,<1",
       "version: no version is within all of its bounds (build one), not '>=2,<1'"},
      {"/builds/0/packages", {"other>=13.0,<=12"}, "packages: no version is within all of its bounds"},
      {"/builds/0/needs/driver_tested", "580.", "driver_tested: it must be a version"},
      {"/builds/0/needs/driver_below", ".", "driver_below: it must be a version"},
      {"/builds/0/needs/api", "12 0", "api: it must be a version"},
      {"/builds/0/needs/api_below", "v14", "api_below: it must be a version"},
      {"/builds/0/needs/intermediate", "sm_90", "intermediate: it must be a version"},
      {"/builds/0/needs/architectures", {"7.5", ""}, "architectures: it must be one line"},
      {"/builds/0/needs/architectures_of", "xpu",
       "architectures_of: it stands in the place of architectures, not beside them (build one)"},
      {"/builds/0/needs/architectures_of", "xup",
       "architectures_of: 'xup' is no list of data/code_lists.csv; did you mean 'xpu'? (build one)"},
      {"/builds/0/needs/drivers", "580", "there is no key 'drivers'; did you mean 'driver'?"},
      {"/builds/0/needs/features", 1, "features"},
      {"/builds/0/package", "-e", "package: it must be the name of a package"},
      {"/builds/0/package", "some; x", "package: it must be the name of a package"},
      {"/builds/0/version", "2.4", "version: it must be bounds such as"},
      {"/builds/0/packages", {"--index-url=https://elsewhere"}, "packages: it must be names of packages"},
      {"/builds/0/index", "some.example", "index: it must be an address"},
      {"/builds/0/index", "https://a b", "index: it must be an address"},
      {"/builds/0/find_links", "ftp://some.example", "find_links: it must be an address"},
      {"/builds/0/asset", "../some", "asset: it must be the name of a file"},
      {"/builds/0/provider", "a b", "provider: it must be a word"},
      {"/builds/0/image", "some AS other", "image: it must be an image"},
      {"/builds/0/options", {"--gpus all"}, "options: it must be words"},
      {"/builds/0/cmake", {"-DA=[x"}, "cmake: it must be words"},
      {"/builds/0/command", "make \\", "command: it must be one command of sh"},
      {"/builds/0/command", "cat <<END", "command: it must be one command of sh"},
      {"/builds/0/command", "[\"make\"]", "command: it must be one command of sh"},
      {"/builds/0/command", "--network=host make", "command: it must be one command of sh"},
      {"/builds/0/missing/0/text", "\t", "text: it must be one line"},
      {"/builds/0/missing/0/command", "# none", "command: it must be one command of sh"},
      {"/builds/0/missing/0/libary", "x", "there is no key 'libary'; did you mean 'library'?"},
      {"/builds/0/nedes", Json::object(), "there is no key 'nedes'; did you mean 'needs'?"},
      {"/titel", "x", "there is no key 'titel'; did you mean 'title'?"},
      {"/a\nkey", "x", "there is no key 'a\\x0akey'"}};
  for (const auto& [where, value, wanted] : rows) {
    auto table = Table();
    table[Pointer(where)] = value;
    EXPECT_THAT(WrongOf(table), HasSubstr(wanted)) << where;
  }
  for (const char* where : {"/title", "/source", "/date", "/builds", "/builds/0/id", "/builds/0/backend",
                            "/builds/0/missing/0/text"}) {
    auto table = Table();
    const Pointer at(where);
    table[at.parent_pointer()].erase(at.back());
    EXPECT_THAT(WrongOf(table), HasSubstr(at.back())) << where;
  }
  auto twice = Table();
  twice["builds"].push_back(twice["builds"][0]);
  EXPECT_THAT(WrongOf(twice), HasSubstr("id: 'one' stands twice"));
  // The first build is wrong, and no other is named.
  twice["builds"][1]["id"] = "two";
  twice["builds"][0]["needs"]["glibc"] = "two";
  EXPECT_THAT(WrongOf(twice), HasSubstr("12.8 (build one)"));
  EXPECT_THAT(WrongOf(twice), ::testing::Not(HasSubstr("(build two)")));
}

// Every text of a table, by where it stands.
void ForEachText(const Json& value, const Pointer& at, std::vector<Pointer>& all) {
  if (value.is_string()) all.push_back(at);
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) ForEachText(value[i], at / i, all);
  }
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) ForEachText(inner, at / key, all);
  }
}

// Where a text only people read, anything may stand that is one line; elsewhere nothing that a shell, CMake,
// pip or Docker takes for more than a word.
TEST(TargetTable, TakesNoTextThatMeansMoreThanItSays) {
  const std::set<std::string> read_by_people = {"title",         "source",      "absent", "note",
                                                "text",          "library",     "names",  "features",
                                                "architectures", "driver_names"};
  const std::vector<std::string> lines = {"$(touch canary)",
                                          "`touch canary`",
                                          "'; touch canary; '",
                                          "\"x",
                                          "${IFS}touch",
                                          "a && b",
                                          "a|b",
                                          "a>b c",
                                          "]=] ]==]",
                                          "# a",
                                          "\\",
                                          "!!",
                                          "~ x"};
  const std::vector<std::string> no_lines = {"a\nb",     "a\r", std::string("a\0b", 3), "\x1b[31m", "\t",
                                             "\xc3\xa9", ""};
  std::vector<Pointer> texts;
  ForEachText(Table(), Pointer(), texts);
  ASSERT_GT(texts.size(), 30U);
  for (const Pointer& at : texts) {
    const auto list = at.parent_pointer();
    const auto key = at.back().find_first_not_of("0123456789") == std::string::npos ? list.back() : at.back();
    const auto put = [&](const std::string& text) {
      auto table = Table();
      table[at] = text;
      return WrongOf(table);
    };
    for (const std::string& text : no_lines) EXPECT_NE(put(text), "") << at << text;
    for (const std::string& text : lines) {
      if (read_by_people.contains(key)) {
        EXPECT_EQ(put(text), "") << at << text;
      } else if (key != "command") {
        EXPECT_NE(put(text), "") << at << text;
      }
    }
  }
}

TEST(TargetTable, OfAnotherNameIsFoundByIt) {
  EXPECT_EQ(EmbeddedTarget("Torch")->name, "pytorch");
  EXPECT_EQ(EmbeddedTarget("PYTORCH")->name, "pytorch");
  EXPECT_THAT(EmbeddedTarget("pytroch").error().text, HasSubstr("did you mean 'pytorch'?"));
  EXPECT_THAT(EmbeddedTarget("a\nb").error().text, HasSubstr("'a\\x0ab'; known are backend, cmake"));
}

}  // namespace
}  // namespace report
