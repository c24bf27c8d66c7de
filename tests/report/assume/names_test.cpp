// SPDX-License-Identifier: MIT
// The names that people and drivers give a described GPU: what is one card's, one kind of chips', many
// cards', or nobody's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/core/tables.h"
#include "tests/report/assume/decided.h"
#include "tests/report/assume/refusal.h"

namespace report::assume {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Warnings(const std::string& text) {
  const auto machine = Imagine(*EmbeddedTables(), {text});
  if (!machine) return {machine.error().text};
  std::vector<std::string> texts;
  for (const Warning& warning : machine->warnings) texts.push_back(warning.text);
  return texts;
}

// What decides an answer, in one line.
std::string Seen(const std::string& name) {
  const auto machine = Imagine(*EmbeddedTables(), {"name=" + name});
  if (!machine) return machine.error().text;
  const auto& device = machine->devices.back();
  std::string seen = device.name + ";" + device.vendor.value_or("") + ";" +
                     device.hardware->architecture.value_or("") + ";" +
                     std::to_string(device.memory.total_bytes.value_or(0));
  if (const auto& ids = device.hardware->identity.ids) seen += ";" + std::to_string(ids->device);
  for (const Warning& warning : machine->warnings) seen += ";" + warning.text;
  return seen;
}

TEST(Names, MeanTheSameWithMarksOfTrademarks) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"Intel(R) Arc(TM) A770 Graphics", "Intel Arc A770 Graphics"},
      {"Intel(R) UHD Graphics 770", "Intel UHD Graphics 770"},
      {"Intel(R) Iris(R) Xe Graphics", "Intel Iris Xe Graphics"},
      {"AMD Radeon (TM) RX 480", "AMD Radeon RX 480"},
      {"NVIDIA\u00ae GeForce\u00ae RTX\u2122 4090", "NVIDIA GeForce RTX 4090"},
      {"GeForce(c) RTX 3060", "GeForce RTX 3060"}};
  for (const auto& [marked, plain] : rows) {
    EXPECT_EQ(Seen(marked), Seen(plain));
    EXPECT_EQ(Refusal("name=" + marked), "") << marked;
  }
}

// As lspci, vulkaninfo, glxinfo and nvidia-smi -L print them.
TEST(Names, AreTakenAsOtherToolsPrintThem) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"DG2 [Arc A770]", "Arc A770"},
      {"Intel Corporation Battlemage G21 [Arc B580]", "Arc B580"},
      {"NVIDIA Corporation AD102 [GeForce RTX 4090]", "GeForce RTX 4090"},
      {"03:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)",
       "GeForce RTX 4090"},
      {"0000:03:00.0 VGA compatible controller [0300]: Intel Corporation DG2 [Arc A770] [8086:56a0] (rev 08)",
       "Arc A770"},
      {"00:02.0 VGA compatible controller: Intel Corporation Alder Lake-S GT1 [UHD Graphics 770] (rev 0c) "
       "(prog-if 00 [VGA controller])",
       "UHD Graphics 770"},
      {"Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon PRO W7900]", "Radeon PRO W7900"},
      {"Mesa Intel(R) Arc(tm) A770 Graphics (DG2)", "Intel Arc A770 Graphics"},
      {"AMD Radeon RX 7900 XTX (RADV NAVI31)", "AMD Radeon RX 7900 XTX"},
      {"AMD Radeon RX 6800 XT (radeonsi, navi21, LLVM 15.0.6, DRM 3.49, 6.1.0-18-amd64)",
       "AMD Radeon RX 6800 XT"},
      {"NVIDIA GeForce RTX 4090/PCIe/SSE2", "NVIDIA GeForce RTX 4090"},
      {"GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-11111111-2222-3333-4444-555555555555)",
       "NVIDIA GeForce RTX 4090"},
      {"Apple M1 (G13G B1)", "Apple M1"},
      {"NVIDIA Corporation AD107M [GeForce RTX 4060 Max-Q / Mobile]", "GeForce RTX 4060 Max-Q / Mobile"},
      {"RTX 3080 (12 GB)", "RTX 3080 12GB"},
      {"NVIDIA Corporation GA102 [GeForce RTX 3080 12GB] (rev a1)", "GeForce RTX 3080 12GB"},
      {"Arc B580 LE", "Arc B580"},
      {"Arc B580 Limited Edition", "Arc B580"},
      {"RTX 4090 Founders Edition", "RTX 4090"}};
  for (const auto& [printed, plain] : rows) {
    EXPECT_EQ(Seen(printed), Seen(plain)) << printed;
    EXPECT_THAT(Seen(printed), Not(HasSubstr("--assume"))) << "nor is it refused";
  }
  const std::string with_commas = "AMD Radeon RX 6800 XT (radeonsi, navi21, LLVM 15.0.6)";
  EXPECT_EQ(Refusal("os=linux,name=" + with_commas + ",ram=64GiB"), "");
  EXPECT_EQ(Refusal("name=Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon PRO W7900],os=linux"), "");
  EXPECT_THAT(Refusal(with_commas), HasSubstr("did you mean 'name=AMD Radeon RX 6800 XT'?"))
      << "without its key";
}

