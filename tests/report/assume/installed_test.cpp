// SPDX-License-Identifier: MIT
// What is taken to be installed for GPUs that their maker's own runtime does not serve, or few programs have
// code for by that, and what they are answered by.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/pci_table.h"
#include "report/assume/assume.h"
#include "report/core/impossible.h"
#include "report/core/tables.h"
#include "report/core/targets.h"
#include "tests/report/assume/decided.h"

namespace report::assume {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Machine Of(const std::string& text) {
  auto machine = Imagine(*EmbeddedTables(), {text});
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().text);
  return machine ? *std::move(machine) : Machine{};
}

std::vector<std::string> Runtimes(const std::string& text) {
  std::vector<std::string> names;
  const auto machine = Of(text);
  for (const auto& view : machine.devices.at(1).views) names.push_back(view.device.runtime);
  return names;
}

Recommendation AnswerOf(const std::string& text, const char* target = nullptr, Use use = Use::kInference) {
  Terms terms;
  if (target != nullptr) terms.target = *EmbeddedTarget(target);
  const auto report = Decided({text}, Model::kUsual, use, terms);
  EXPECT_FALSE(report.recommendations.empty()) << text;
  return report.recommendations.empty() ? Recommendation{} : report.recommendations.front();
}

// By the system, too: AMD's runtime for Windows knows no Vega, and NVIDIA's driver has Vulkan for a Kepler,
// of which a K80's for Windows has no graphics interface.
TEST(Installed, WhatTheMakersRuntimeDoesNotServeHasWhatProgramsUseThere) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> rows = {
      {"name=Vega 64,os=windows", {"vulkan"}},
      {"gfx=gfx906,os=windows", {"vulkan"}},
      {"name=Vega 64,os=linux", {"hip"}},
      {"name=Vega 64", {"hip"}},
      {"name=Vega 64,os=windows,runtime=hip", {"hip"}},
      {"gfx=gfx1030,os=windows", {"hip"}},
      {"name=RX 6600,os=windows", {"hip", "vulkan"}},
      {"name=RX 6600", {"hip"}},
      {"name=Arc A770,os=windows", {"level_zero"}},
      {"name=RX 580,os=windows", {"vulkan"}},
      {"name=RX 580,os=linux", {"vulkan"}},
      {"name=RX 580,os=macos", {}},
      {"name=Vega 64,wsl=yes", {"hip"}},
      {"name=Tesla K80", {"cuda", "vulkan"}},
      {"name=Tesla K80,os=windows", {"cuda"}},
      {"name=Tesla K80,wsl=yes", {"cuda"}},
      {"name=Tesla K80,runtime=cuda", {"cuda"}},
      {"cc=3.0,os=windows", {"cuda", "vulkan"}},
      {"cc=3.5", {"cuda", "vulkan"}},
      {"cc=3.5,os=macos,arch=x86_64", {}},
      {"cc=2.0", {"cuda"}},
      {"cc=5.0", {"cuda"}}};
  for (const auto& [text, runtimes] : rows) EXPECT_EQ(Runtimes(text), runtimes) << text;
  EXPECT_THAT(Of("name=Vega 64,os=windows").warnings,
              ElementsAre("ROCm does not serve gfx900 on windows: Vulkan is taken to be what is installed"));
  EXPECT_THAT(Of("name=Tesla K80").warnings,
              ElementsAre("llama.cpp, Ollama and ONNX Runtime have no code for cc 3.7 by CUDA: Vulkan, which "
                          "the graphics driver brings, is taken to be there, too"));
}

