// SPDX-License-Identifier: MIT
#include "report/assume/cards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/runtimes/runtimes.h"

#include "probe/core/parse.h"
#include "report/assume/assume.h"
#include "report/assume/known_card.h"
#include "report/core/card_name.h"
#include "report/core/device_peak.h"
#include "report/core/tables.h"

namespace report::assume {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CardWords, AreCountedWithoutWhatSaysNothing) {
  EXPECT_EQ(WordsLeftOut("GeForce RTX 4060 Laptop GPU", "GeForce RTX 4060 Max-Q / Mobile"), 2U);
  EXPECT_EQ(WordsLeftOut("NVIDIA GH200 480GB", "NVIDIA GH200 (GPU)"), 0U) << "its memory says nothing more";
  EXPECT_EQ(WordsLeftOut("A100 40GB", "A100 PCIe 80GB"), std::nullopt);
  EXPECT_EQ(WordsLeftOut("rtx4060", "GeForce RTX 4060"), 1U);
  EXPECT_EQ(WordsLeftOut("Intel(R) Arc(TM) A770 Graphics", "Intel Arc A770"), 0U);
  EXPECT_EQ(WordsLeftOut("RTX 4060 Ti", "GeForce RTX 4060"), std::nullopt);
  EXPECT_EQ(WordsLeftOut("rtx4060ti", "GeForce RTX 4060"), std::nullopt);
  EXPECT_EQ(WordsLeftOut("A4", "RTX A500 4GB"), std::nullopt) << "no word is split into single letters";
  EXPECT_EQ(WordsLeftOut("NVIDIA GPU", "GeForce RTX 4060"), std::nullopt) << "that is no name";
}

TEST(CardWords, ACardIsNotTheOneWhoseNameGoesOn) {
  for (const char* name :
       {"Radeon RX 6900 XT", "AMD Radeon RX 6900 XT", "rx 6900 xt", "6900XT", "Radeon 6900 XT"})
    EXPECT_TRUE(IsCardsName(name, "Radeon RX 6900 XT")) << name;
  EXPECT_FALSE(IsCardsName("RX 9060", "Radeon RX 9060 XT"));
  EXPECT_FALSE(IsCardsName("RX 9060 XT LP", "Radeon RX 9060 XT"));
  EXPECT_FALSE(IsCardsName("RTX 6000", "RTX 6000 Ada"));
  EXPECT_TRUE(IsCardsName("Radeon VII", "Radeon VII"));
  EXPECT_FALSE(IsCardsName("Radeon", "Radeon VII"));
}

std::string ArchitectureOf(const std::string& text) {
  const auto machine = Imagine(*EmbeddedTables(), {text});
  if (!machine) return machine.error().text;
  return machine->devices.back().hardware->architecture.value_or("");
}

TEST(CardWords, OneLetterOrDigitIsNoCardHoweverOften) {
  for (const char* name : {"X", "!! !x", "X/X", "V/V", "A / A", "2/4"})
    EXPECT_THAT(ArchitectureOf(std::string("name=") + name), HasSubstr("no card called")) << name;
}

TEST(CardWords, OfSeveralPartsOfChipsOneIsToBeSaid) {
  for (const auto& [list, which] : {std::pair("M1 Pro/Max", "M1 Pro, M1 Max"),
                                    {"M4 Max/M3 Ultra", "M4 Max, M3 Ultra"},
                                    {"Orin/Orin Nano", "Orin, Orin Nano"}})
    EXPECT_THAT(ArchitectureOf(std::string("name=") + list),
                HasSubstr(std::string("say which one: ") + which));
}