TEST(Names, OfDriversAreOfTheCardThatTheTablesCallOtherwise) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"NVIDIA GeForce GTX 1650 with Max-Q Design", "NVIDIA GeForce GTX 1650 Max-Q"},
      {"NVIDIA GeForce RTX 2070 with Max-Q Design", "NVIDIA GeForce RTX 2070 Max-Q"},
      {"GPU 0: Quadro RTX 4000 with Max-Q Design (UUID: GPU-1)", "Quadro RTX 4000 Max-Q"},
      {"NVIDIA Quadro T1000 with Max-Q Design", "NVIDIA Quadro T1000 Max-Q"},
      {"AMD Radeon RX 580 Series (RADV POLARIS10)", "AMD Radeon RX 580"},
      {"AMD Custom GPU 0405 (RADV VANGOGH)", "AMD Custom GPU 0405"},
      {"AMD Custom GPU 0932 (RADV GALILEO)", "AMD Custom GPU 0932"}};
  for (const auto& [printed, plain] : rows) {
    EXPECT_EQ(Seen(printed), Seen(plain)) << printed;
    EXPECT_THAT(Seen(printed), Not(HasSubstr("--assume"))) << "nor is it refused";
  }
  EXPECT_THAT(Seen("NVIDIA Quadro T1000 with Max-Q Design"), HasSubstr("sm_75"));
  EXPECT_THAT(Seen("AMD Custom GPU 0932 (RADV VANGOGH)"), HasSubstr("gfx1033"));
  EXPECT_THAT(Refusal("name=Foo with Bar Design"),
              HasSubstr("this version knows no card called 'Foo with Bar Design'"));
  EXPECT_THAT(Seen("Radeon R7 200 Series"), HasSubstr("gfx704")) << "a series that a table has";
}

// What stands behind the name in parentheses, as its key would say it.
TEST(Names, OfManyChipsAreOfTheOneThatTheDriverNamesBesideThem) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"AMD Radeon Graphics (RADV RENOIR)", "AMD Radeon Graphics,gfx=gfx90c"},
      {"AMD Radeon Graphics (RADV GFX1150)", "AMD Radeon Graphics,gfx=gfx1150"},
      {"AMD Radeon Graphics (RADV GFX1103_R1)", "AMD Radeon Graphics,gfx=gfx1103"},
      {"AMD Radeon Graphics (RADV RAPHAEL_MENDOCINO)", "AMD Radeon Graphics,gfx=gfx1036"},
      {"AMD Radeon Graphics (radeonsi, rembrandt, LLVM 15.0.6, DRM 3.49)", "AMD Radeon Graphics,gfx=gfx1035"},
      {"Mesa Intel(R) Xe Graphics (TGL GT2)", "Intel Xe Graphics,ip=12.0"},
      {"Mesa Intel(R) Graphics (ADL GT2)", "Intel Graphics,ip=12.3"},
      {"Mesa Intel(R) Graphics (LNL)", "Intel Graphics,ip=20.4"},
      {"Intel(R) Arc(tm) Graphics (LNL)", "Intel Arc Graphics,ip=20.4"}};
  for (const auto& [printed, said] : rows) {
    EXPECT_EQ(Seen(printed), Seen(said)) << printed;
    EXPECT_THAT(Seen(printed), Not(HasSubstr("--assume"))) << "nor is it refused";
  }
  EXPECT_THAT(Seen("Mesa Intel(R) Graphics (RPL-S)"), HasSubstr("ip-12.2")) << "no table has it by that name";
  EXPECT_THAT(Seen("Mesa Intel(R) HD Graphics (BDW GT1)"), HasSubstr("ip-8.0"));
  EXPECT_THAT(Seen("AMD Radeon Graphics (RADV RENOIR),gfx=gfx1035"), HasSubstr("gfx1035"))
      << "what is said goes before";
  EXPECT_THAT(Seen("AMD Radeon RX 7900 XTX (RADV NAVI33)"), HasSubstr("gfx1100"))
      << "a card's own name goes before";
  EXPECT_EQ(Seen("AMD Radeon Graphics (RADV FOO1)"), Seen("AMD Radeon Graphics"));
}