TEST(Installed, WhatOneProgramLacksIsNoWarningForAnother) {
  const std::string text = "name=RX 6600,os=windows";
  const auto warns = [&](const char* program) {
    const auto table = *EmbeddedTarget(program);
    const auto machine = Imagine(*EmbeddedTables(), {text}, &table);
    EXPECT_TRUE(machine);
    return machine && !machine->warnings.empty();
  };
  EXPECT_THAT(Of(text).warnings,
              ElementsAre("Ollama has no code for gfx1032 by ROCm: Vulkan, which the graphics driver brings, "
                          "is taken to be there, too"));
  EXPECT_TRUE(warns("ollama"));
  for (const char* program : {"llama.cpp", "pytorch"}) EXPECT_FALSE(warns(program)) << program;
}

TEST(Installed, ATableOfTheCallersOwnIsAskedAndNotTheBuiltInOne) {
  auto table = *EmbeddedTarget("ollama");
  for (Build& build : table.builds) {
    if (build.backend == "hip" && build.needs) build.needs->architectures->push_back("gfx1032");
  }
  const auto machine = Imagine(*EmbeddedTables(), {"name=RX 6600,os=windows"}, &table);
  ASSERT_TRUE(machine);
  EXPECT_THAT(machine->warnings, ElementsAre());
}

// The lists of the runtimes' tables (`also`) against those of the programs: each row for a program's sake.
TEST(Installed, ARuntimeIsTakenToBeBroughtWhereAProgramHasNoCodeByTheOwn) {
  std::size_t rows = 0;
  for (const RuntimeFacts& facts : EmbeddedTables()->runtimes) {
    if (!facts.target || !facts.target->also) continue;
    for (const RuntimeInstead& row : *facts.target->also) {
      for (const std::string& os : row.os.value_or(std::vector<std::string>{"linux"})) {
        for (const std::string& architecture : row.architectures) {
          const auto text = fmt::format("{}={},os={},arch=x86_64", facts.target->key, architecture, os);
          for (const std::string& program : row.programs.value_or(std::vector<std::string>{""})) {
            const auto table = EmbeddedTarget(program);
            const auto machine = Imagine(*EmbeddedTables(), {text}, table ? &*table : nullptr);
            ASSERT_TRUE(machine) << text;
            EXPECT_THAT(machine->warnings, Contains(HasSubstr("no code for"))) << text << ' ' << program;
          }
          ++rows;
        }
      }
    }
  }
  EXPECT_GT(rows, 0U);
}

// AMD's driver for Windows, and Mesa's for Linux, has Vulkan for every GPU that its runtime there serves.
TEST(Installed, NoArchitectureThatAProgramLacksIsLeftOutOfTheList) {
  const auto* facts = Find(*EmbeddedTables(), "hip");
  ASSERT_NE(facts, nullptr);
  std::set<std::string> of_cards;
  for (const probe::PciRow& row : probe::PciRows()) of_cards.emplace(row.target);
  std::size_t lacked = 0;
  for (const auto& [os, program] : {std::pair("windows", ""), std::pair("linux", "ollama")}) {
    const Setting setting{.os = os, .machine = "x86_64", .program = program};
    const auto table = EmbeddedTarget(program);
    for (const std::string& architecture : facts->target->known.value_or(std::vector<std::string>{})) {
      const auto text = fmt::format("gfx={},os={}", architecture, os);
      const bool has_graphics = architecture != "gfx908";  // MI100
      if (!has_graphics || !of_cards.contains(architecture) || !Imagine(*EmbeddedTables(), {text}) ||
          UnservedOf(*facts, architecture, setting) != nullptr)
        continue;
      const bool is_lacked =
          !WithoutCode(*facts, architecture, "vulkan", setting, table ? &*table : nullptr).empty();
      EXPECT_EQ(BroughtBeside(*facts, architecture, setting) != nullptr, is_lacked) << text;
      lacked += is_lacked ? 1 : 0;
    }
  }
  EXPECT_GT(lacked, 0U);
}