TEST(CardWords, NamesAsPeopleWriteThemAreTheCards) {
  for (const char* name : {"GeForce RTX 4060 Laptop", "RTX 4060 Laptop GPU", "RTX 4060 Mobile", "rtx4060",
                           "NVIDIA GeForce RTX4090", "4070 super"})
    EXPECT_EQ(ArchitectureOf(std::string("vendor=nvidia,name=") + name), "sm_89") << name;
  EXPECT_EQ(ArchitectureOf("name=nvidia geforce rtx 3060 ti"), "sm_86");
  EXPECT_EQ(ArchitectureOf("name=A100-80GB"), "sm_80");
  EXPECT_EQ(ArchitectureOf("name=RX7900XTX"), "gfx1100");
  EXPECT_EQ(ArchitectureOf("name=Radeon 7900 XTX"), "gfx1100");
  EXPECT_THAT(ArchitectureOf("name=rtx4061"), HasSubstr("this version knows no card called 'rtx4061'"));
  for (const char* name : {"UHD Graphics 770", "uhd 770", "UHD770"})
    EXPECT_EQ(ArchitectureOf(std::string("name=") + name), "ip-12.2") << name << ": of chips of two names";
  EXPECT_EQ(NearestCard("RTX 3060 Tee"), "RTX 3060 Ti");
  EXPECT_EQ(NearestCard("UHD Graphics 630"), std::nullopt) << "that is what was given";
}

TEST(CardWords, ASlipIsTakenForACardOfItsOwnSeriesAlone) {
  for (const char* name : {"GTX 780", "MX150", "MX350", "Arc Graphics"})
    EXPECT_EQ(NearestCard(name), std::nullopt) << name;
  EXPECT_EQ(NearestCard("RTX 3095"), "RTX 3090");
  EXPECT_EQ(NearestCard("GeForce RTX 4091"), "GeForce RTX 4090");
  EXPECT_EQ(NearestCard("RTX 306"), "RTX 3060");
  EXPECT_EQ(NearestCard("Radon 8060S"), "Radeon 8060S");
  EXPECT_EQ(NearestCard("RX 5750"), "RX 5700") << "not the RX 570, of an older generation";
  EXPECT_EQ(NearestCard("Arc B58O"), "Arc B580");
  EXPECT_EQ(NearestCard("RTX 4O90"), "RTX 4090");
  EXPECT_EQ(NearestCard("RTX 3O60"), "RTX 3060");
  EXPECT_EQ(NearestCard("Strix Hallo"), "Strix Halo");
}

// The name of the rates' row that the described device has; empty: it has none.
std::string RatesOf(const std::string& text) {
  const auto machine = Imagine(*EmbeddedTables(), {text});
  if (!machine) return machine.error().text;
  const auto* found = FindPeak(EmbeddedPeaks(), machine->devices.back());
  return found ? std::string(found->name) : "";
}

TEST(CardWords, OneNameOfManyChipsHasNoRatesOfAnotherChip) {
  for (const char* name : {"Radeon Graphics", "AMD Radeon Graphics", "AMD Radeon(TM) Graphics"}) {
    const auto text = std::string("vendor=amd,name=") + name;
    EXPECT_THAT(RatesOf(text + ",gfx=gfx1036"), HasSubstr("Raphael")) << name << " of small processors";
    EXPECT_EQ(RatesOf(text + ",gfx=gfx1151"), "Radeon 8060S") << name;
    EXPECT_EQ(RatesOf(text), "") << name << " may be any of them";
    EXPECT_EQ(RatesOf(text + ",gfx=gfx90c"), "") << name << " of a chip that no row is called so";
    EXPECT_EQ(ArchitectureOf(text + ",gfx=gfx90c"), "gfx90c") << name;
  }
  EXPECT_THAT(ArchitectureOf("name=RX 7900 XTX,gfx=gfx1036"), HasSubstr("has gfx gfx1100"))
      << "a product's name is of its own chip";
}