TEST(Names, OfSeveralProductsAskForOne) {
  const std::string navi31 =
      "Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]";
  EXPECT_THAT(
      Refusal("name=" + navi31),
      HasSubstr(
          "name: 'Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M' is what several cards are called; say which "
          "one: Radeon RX 7900 XT, Radeon RX 7900 XTX, Radeon RX 7900 GRE, Radeon RX 7900M"));
  EXPECT_THAT(Refusal("name=Navi 33 [Radeon RX 7600/7600 XT/7600M XT/7600S/7700S / PRO W7600]"),
              HasSubstr("Radeon RX 7700S, PRO W7600"));
}

TEST(Names, ThatAreStillUnknownAreNotHalfRead) {
  EXPECT_THAT(
      Refusal("name=llvmpipe (LLVM 15.0.6, 256 bits)"),
      HasSubstr("name: llvmpipe draws on the processor and is no GPU; a machine without one is vendor=none"));
  EXPECT_THAT(Refusal("name=Radeon RX 7900 XTX Nitro+"), HasSubstr("did you mean 'Radeon RX 7900 XTX'?"));
  EXPECT_THAT(Refusal("name=Navi 99 [Radeon RX 99999]"),
              HasSubstr("this version knows no card called 'Navi 99 [Radeon RX 99999]'"));
  EXPECT_THAT(Refusal("name=NVIDIA Corporation AD102 [GeForce RTX 4O90]"),
              HasSubstr("did you mean 'GeForce RTX 4090'?"));
  EXPECT_THAT(Refusal("name=RTX 4090, vulkan"), HasSubstr("there is no key 'vulkan'"));
  EXPECT_THAT(Refusal("name=Foo (bar,os=linux"), HasSubstr("this version knows no card called 'Foo (bar'"));
  EXPECT_EQ(Refusal("vendor=nvidia,name=Foo (bar)"), "") << "beside its maker it may be any";
}

TEST(Names, OfManyCardsAskForOne) {
  for (const char* name :
       {"RTX",        "Nano",        "Ada",       "GeForce",    "Radeon", "Arc",    "Ti",
        "XT",         "Max",         "Pro",       "Ultra",      "Quadro", "Tesla",  "Battlemage",
        "Arrow Lake", "Meteor Lake", "Blackwell", "Radeon Pro", "Hopper", "Turing", "Xe2"}) {
    const auto text = Refusal(std::string("name=") + name);
    EXPECT_THAT(text,
                AllOf(HasSubstr("--assume: name: "), HasSubstr(name), HasSubstr("say which one, such as ")))
        << name;
  }
  EXPECT_THAT(Refusal("name=RTX"), HasSubstr("GeForce RTX "));
  EXPECT_THAT(Refusal("name=Battlemage"), HasSubstr("Arc Pro B"));
  EXPECT_THAT(Refusal("name=Hopper"),
              HasSubstr("Hopper is an architecture; say which one, such as GH200 144G HBM3e, H200"));
  EXPECT_THAT(Refusal("vendor=nvidia,name=RTX"), HasSubstr("say which one"));
  EXPECT_THAT(Refusal("vendor=nvidia,name=Hopper"), HasSubstr("is an architecture"));
}

// Each name that an error proposes is accepted.
TEST(Names, ThatAreProposedAreTaken) {
  for (const char* name : {"RTX", "Nano", "Ada", "Max", "Battlemage", "Blackwell", "Hopper", "Vega"}) {
    auto rest = Refusal(std::string("name=") + name);
    const std::string start = "such as ";
    ASSERT_NE(rest.find(start), std::string::npos) << name << ": " << rest;
    rest.erase(0, rest.find(start) + start.size());
    for (std::size_t comma = 0; comma != std::string::npos;
         rest.erase(0, comma == std::string::npos ? 0 : comma + 2)) {
      comma = rest.find(", ");
      EXPECT_EQ(Refusal("name=" + rest.substr(0, comma)), "");
    }
  }
}