// The runtime for which programs have code there, with a program's name and without.
TEST(OldCards, AreAnsweredByWhatProgramsRunThereBy) {
  const auto by = [](const std::string& text, const char* target, Use use = Use::kInference) {
    const auto answer = AnswerOf(text, target, use);
    return answer.backend + (answer.artefact ? " " + answer.artefact->id : "");
  };
  const std::string vega = "name=Vega 64,os=windows";
  EXPECT_EQ(by(vega, nullptr), "vulkan");
  EXPECT_EQ(by(vega, "llama.cpp"), "vulkan win-vulkan-x64");
  EXPECT_EQ(by(vega, "ollama"), "vulkan win-vulkan");
  EXPECT_EQ(by(vega, nullptr, Use::kTraining), "cpu");
  EXPECT_EQ(by(vega, "pytorch", Use::kTraining), "cpu cpu-windows");
  EXPECT_EQ(by("name=Vega 64", nullptr), "hip");
  EXPECT_EQ(by("name=Vega 64", "ollama"), "vulkan vulkan");
  EXPECT_EQ(by("name=RX 5700 XT", "ollama"), "vulkan vulkan");
  EXPECT_EQ(by("name=RX 7900 XTX", "ollama"), "hip rocm");
  EXPECT_EQ(by("name=Arc A770,os=windows", "ollama"), "vulkan win-vulkan");
  EXPECT_EQ(by("name=Arc A770", "ollama"), "vulkan vulkan");
  EXPECT_EQ(by("name=Arc A770", nullptr), "level_zero");
  EXPECT_EQ(by("name=Arc A770", "pytorch", Use::kTraining), "level_zero xpu");
  EXPECT_EQ(by("name=RX 6600,os=windows", nullptr), "hip");
  EXPECT_EQ(by("name=RX 6600,os=windows", "ollama"), "vulkan win-vulkan");
  EXPECT_EQ(by("name=RX 6600,os=windows", "llama.cpp"), "hip win-rocm-x64");
  const std::string k80 = "name=Tesla K80";
  EXPECT_EQ(by(k80, nullptr), "vulkan");
  EXPECT_EQ(by(k80, "llama.cpp"), "vulkan vulkan-x64");
  EXPECT_EQ(by(k80, "ollama"), "vulkan vulkan");
  EXPECT_EQ(by(k80, nullptr, Use::kTraining), "cuda");
  EXPECT_EQ(by(k80, "pytorch", Use::kTraining), "cuda cu118-kepler");
  EXPECT_EQ(by("cc=3.0", nullptr), "vulkan") << "no program has code by CUDA";
  EXPECT_EQ(by("name=GTX 980", nullptr), "cuda");
}

// Of equals, by the programs that are named for each; where others alone have code, the answer names them.
TEST(OldCards, SayWhichProgramHasCode) {
  const auto k80 = AnswerOf("name=Tesla K80");
  ASSERT_FALSE(k80.reasons.empty());
  EXPECT_THAT(k80.reasons.front().text,
              HasSubstr("equal to cuda, and the programs that are named for it have code for the device"));
  EXPECT_THAT(k80.warnings, Not(Contains(HasSubstr("few programs"))));
  const auto trained = AnswerOf("cc=3.5", nullptr, Use::kTraining);
  EXPECT_EQ(trained.backend, "cuda");
  EXPECT_THAT(trained.warnings,
              Contains(AllOf(HasSubstr("few programs train on NVIDIA sm_35 by CUDA: PyTorch's"),
                             HasSubstr("has no code for 3.5"), HasSubstr("what has: TensorFlow ("))));
  const auto windows = AnswerOf("name=Tesla K80,os=windows");
  EXPECT_EQ(windows.backend, "cuda");
  EXPECT_THAT(windows.warnings,
              Contains(AllOf(HasSubstr("few programs run models on Tesla K80 by CUDA: llama.cpp's"),
                             HasSubstr("what has: "))));
  EXPECT_THAT(AnswerOf("name=GTX 980").warnings, Not(Contains(HasSubstr("few programs"))));
}

}  // namespace
}  // namespace report::assume