// Kaveri's and Carrizo's processors have a GPU that is called as a series of cards is.
TEST(CardWords, ASeriesWithoutANumberIsPartOfAnOldProcessor) {
  for (const char* name : {"AMD Radeon R7 Graphics", "AMD Radeon(TM) R5 Graphics", "Radeon R6 Graphics",
                           "Kaveri [Radeon R7 Graphics]", "AMD Radeon R7 Graphics (RADV KAVERI)"}) {
    const auto machine = Imagine(*EmbeddedTables(), {std::string("name=") + name});
    ASSERT_TRUE(machine) << name;
    const auto& device = machine->devices.back();
    EXPECT_EQ(device.kind, probe::DeviceKind::kIntegrated) << name;
    EXPECT_EQ(device.hardware->architecture, "gfx700")
        << name << ", which its maker's own runtime never knew";
    EXPECT_EQ(FindPeak(EmbeddedPeaks(), device), nullptr) << name << " has no fast card's rates";
  }
  EXPECT_EQ(ArchitectureOf("name=Radeon R7 240"), "gfx602") << "a card";
}

std::vector<std::string> WarningsOf(const std::string& text) {
  const auto machine = Imagine(*EmbeddedTables(), {text});
  if (!machine) return {machine.error().text};
  std::vector<std::string> texts;
  for (const Warning& warning : machine->warnings) texts.push_back(warning.text);
  return texts;
}

TEST(CardWords, AShortNameOfTwoGenerationsIsTheOneOfTheStatedArchitecture) {
  EXPECT_EQ(RatesOf("name=RTX 6000,cc=8.9"), "NVIDIA RTX 6000 Ada");
  EXPECT_EQ(RatesOf("name=RTX 4000,cc=8.9"), "NVIDIA RTX 4000 Ada Generation");
  EXPECT_EQ(ArchitectureOf("name=RTX 5000,cc=8.9"), "sm_89");
  EXPECT_EQ(ArchitectureOf("name=Titan X,cc=6.1"), "sm_61");
  EXPECT_EQ(ArchitectureOf("name=Titan X,cc=5.2"), "sm_52");
  EXPECT_THAT(ArchitectureOf("name=RTX 6000,cc=6.1"), HasSubstr("has cc 7.5"));
  EXPECT_EQ(RatesOf("name=RTX 6000"), "Quadro RTX 6000");
  EXPECT_THAT(
      WarningsOf("name=RTX 6000"),
      ElementsAre("RTX 6000 is taken for NVIDIA's Quadro RTX 6000; for RTX 6000 Ada Generation give cc=8.9"));
  EXPECT_THAT(
      WarningsOf("name=NVIDIA RTX 4000"),
      Contains(
          "NVIDIA RTX 4000 is taken for NVIDIA's Quadro RTX 4000; for RTX 4000 Ada Generation give cc=8.9"));
  EXPECT_THAT(WarningsOf("name=Titan X"),
              Contains("Titan X is taken for NVIDIA's GeForce GTX TITAN X; for TITAN X Pascal give cc=6.1"));
  for (const char* name : {"Quadro RTX 6000", "RTX 6000 Ada Generation", "RTX 3050", "RTX 6000,cc=7.5"})
    EXPECT_THAT(WarningsOf(std::string("name=") + name), Not(Contains(HasSubstr("taken for")))) << name;
}

// Whether the card of that name has the row's rates, and nobody is warned of any.
void ExpectOwnRates(const DevicePeak& row, const std::string& name) {
  const auto machine = Imagine(*EmbeddedTables(), {"name=" + name});
  ASSERT_TRUE(machine) << name << ": " << machine.error().text;
  for (const Warning& warning : machine->warnings)
    EXPECT_THAT(warning.text, ::testing::Not(HasSubstr("rates"))) << name;
  const auto* found = FindPeak(EmbeddedPeaks(), machine->devices.back());
  ASSERT_NE(found, nullptr) << name;
  EXPECT_EQ(found->memory, row.memory) << name << " has those of " << found->name;
  EXPECT_EQ(found->fp32, row.fp32) << name << " has those of " << found->name;
}