// However it is written, and where a card has it in its name, too ("TITAN X Pascal"); also families of them.
TEST(Names, OfAnArchitectureAskForACard) {
  for (const char* name :
       {"Pascal", "pascal", "NVIDIA Pascal", "Xe-LP",  "Xe HPG",  "DG2",     "Alchemist",
        "Xe3",    "RDNA 3", "RDNA",          "CDNA 3", "GCN",     "Polaris", "Ada Lovelace",
        "Hopper", "Volta",  "Turing",        "Ampere", "Maxwell", "Kepler"})
    EXPECT_THAT(Refusal(std::string("name=") + name),
                HasSubstr(" is an architecture; say which one, such as "))
        << name;
  EXPECT_THAT(Refusal("name=Ada Lovelace"), HasSubstr("GeForce RTX 40"));
  EXPECT_THAT(Refusal("name=CDNA 3"), HasSubstr("MI3"));
  for (const char* name : {"TITAN X Pascal", "RTX 6000 Ada Generation", "Grace Hopper", "RDNA 9"})
    EXPECT_THAT(Refusal(std::string("name=") + name), Not(HasSubstr("is an architecture"))) << name;
}

TEST(Names, OfOneCardAreNotAskedForAgain) {
  EXPECT_EQ(Seen("Iris Xe MAX"), "Iris Xe MAX" + Seen("Iris Xe MAX Graphics").substr(20));
  EXPECT_THAT(Refusal("name=Intel Graphics"),
              AllOf(HasSubstr("'Intel Graphics' is many chips' own name"), HasSubstr("Intel Graphics (")));
}

// Of a series that is one maker's alone no other's card is meant.
TEST(Names, ASlipStaysWithTheMakerOfItsSeries) {
  EXPECT_EQ(Refusal("name=GTX 580"),
            "--assume: name: this version knows no card called 'GTX 580'; with a vendor it may be any");
  EXPECT_THAT(Refusal("name=RX 5750"), HasSubstr("with a vendor it may be any; did you mean 'RX 5700'?"));
}

TEST(Names, OfOneCardOrOneKindOfChipsAreTaken) {
  for (const char* name : {"Lunar Lake", "Panther Lake", "Tiger Lake", "Ponte Vecchio", "Van Gogh", "Orin",
                           "Radeon VII", "Titan X", "Titan RTX", "Iris Xe", "Navi 31", "4090", "H100", "M2",
                           "Arc Graphics", "UHD Graphics", "Radeon Graphics", "Steam Deck"})
    EXPECT_EQ(Refusal(std::string("name=") + name), "") << name;
  EXPECT_EQ(Refusal("vendor=intel,name=Lunar Lake"), "") << "which has an NPU, too";
}

TEST(Names, OfChipsOfSeveralArchitecturesSaySo) {
  for (const char* name : {"Intel UHD Graphics", "UHD Graphics", "HD Graphics", "Arc Graphics"})
    EXPECT_THAT(Warnings(std::string("name=") + name),
                Contains(AllOf(HasSubstr("chips with ip "), HasSubstr("ip says which is meant"))))
        << name;
  for (const char* name :
       {"UHD Graphics,ip=12.2", "Arc Graphics,ip=20.4", "UHD Graphics 770", "Lunar Lake", "Radeon Graphics"})
    EXPECT_THAT(Warnings(std::string("name=") + name), Not(Contains(HasSubstr("says which is meant"))))
        << name;
}

// Meteor Lake-H, as sycl-ls of a Core Ultra 7 165H prints it (12.71.4); that of a Meteor Lake-U is no Arc.
TEST(Names, TheArcOfAMeteorLakeIsOfTheLargerChip) {
  EXPECT_THAT(Warnings("name=Arc Graphics"), Contains(HasSubstr("chips with ip 12.71, 20.4 have a GPU")));
  EXPECT_THAT(Seen("Intel Arc Graphics (Meteor Lake-P)"), HasSubstr("ip-12.71"));
}

TEST(Names, AReleaseOfTheSameGenerationIsTaken) {
  for (const char* text :
       {"UHD Graphics 630,ip=9.5", "UHD Graphics 630,ip=9.2", "Arc Graphics,ip=12.71", "Arc A770,ip=12.56"})
    EXPECT_EQ(Refusal(std::string("name=") + text), "") << text;
  EXPECT_THAT(Refusal("name=UHD Graphics 630,ip=12.2"), HasSubstr("UHD Graphics 630 has ip 9.2 or 9.7"));
  EXPECT_THAT(Refusal("name=Arc Graphics,ip=9.5"), HasSubstr("Arc Graphics has ip 12.71 or 20.4"));
  for (const char* name : {"Arc Graphics", "Intel Arc Graphics"})
    EXPECT_THAT(Refusal(std::string("name=") + name + ",ip=12.74"),
                HasSubstr("Arc Graphics has ip 12.71 or 20.4"))
        << "12.74 has matrix engines";
  EXPECT_THAT(Refusal("name=Arc 140T,ip=12.70"), HasSubstr("has ip 12.74"));
  EXPECT_THAT(Refusal("name=UHD Graphics,ip=20.1"),
              HasSubstr("has ip 9.1 or 9.2 or 9.4 or 9.5 or 9.6 or 9.7 or 11.0 or 11.2 or 12.0 or"));
  EXPECT_THAT(Refusal("name=Arc B580,ip=20.4"), HasSubstr("has ip 20.1")) << "builds tell them apart";
  EXPECT_THAT(Refusal("name=Arc 140V,ip=20.1"), HasSubstr("has ip 20.4"));
  EXPECT_THAT(Refusal("name=Arc A770,ip=12.50"), HasSubstr("has ip 12.55"));
  EXPECT_THAT(Refusal("name=RTX 3060,cc=8.9"), HasSubstr("has cc 8.6")) << "of these each is its own";
}

TEST(Names, InOtherLettersAreNotMatchedByWhatIsLeft) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"R\u0422X 4090", "RTX 4090"},                 // a Cyrillic T
      {"\u0420\u0422\u0425 4090", "PTX 4090"},       // all of it, whose first letter looks like a P
      {"RTX \uff14\uff10\uff19\uff10", "RTX 4090"},  // wide digits
      {"\uff32\uff38 \uff17\uff19\uff10\uff10 XTX", "RX 7900 XTX"}};
  for (const auto& [name, looks] : rows)
    EXPECT_THAT(Refusal("name=" + name), HasSubstr("has letters or digits that no card's name has")) << looks;
  for (const auto i : {0U, 2U, 3U})
    EXPECT_THAT(Refusal("name=" + rows[i].first), HasSubstr("did you mean '" + rows[i].second + "'?"));
  for (const char* name : {"\u663e\u5361 4090", "\u30ec\u30fc\u30c7\u30aa\u30f3 7900"})
    EXPECT_THAT(Refusal(std::string("name=") + name), HasSubstr("has letters or digits")) << name;
  EXPECT_THAT(Refusal("vendor=nvidia,name=R\u0422X 4090"), HasSubstr("did you mean 'RTX 4090'?"));
  EXPECT_EQ(Refusal("vendor=amd,name=\u8655\u7406"), "") << "of a maker's card anybody may say anything";
  EXPECT_THAT(Refusal("R\u0422X 4090"), Not(HasSubstr("name=R\u0422X"))) << "nor proposed";
}

TEST(Names, OfMacsThatWereNeverSoldAreRefused) {
  EXPECT_THAT(Refusal("name=Apple M2,memory=900GB"),
              HasSubstr("memory: Apple M2 was sold with 24 GiB at most, and 838 GiB are assumed"));
  EXPECT_THAT(Refusal("name=Apple M2,ram=64GiB"), HasSubstr("ram: Apple M2 was sold with 24 GiB at most"));
  EXPECT_THAT(Refusal("name=M4 Max 256GB"), HasSubstr("M4 Max was sold with 128 GiB at most"));
  for (const char* text :
       {"name=Apple M2,memory=24GiB", "name=M2 Ultra,memory=192GB", "name=M3 Ultra,ram=512GiB",
        "vendor=apple,name=M9,memory=2TiB", "vendor=apple,memory=900GB"})
    EXPECT_EQ(Refusal(text), "") << text;
}

TEST(Names, OfChipsThatLinuxDoesNotKnowAreOfMacs) {
  EXPECT_THAT(Refusal("name=Apple M3,os=linux"), HasSubstr("os: no driver of Linux knows the GPU of an M3"));
  EXPECT_THAT(Refusal("name=M4 Pro,os=linux"), HasSubstr("say os=macos"));
  EXPECT_EQ(Refusal("name=Apple M2,os=linux"), "") << "Asahi Linux has a driver";
  EXPECT_EQ(Refusal("name=M4 Pro"), "");
}