TEST(CardWords, StandWithAndWithoutBlanks) {
  EXPECT_EQ(SpelledAs("NVIDIA RTX4070", "GeForce RTX 4070 SUPER"), "RTX 4070");
  EXPECT_EQ(SpelledAs("a100-sxm4-80gb", "A100 SXM4 80GB"), "A100 SXM4 80GB");
  EXPECT_EQ(SpelledAs("rtx407", "GeForce RTX 4070"), "") << "within a word";
  EXPECT_EQ(SpelledAs("x4070", "GeForce RTX 4070"), "");
  EXPECT_EQ(SpelledAs("", "GeForce RTX 4070"), "");
  EXPECT_EQ(SpelledAs("-", "GeForce RTX 4070"), "");
}

TEST(CardWords, EveryCardWhoseRatesAreKnownHasItsOwn) {
  for (const DevicePeak& row : EmbeddedPeaks().devices) {
    for (std::string_view rest = row.name; !rest.empty();) {
      std::string name(probe::Trim(probe::TakeUpTo(rest, '/')));
      ExpectOwnRates(row, name);
      std::erase(name, ' ');
      ExpectOwnRates(row, name);
    }
  }
}

TEST(CardWords, EveryCardWhoseMemoryIsKnownHasIt) {
  std::size_t cards = 0;
  for (const auto& [id, names, figures, memory, fp32, matrix16, int8, date, source] :
       probe::ParseTable<9>(data::CardPeaksText())) {
    std::string_view bytes;
    auto left = figures;
    for (auto rest = names; !figures.empty() && !rest.empty(); ++cards) {
      const std::string name(probe::Trim(probe::TakeUpTo(rest, '/')));
      if (!left.empty()) bytes = probe::Trim(probe::TakeUpTo(left, '/'));
      const auto machine = Imagine(*EmbeddedTables(), {"name=" + name});
      ASSERT_TRUE(machine) << name << ": " << machine.error().text;
      EXPECT_EQ(machine->devices.back().memory.total_bytes, probe::ParseNumber<std::uint64_t>(bytes)) << name;
    }
    EXPECT_TRUE(left.empty()) << names << " are fewer than their figures";
  }
  EXPECT_GT(cards, 100U);
}

TEST(CardWords, AnotherNameOfACardIsTakenForIt) {
  const auto taken = [](const std::string& text) {
    const auto machine = Imagine(*EmbeddedTables(), {text});
    if (!machine) return machine.error().text;
    const auto& warnings = machine->warnings;
    const auto said = std::find_if(warnings.begin(), warnings.end(), [](const Warning& warning) {
      return warning.text.find(" is taken for ") != std::string::npos;
    });
    return machine->devices.back().name + "; " + (said == warnings.end() ? "" : said->text);
  };
  const std::string halo = "Radeon 8060S; Strix Halo is taken for AMD's Radeon 8060S";
  EXPECT_EQ(taken("name=Strix Halo"), halo);
  EXPECT_EQ(taken("vendor=amd,name=Strix Halo"), halo);
  EXPECT_THAT(taken("name=AMD strix-halo"), HasSubstr("strix-halo is taken for AMD's Radeon 8060S"));
  EXPECT_THAT(taken("name=Ryzen AI Max+ 395 128GB"), HasSubstr("is taken for AMD's Radeon 8060S"));
  EXPECT_EQ(taken("name=AGX Orin"), "Orin; AGX Orin is taken for NVIDIA's Orin");
  EXPECT_EQ(taken("name=NVIDIA Jetson Orin Nano"),
            "Orin Nano; NVIDIA Jetson Orin Nano is taken for NVIDIA's Orin Nano");
  EXPECT_THAT(taken("name=Hawk Point"), HasSubstr("is taken for AMD's Radeon 780M"));
  EXPECT_EQ(taken("vendor=nvidia,name=Strix Halo"),
            "--assume: name: Radeon 8060S is a card of AMD, not NVIDIA");
  EXPECT_THAT(taken("name=Strix Hallo"), HasSubstr("did you mean 'Strix Halo'?"));
  EXPECT_EQ(taken("name=Radeon 8060S"), "Radeon 8060S; ") << "its own name is none of another";
}