// Metal is no part of Linux, and no step may be to install what can not be there.
TEST(Names, OfAMacsChipLeadOnLinuxToMesasDrivers) {
  const auto report = Decided({"name=M1,os=linux,ram=16GiB"}, Model::kUsual, Use::kInference);
  std::string steps;
  for (const Finding& finding : report.findings) {
    for (const Fix& fix : finding.fix) steps += fix.text + "\n";
  }
  EXPECT_THAT(steps, HasSubstr("a Mesa with Honeykrisp, its driver for Apple's GPUs (for OpenCL rusticl)"));
  EXPECT_THAT(steps, Not(HasSubstr("the runtime of its vendor")));
  EXPECT_THAT(
      Warnings("name=M1,os=linux,ram=16GiB"),
      Contains("nobody says what reaches M1, of whose maker no runtime is there: say what is installed, "
               "such as runtime=opencl:vulkan"));
  for (const char* text : {"name=M1,os=linux,runtime=vulkan", "name=M1,os=linux,runtime=none", "name=M1",
                           "name=RTX 4090", "name=Vega 64"})
    EXPECT_THAT(Warnings(text), Each(Not(HasSubstr("nobody says what reaches")))) << text;
}

TEST(Names, NvidiaHasNoRuntimeOnMacos) {
  const auto machine = Imagine(*EmbeddedTables(), {"vendor=nvidia,os=macos"});
  ASSERT_TRUE(machine);
  EXPECT_TRUE(machine->devices.back().views.empty());
  EXPECT_THAT(Refusal("vendor=nvidia,os=macos,runtime=cuda"),
              HasSubstr("runtime: CUDA is for linux and windows"));
}

// macOS brings no driver of Vulkan: MoltenVK, which people add, is one.
TEST(Names, NothingIsTakenForARuntimeThatMacosHasNot) {
  for (const char* text : {"name=RX 580", "gfx=gfx803", "gfx=gfx701"}) {
    const auto machine = Imagine(*EmbeddedTables(), {std::string(text) + ",os=macos"});
    ASSERT_TRUE(machine) << text;
    EXPECT_TRUE(machine->devices.back().views.empty()) << text;
    EXPECT_THAT(Warnings(std::string(text) + ",os=macos"), Not(Contains(HasSubstr("ROCm")))) << text;
  }
  const auto added = Imagine(*EmbeddedTables(), {"name=RX 580,os=macos,runtime=vulkan"});
  ASSERT_TRUE(added);
  EXPECT_FALSE(added->devices.back().views.empty());
}

// What would be refused is not proposed.
TEST(Names, ARuntimeThatCanNotBeThereIsNotAskedFor) {
  const auto machine = Imagine(*EmbeddedTables(), {"vendor=nvidia"});
  ASSERT_TRUE(machine);
  const auto why = [&](std::string_view module) -> std::string {
    for (const auto& probe : machine->probes) {
      if (probe.module == module) return probe.error ? probe.error->text : "";
    }
    return "nobody asked";
  };
  EXPECT_EQ(why("metal"), "Metal is part of macOS");
  EXPECT_EQ(why("hip"), "it is for GPUs of AMD alone, and none is described");
  EXPECT_THAT(why("vulkan"), HasSubstr("(runtime=vulkan)"));
}

}  // namespace
TEST(Names, ThatOthersPrintAreOfTheMakerThatTheyBeginWith) {
  EXPECT_THAT(Refusal("name=Intel Corporation [RTX 4090]"), HasSubstr("is a card of NVIDIA, not Intel"));
  EXPECT_THAT(Refusal("name=03:00.0 VGA compatible controller: NVIDIA Corporation [Arc B580]"),
              HasSubstr("is a card of Intel, not NVIDIA"));
  EXPECT_THAT(Seen("NVIDIA Corporation Device [10de:2684]"), HasSubstr(";NVIDIA;;")) << "no table's card";
  EXPECT_THAT(Seen("Advanced Micro Devices, Inc. [AMD/ATI] Device [1002:7550] (rev c0)"),
              HasSubstr(";AMD;;"));
}

TEST(Names, OfSeveralProductsAreAskedForHoweverTheyArePrinted) {
  for (const char* name :
       {"[Radeon RX 7900 XT/7900 XTX]", "Radeon RX 7900 XT/7900 XTX", "Navi 31 [Radeon RX 7900 XT/7900 XTX]",
        "Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XT/7900 XTX]"})
    EXPECT_THAT(Refusal(std::string("name=") + name), HasSubstr("say which one: Radeon RX 7900 XT,")) << name;
  EXPECT_EQ(Refusal("name=NVIDIA Corporation GA106M [GeForce RTX 3060 Mobile / Max-Q]"), "") << "one row's";
  EXPECT_THAT(Refusal("name=NVIDIA Corporation TU117M [GeForce GTX 1650 Mobile / Max-Q]"),
              HasSubstr("say which one: GeForce GTX 1650 Mobile, GeForce GTX 1650 Max-Q"))
      << "which is slower";
  EXPECT_THAT(Refusal("name=RX 6750 GRE 10GB / 12GB"),
              HasSubstr("say which one: RX 6750 GRE 10GB, RX 6750 GRE 12GB"));
  EXPECT_THAT(Refusal("name=NVIDIA Corporation TU102GL [Tesla T10 16GB / GRID RTX T10-2/T10-4/T10-8]"),
              HasSubstr("say which one: Tesla T10 16GB, GRID RTX T10-2, GRID RTX T10-4, GRID RTX T10-8"));
  EXPECT_THAT(Refusal("name=Radeon R9 290/390"), HasSubstr("say which one: Radeon R9 290, Radeon R9 390"));
  for (const char* name : {"Tesla T10 16GB", "GRID RTX T10-4", "R9 290", "R9 390", "T400 4GB", "T400E"})
    EXPECT_EQ(Refusal(std::string("name=") + name), "") << name;
}

TEST(Names, OfAListThatATableHasAreOfItsRow) {
  EXPECT_THAT(Seen("RTX 2000 / 2000E Ada Generation"), HasSubstr(";10416")) << "28b0, and not RTX 2000 alone";
  EXPECT_THAT(Seen("GeForce GTX 960 OEM / 970M"), HasSubstr("OEM / 970M;NVIDIA;sm_52;0;5080")) << "13d8";
  EXPECT_THAT(Seen("GeForce RTX 4060 Max-Q / Mobile"), HasSubstr(";8589934592;10400"))
      << "with the memory of all of them";
}

// One of them that no table has may be anything.
TEST(Names, OfAListAreOfItsFirstWhereAllAreKnown) {
  EXPECT_THAT(Refusal("name=RX 7900 XT/7999 XTX"), HasSubstr("is what several cards are called"));
  EXPECT_EQ(Refusal("name=Radeon RX 7600M/7600M XT"), "");
}

// With their own memory and rates, and no question nor warning but of what else is there.
TEST(Names, OfDataCentersCardsAreTakenAsTheDriverPrintsThem) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"NVIDIA H100 80GB HBM3", "sm_90;85899345920;9008"},
      {"A100-SXM-80GB", "sm_80;85899345920;8370"},
      {"NVIDIA A100-SXM4-40GB", "sm_80;42949672960;8368"},
      {"NVIDIA A100 80GB PCIe", "sm_80;85899345920;8373"},
      {"NVIDIA L40S", "sm_89;51539607552;9913"},
      {"NVIDIA GH200 480GB", "sm_90;103079215104;9026"},
      {"NVIDIA GH200 144G HBM3e", "sm_90;154618822656;9032"},
      {"NVIDIA H200", "sm_90;151397597184;9013"},
      {"NVIDIA B200", "sm_100;193273528320;10497"},
      {"Tesla V100-SXM2-16GB", "sm_70;17179869184;7601"},
      {"Tesla V100-SXM2-32GB", "sm_70;34359738368;7605"},
      {"Tesla P100-PCIE-16GB", "sm_60;17179869184;5624"},
      {"Tesla P100-SXM2-16GB", "sm_60;17179869184;5625"}};
  for (const auto& [name, seen] : rows) EXPECT_EQ(Seen(name), name + ";NVIDIA;" + seen);
}

TEST(Names, OfAPartOfACardAreNotTheWholeCards) {
  EXPECT_THAT(Refusal("name=NVIDIA A100-SXM4-40GB MIG 1g.5gb"),
              AllOf(HasSubstr("is a part of a card, and no table has the rates of a part"),
                    HasSubstr("'name=NVIDIA A100-SXM4-40GB,memory=5GB' has those of the whole card")));
  EXPECT_THAT(Refusal("name=A100-SXM4-40GB 1g.5gb"), HasSubstr("'name=A100-SXM4-40GB,memory=5GB' has"));
  EXPECT_THAT(Refusal("vendor=nvidia,name=NVIDIA H100 80GB HBM3 MIG 1g.10gb+me"),
              HasSubstr("memory=10GB' has"));
  EXPECT_THAT(Refusal("name=NVIDIA A100 80GB PCIe MIG 1c.3g.40gb"), HasSubstr("memory=40GB"));
  EXPECT_EQ(Refusal("vendor=nvidia,cc=8.0,memory=5GB,name=NVIDIA A100-SXM4-40GB MIG 1g.5gb"), "");
}