TEST(CardWords, EveryOtherNameLeadsToACard) {
  ASSERT_GE(Aliases().size(), 20U);
  for (const Alias& alias : Aliases()) {
    const auto machine = Imagine(*EmbeddedTables(), {"name=" + std::string(alias.name)});
    ASSERT_TRUE(machine) << alias.name << ": " << machine.error().text;
    const auto& name = machine->devices.back().name;
    EXPECT_TRUE(name == alias.card || alias.card.starts_with(name + " (")) << name << ", not " << alias.card;
    const auto direct = Imagine(*EmbeddedTables(), {"name=" + std::string(alias.card)});
    ASSERT_TRUE(direct) << alias.card << ": " << direct.error().text;
    EXPECT_EQ(FindPeak(EmbeddedPeaks(), machine->devices.back()),
              FindPeak(EmbeddedPeaks(), direct->devices.back()));
  }
}

TEST(CardWords, ASmallerModuleHasItsOwnRates) {
  const auto memory = [](const std::string& name) {
    const auto machine = Imagine(*EmbeddedTables(), {"name=" + name});
    const auto* peak = machine ? FindPeak(EmbeddedPeaks(), machine->devices.back()) : nullptr;
    return peak ? peak->memory : std::nullopt;
  };
  EXPECT_EQ(memory("Orin"), 204.8e9) << "what every real one is called";
  EXPECT_EQ(memory("Orin NX"), 102.4e9);
  EXPECT_EQ(memory("Jetson Orin NX"), 102.4e9);
  EXPECT_EQ(memory("Orin Nano"), 68e9);
  EXPECT_EQ(memory("Orin Nano Super"), 102e9);
  for (const char* name : {"Orin NX", "Orin Nano", "AGX Orin"})
    EXPECT_EQ(ArchitectureOf(std::string("name=") + name), "sm_87") << name;
  EXPECT_EQ(memory("Arc A370M"), 112e9);
  EXPECT_EQ(memory("Arc A770M"), 512e9);
  EXPECT_EQ(memory("Arc A770"), 560e9);
}

TEST(CardWords, WithoutTheirKeyAreToldWithIt) {
  const auto refusal = [](const std::string& text) {
    return Imagine(*EmbeddedTables(), {text}).error().text;
  };
  EXPECT_EQ(refusal("RTX 4090"), "--assume: there is no key 'RTX 4090'; did you mean 'name=RTX 4090'?");
  EXPECT_THAT(refusal("rtx4090,memory=24GiB"), HasSubstr("did you mean 'name=rtx4090'?"));
  EXPECT_THAT(refusal("cc=8.9,A100"), HasSubstr("did you mean 'name=A100'?"));
  EXPECT_THAT(refusal("Strix Halo"), HasSubstr("did you mean 'name=Strix Halo'?"));
  EXPECT_THAT(refusal("NVIDIA"), HasSubstr("did you mean 'vendor=nvidia'?"));
  EXPECT_THAT(refusal("jetson-orin"), HasSubstr("did you mean --assume-machine jetson-orin?"));
  EXPECT_THAT(refusal("Graphics"), HasSubstr("there is no key 'Graphics'; known are vendor, name"));
  EXPECT_THAT(refusal("RTX 4090=1"), HasSubstr("there is no key 'RTX 4090'; known are")) << "it has a value";
  const auto machine = [](std::string_view name) { return TextsOfMachine(name).error().text; };
  EXPECT_EQ(machine("H100"),
            "--assume-machine: there is no machine 'H100'; --assume \"name=H100\" describes one "
            "with that GPU");
  EXPECT_THAT(machine("Strix Halo"), HasSubstr("did you mean 'strix-halo'?"));
}

}  // namespace
}  // namespace report::assume