TEST(Names, OfASeriesAreNoCards) {
  for (const char* name : {"AMD Radeon R9", "R9", "Radeon R7"})
    EXPECT_THAT(Refusal(std::string("name=") + name),
                AllOf(HasSubstr("is no card's own name"), HasSubstr("say which one, such as Radeon R")))
        << name;
  EXPECT_THAT(Refusal("name=Radeon R9 Foo"), Not(HasSubstr("did you mean 'Radeon R9'")));
  for (const char* name : {"M2", "T4", "L4", "P4", "Radeon R7 Graphics"})
    EXPECT_EQ(Refusal(std::string("name=") + name), "") << name;
}

TEST(Names, OfMachinesAreNoCards) {
  EXPECT_THAT(Refusal("name=dgx"), HasSubstr("is no card, but the first word of machines' names; "
                                             "--assume-machine takes dgx-a100, dgx-h100"));
  EXPECT_THAT(Refusal("name=DGX H100"), HasSubstr("did you mean --assume-machine dgx-h100?"));
  for (const char* name : {"DGX Spark", "Steam Deck", "Strix Halo", "Jetson Orin"})
    EXPECT_EQ(Refusal(std::string("name=") + name), "") << name;
}

// lspci has the chip before the name, and Mesa behind it.
TEST(Names, OfManyChipsAreOfTheOneThatStandsBesideThem) {
  EXPECT_EQ(Seen("Intel Corporation TigerLake-LP GT2 [Iris Xe Graphics] (rev 01)"),
            Seen("Intel Iris Xe Graphics (Tiger Lake-LP)"));
  EXPECT_THAT(Seen("Intel Corporation CometLake-U GT2 [UHD Graphics]"),
              HasSubstr("(Comet Lake-U);Intel;ip-9.7"));
  EXPECT_THAT(Seen("[AMD/ATI] Cezanne [Radeon Vega Series / Radeon Vega Mobile Series]"),
              HasSubstr("gfx90c"));
  for (const char* name : {"Mesa Intel(R) Iris(R) Xe Graphics (TGL GT2)", "Iris Xe,ip=12.0"})
    EXPECT_THAT(Seen(name), AllOf(HasSubstr("ip-12.0"), Not(HasSubstr("is taken for")))) << name;
  EXPECT_THAT(Refusal("name=Lunar Lake [Intel Arc Graphics 130V / 140V]"), HasSubstr("say which one"))
      << "which has fewer cores";
}

// rocminfo and clinfo have an architecture in the place of a name.
TEST(Names, OfAnArchitecturesNumberSayItsKey) {
  for (const char* name : {"gfx1100", "GFX1100"})
    EXPECT_THAT(Refusal(std::string("name=") + name),
                HasSubstr("gfx1100 is an architecture, which gfx=gfx1100 says"));
  for (const char* text : {"vendor=amd,gfx=gfx1100,name=gfx1100", "name=gfx1100,gfx=gfx1100"})
    EXPECT_EQ(Refusal(text), "") << text;
  EXPECT_THAT(Refusal("name=gfx1100,gfx=gfx906"), HasSubstr("which gfx=gfx1100 says"));
  EXPECT_EQ(Seen("AMD Instinct MI300X OAM"), Seen("AMD Instinct MI300X"));
  EXPECT_EQ(Seen("Mesa DRI Intel(R) UHD Graphics 620 (KBL GT2)"), Seen("Intel UHD Graphics 620"));
}

TEST(Names, OfAChipsVegaAreNoCards) {
  for (const char* name :
       {"AMD Radeon(TM) RX Vega 10 Graphics", "AMD Radeon Vega 10 Graphics", "Vega 8", "Vega 11"})
    EXPECT_THAT(Seen(name), AllOf(HasSubstr("gfx902"), Not(HasSubstr("rates")))) << name;
}

TEST(Names, ASizeOfMemoryIsNone) {
  for (const char* name : {"16GB", "24GiB", "16 GB", "(24 GiB)", "8GB 16GB", "12"})
    EXPECT_THAT(Refusal(std::string("name=") + name), HasSubstr("is no card's name; a card's is such as"))
        << name;
  EXPECT_THAT(Refusal("name=(R)"), HasSubstr("name: it is empty"));
}

}  // namespace report::assume
