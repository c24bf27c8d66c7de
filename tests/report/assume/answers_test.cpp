// SPDX-License-Identifier: MIT
// What described machines are answered, where facts are missing or shared.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "report/assume/assume.h"
#include "report/core/devices.h"
#include "report/core/tables.h"
#include "report/core/targets.h"
#include "report/decide/decide.h"
#include "tests/report/assume/decided.h"

namespace report::assume {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Matches;
using ::testing::Not;

struct Asking {
  std::vector<std::string> texts;
  Terms terms{};
  Use use = Use::kInference;
  Model model = Model::kUsual;
};

Report ReportOf(const Asking& asking) {
  return Decided(asking.texts, asking.model, asking.use, asking.terms);
}

struct Answered {
  Recommendation answer;
  std::string device;  // its name
};

Answered Ask(const Asking& asking) {
  const auto report = ReportOf(asking);
  if (report.recommendations.empty()) return {};
  const auto& answer = report.recommendations.front();
  const auto* device = FindDevice(report.devices, answer.device_id);
  return {answer, device ? device->name : ""};
}

std::string Named(const char* name) { return std::string("name=") + name; }

// Those of the slowest known card of their chip stand for them, in whichever order the words are.
TEST(UnknownRates, AreThoseOfTheSlowestOfTheirChip) {
  for (const bool turned : {false, true}) {
    for (const auto& [faster, slower] :
         {std::pair("RX 6600", "RX 550"), std::pair("RTX 3050 6GB", "RX 550"),
          std::pair("RX 6600", "Quadro P400"), std::pair("RTX 4090", "RTX PRO 2000 Blackwell"),
          std::pair("RTX PRO 2000 Blackwell", "GTX 1060 6GB"),
          std::pair("RTX PRO 2000 Blackwell", "RTX 3050 6GB"),
          std::pair("RTX PRO 2000 Blackwell", "RX 6600")}) {
      const auto& [first, second] = turned ? std::pair(slower, faster) : std::pair(faster, slower);
      const auto asked = Ask({{Named(first), Named(second)}});
      EXPECT_EQ(asked.device, faster) << slower;
      EXPECT_EQ(asked.answer.confidence, Confidence::kLow);
      EXPECT_THAT(asked.answer.tie, IsEmpty()) << slower;
      const bool is_unknown = std::string_view(faster) == "RTX PRO 2000 Blackwell";
      const auto is_said = Matches(Contains(
          "the rates of RTX PRO 2000 Blackwell are not known: those of GeForce RTX 5060, the slowest of "
          "the nearest to it that are known, stand for them"));
      EXPECT_EQ(is_said(asked.answer.warnings), is_unknown) << slower;
    }
  }
}

// And of no other: a card is not as fast as one in its memory and as another in its products.
TEST(UnknownRates, AreAllThoseOfTheCardThatIsNamed) {
  for (const auto& [unknown, named] : {std::pair("Jetson Thor", "GB10"), {"H800", "H100 PCIe 80GB"}}) {
    const auto rates = [&](const char* name) {
      std::vector<double> all;
      for (const Score& score : ReportOf({{Named(name)}}).scores) {
        if (score.runtime == "cuda" && score.tokens_per_s) all.push_back(score.tokens_per_s->value);
      }
      return all;
    };
    EXPECT_THAT(rates(unknown), Not(IsEmpty())) << unknown;
    EXPECT_EQ(rates(unknown), rates(named)) << unknown;
  }
}

TEST(UnknownRates, OfSeveralTheOrderOfTheWordsDecidesNothing) {
  std::vector<std::string> machine = {"name=Quadro P400", "name=RTX PRO 2000 Blackwell", "name=RX 6600"};
  std::sort(machine.begin(), machine.end());
  do {
    EXPECT_EQ(Ask({machine}).device, "RTX PRO 2000 Blackwell") << machine.front();
  } while (std::next_permutation(machine.begin(), machine.end()));
}

TEST(UnknownRates, OfArchitecturesAloneAreRankedTheSameWay) {
  for (const bool turned : {false, true}) {
    const auto of = [&](std::string one, std::string other, Use use = Use::kInference) {
      if (turned) std::swap(one, other);
      return Ask({{one, other}, {}, use}).answer.architecture;
    };
    EXPECT_EQ(of("cc=9.0", "cc=12.0"), "9.0");
    EXPECT_EQ(of("cc=5.2,memory=24GiB", "cc=12.0,memory=8GiB"), "12.0");
    EXPECT_EQ(of("cc=7.5", "cc=12.0"), "12.0");
    EXPECT_EQ(of("gfx=gfx906,memory=16GiB", "gfx=gfx1201,memory=16GiB", Use::kPrefill), "gfx1201");
  }
}

// By chips' names, where the table of numbers has those; and products go by matrix units where any has them.
TEST(UnknownRates, AreThoseOfTheArchitectureWhateverItIsCalled) {
  for (const char* machine : {"ip=20.1", "ip=12.55", "gfx=gfx1201", "cc=7.5"}) {
    EXPECT_THAT(Ask({{machine, "name=Quadro P400"}}).answer.warnings,
                Contains(HasSubstr("the slowest of its architecture that is known")))
        << machine;
  }
  // None does more than the one that stands for it does under its own name.
  for (const auto& [unknown, known] :
       {std::pair("cc=7.5", "name=RTX 2060"), std::pair("name=RTX 5070 Ti", "name=RTX 5090"),
        std::pair("cc=6.1", "name=GTX 1080")}) {
    for (const Use use : {Use::kTraining, Use::kPrefill}) {
      const auto ram = std::string(known) + ",ram=64GiB";
      const auto asked = Ask({{std::string(unknown) + ",memory=32GiB", ram + ",memory=32GiB"}, {}, use});
      EXPECT_EQ("name=" + asked.device, known) << unknown;
    }
  }
}

// The matrix engines of Intel's cards have rates as those of others have: training rests on these alone.
TEST(KnownRates, OfIntelsMatrixEnginesRankItsCards) {
  for (const bool turned : {false, true}) {
    for (const auto& [faster, slower, use] :
         {std::tuple("Data Center GPU Max 1100", "RTX A4000", Use::kTraining),
          std::tuple("Data Center GPU Max 1100", "Arc A770", Use::kPrefill),
          std::tuple("Arc B580", "Arc A380", Use::kPrefill)}) {
      const auto machine = turned ? std::vector<std::string>{Named(slower), Named(faster)}
                                  : std::vector<std::string>{Named(faster), Named(slower)};
      EXPECT_EQ(Ask({machine, {}, use}).device, faster) << slower;
    }
  }
}

TEST(UnknownRates, PutNoPartOfTheProcessorBeforeACard) {
  for (const char* part : {"name=Radeon Graphics,gfx=gfx1035", "name=UHD Graphics 730"})
    EXPECT_EQ(Ask({{"name=RTX 4090", part}}).device, "RTX 4090") << part;
  const auto known = Ask({{"name=RTX 4090", "name=Radeon Graphics,gfx=gfx1036"}});
  EXPECT_THAT(known.answer.undecided, IsEmpty()) << "two channels of memory against a card's";
}

TEST(UnknownRates, AreNotThoseOfAnH100Nvl) {
  for (const char* beside : {"RTX 4090", "RTX 5090", "A100 PCIe 40GB"})
    EXPECT_THAT(Ask({{Named(beside), "name=H100 NVL"}}).device, HasSubstr("H100")) << beside;
}

TEST(UnknownRates, AreSaidByTheAnswerItself) {
  const auto alone = Ask({{"name=RX 550"}});
  EXPECT_THAT(alone.answer.warnings, Contains(HasSubstr("the rates of RX 550 are not known")));
  EXPECT_EQ(alone.answer.confidence, Confidence::kLow);
  EXPECT_THAT(Ask({{"name=RX 6600"}}).answer.warnings, Not(Contains(HasSubstr("are not known"))));
  EXPECT_EQ(Ask({{"name=RX 550", "name=UHD Graphics 770"}}).device, "RX 550") << "a card beside a part";
}

// What the known card does not hold the processor does the rest of.
TEST(UnknownRates, DoNotRuleOutTheCardThatHoldsTheWork) {
  const auto asked =
      Ask({{"name=RX 6600,memory=8GiB,ram=512GiB", "name=RX 550,memory=300GiB"}, {}, {}, Model::kHuge});
  EXPECT_EQ(asked.device, "RX 550");
}

// A description that does not name Vulkan leaves it open.
TEST(UntoldRuntimes, AreNamedWhereTheyAreTheOnlyOnesLeftForACard) {
  Terms among;
  among.among = {"cuda", "hip", "vulkan", "cpu"};
  const auto left = Ask({{"name=Arc B580"}, among});
  EXPECT_EQ(left.answer.backend, "cpu");
  EXPECT_THAT(left.answer.warnings,
              Contains("Arc B580 is left out: the description does not say that vulkan is there; add "
                       "runtime=vulkan, if it is"));
  EXPECT_THAT(Ask({{"name=RTX 4090"}, among}).answer.warnings, Not(Contains(HasSubstr("is left out"))));
  const auto closed = Ask({{"name=Arc B580,runtime=level_zero"}, among});
  EXPECT_THAT(closed.answer.warnings, Not(Contains(HasSubstr("add runtime"))))
      << "it is said to have no other";
  Terms processor;
  processor.among = {"cpu"};
  EXPECT_THAT(Ask({{"name=Arc B580"}, processor}).answer.warnings, Not(Contains(HasSubstr("is left out"))));
  Terms exclude;
  exclude.exclude = {"level_zero"};
  EXPECT_THAT(Ask({{"name=Arc B580"}, exclude}).answer.warnings, Contains(HasSubstr("Arc B580 is left out")));
}

TEST(UntoldRuntimes, AreNotNamedWhereTheyCanNotBeOrServeNoSuchCard) {
  Terms among;
  among.among = {"hip", "cpu"};
  const auto mac = Ask({{"name=RX 6600,os=macos"}, among});
  EXPECT_EQ(mac.answer.backend, "cpu");
  EXPECT_THAT(mac.answer.warnings, Not(Contains(HasSubstr("add runtime")))) << "which is refused there";
  Terms exclude;
  exclude.exclude = {"vulkan"};
  EXPECT_THAT(Ask({{"name=RX 580"}, exclude}).answer.warnings,
              Contains("RX 580 is left out: the description does not say that opencl is there; add "
                       "runtime=opencl, if it is"))
      << "ROCm does not serve gfx803";
}

// What is said of one GPU of the machine is not said of another.
TEST(UntoldRuntimes, AreThoseOfEachGpu) {
  Terms among;
  among.among = {"vulkan", "opencl"};
  const auto asked = Ask({{"name=RTX 4090", "name=RX 580"}, among});
  EXPECT_EQ(asked.answer.backend, "vulkan");
  EXPECT_THAT(asked.answer.warnings,
              Contains("RTX 4090 is left out: the description does not say that vulkan or opencl is there; "
                       "add runtime=vulkan, if it is"));
}

TEST(UntoldRuntimes, AreSaidOnceOfEqualCards) {
  Terms exclude;
  exclude.exclude = {"cuda"};
  const auto& warnings = Ask({{"name=RTX 4090,count=4"}, exclude}).answer.warnings;
  EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(),
                          [](const Warning& one) { return one.kind == WarningKind::kUnseenHere; }),
            1);
  EXPECT_THAT(warnings, Contains(HasSubstr("4 x RTX 4090 are left out: the description does not say that ")));
}

TEST(UntoldRuntimes, AreThoseThatTheProgramHasABuildFor) {
  const auto of = [](const char* program, const char* excluded, const char* text, Use use = Use::kInference) {
    Terms terms;
    const auto target = EmbeddedTarget(program);
    EXPECT_TRUE(target) << program;
    if (target) terms.target = *target;
    terms.exclude = {excluded};
    return Ask({{text}, terms, use}).answer.warnings;
  };
  EXPECT_THAT(
      of("llama.cpp", "level_zero", "name=Arc B580"),
      Contains("Arc B580 is left out: the description does not say that vulkan or opencl is there; add "
               "runtime=vulkan, if it is"))
      << "in the program's order";
  EXPECT_THAT(of("llama.cpp", "level_zero", "name=Arc B580", Use::kTraining),
              Not(Contains(HasSubstr("add runtime"))))
      << "it trains nothing";
  EXPECT_THAT(of("llama.cpp", "cuda", "name=RTX 4090"), Contains(HasSubstr("add runtime=vulkan")));
  EXPECT_THAT(of("pytorch", "cuda", "name=RTX 4090"), Not(Contains(HasSubstr("add runtime"))))
      << "it has nothing else for it";
  EXPECT_THAT(of("llama.cpp", "metal", "name=M4 Max"), Not(Contains(HasSubstr("add runtime"))))
      << "its build for Vulkan is for other systems";
  EXPECT_THAT(of("llama.cpp", "vulkan", "name=RTX 4090"), Not(Contains(HasSubstr("is left out"))));
}

// What the answer's reader is told to do about that GPU and its runtimes.
std::vector<std::string> StepsOf(const std::string& text, const char* target = nullptr) {
  Terms terms;
  if (target) terms.target = *EmbeddedTarget(target);
  const auto report = ReportOf({{text}, terms});
  std::vector<std::string> steps;
  for (const auto& advice : report.advice) steps.push_back(advice.text);
  return steps;
}

TEST(UntoldRuntimes, ThatTheAnswersBuildBringsAreNotToBeInstalled) {
  const std::string text = "name=RX 7900 XTX,os=linux,arch=x86_64,glibc=2.39,runtime=opencl";
  EXPECT_THAT(StepsOf(text, "pytorch"), Not(Contains(HasSubstr("HIP runtime"))));
  EXPECT_THAT(StepsOf(text, "llama.cpp"), Contains(HasSubstr("HIP runtime")))
      << "its build for ROCm wants what is installed";
}

// Those that say what installs something.
std::vector<std::string> InstallingSteps(const std::string& text) {
  auto steps = StepsOf(text);
  std::erase_if(steps, [](const std::string& step) {
    return !step.starts_with("install") && !step.starts_with("update") && !step.starts_with("give");
  });
  return steps;
}

struct Stepped {
  std::string text;
  std::string first;
};

TEST(Steps, AreThoseOfTheDescribedSystem) {
  const std::string amds = "install AMD's driver for Windows: it brings HIP's runtime";
  const std::string qualcomms = "install the graphics driver for Windows of the GPU's maker";
  for (const Stepped& stepped :
       {Stepped{"name=RX 7900 XTX,os=windows,runtime=none", amds},
        {"name=RX 7900 XTX,os=windows,runtime=vulkan", amds},
        {"name=RTX 4090,os=windows,runtime=none",
         "install NVIDIA's driver for Windows; the CUDA toolkit is not needed to run anything"},
        {"name=Arc B580,os=windows,runtime=none",
         "install Intel's graphics driver for Windows: it brings Level Zero"},
        {"vendor=qualcomm,os=windows,arch=aarch64", qualcomms},
        {"vendor=qualcomm,os=windows,arch=aarch64,runtime=none", qualcomms}}) {
    const auto steps = InstallingSteps(stepped.text);
    ASSERT_THAT(steps, Not(IsEmpty())) << stepped.text;
    EXPECT_EQ(steps.front(), stepped.first) << stepped.text;
    EXPECT_THAT(steps, Each(HasSubstr("for Windows"))) << stepped.text;
  }
  EXPECT_THAT(InstallingSteps("name=M4 Max,os=macos,runtime=none"),
              ElementsAre("update macOS: Metal is a part of it"));
  for (const char* gpu : {"name=RX 6900 XT", "vendor=intel"})
    EXPECT_THAT(InstallingSteps(fmt::format("{},os=macos,runtime=none", gpu)),
                ElementsAre(HasSubstr("install nothing: macOS reaches another maker's GPU by Metal")));
  EXPECT_THAT(InstallingSteps("name=RX 7900 XTX,os=linux,runtime=none"),
              Contains("install ROCm's HIP runtime; the kernel's amdgpu driver is enough below it"));
}

// Tokens that the processor alone writes in a second.
double WrittenByTheProcessor(const std::vector<std::string>& texts) {
  const auto report = ReportOf({texts, {}, Use::kDecode});
  for (const Score& score : report.scores) {
    if (score.device_id == kProcessorId && score.use == Use::kDecode) return score.tokens_per_s->value;
  }
  return 0;
}

TEST(SharedMemory, IsReadByTheProcessorAtAShareOfTheChipsRate) {
  const auto common = WrittenByTheProcessor({"name=RTX 4090,os=linux,arch=aarch64,ram=64GiB"});
  ASSERT_GT(common, 0);
  // 40 GB/s, and 243 / 400 of the chip's.
  for (const auto& [text, rate] :
       {std::pair("name=M4 Max 128GB", 243e9), std::pair("name=M4 Pro 64GB", 273e9 * 243 / 400),
        std::pair("name=VideoCore VII,ram=16GiB", 17.07e9 * 243 / 400)})
    EXPECT_NEAR(WrittenByTheProcessor({text}) / common, rate / 40e9, 0.05 * rate / 40e9) << text;
  EXPECT_NEAR(WrittenByTheProcessor({"vendor=intel,kind=integrated,arch=x86_64,os=linux,ram=64GiB"}),
              WrittenByTheProcessor({"name=RTX 4090,ram=64GiB"}), 1e-9)
      << "nobody knows that one's";
}

TEST(AssumedBoards, HaveTheirOwnProcessors) {
  for (const char* name : {"Raspberry Pi 5", "Raspberry Pi 4", "VideoCore VI"}) {
    const auto machine = Imagine(*EmbeddedTables(), {Named(name)});
    ASSERT_TRUE(machine) << machine.error().text;
    EXPECT_EQ(machine->host.architecture, "aarch64") << name;
  }
  const auto wrong = Imagine(*EmbeddedTables(), {"name=Raspberry Pi 5,arch=x86_64"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text, HasSubstr("say arch=aarch64"));
}

TEST(AssumedBoards, ASteamDeckIsTheMachineOfThatName) {
  for (const char* text : {"name=Steam Deck", "name=Van Gogh", "gfx=gfx1033"})
    EXPECT_EQ(Ask({{text}}).answer.backend, "vulkan") << text;
  EXPECT_EQ(Ask({{"name=Steam Deck,runtime=hip"}}).answer.backend, "hip") << "it is said to be there";
}

// NVIDIA promises to run code for 8.0 on desktop cards of 8.x alone: what was seen to run there says that.
TEST(AssumedBoards, OnAnOrinCodeForOtherCapabilitiesIsNotPromisedToRun) {
  const std::vector<std::string> orin = *TextsOfMachine("jetson-orin-jetpack7");
  for (const auto& [name, has_build] : {std::pair("pytorch", true), std::pair("vllm", true),
                                        std::pair("jax", false), std::pair("mlx", false)}) {
    Terms terms;
    const auto table = EmbeddedTarget(name);
    ASSERT_TRUE(table) << name;
    terms.target = *table;
    const auto report = ReportOf({orin, terms});
    const bool on_gpu = !report.recommendations.empty() && report.recommendations.front().backend == "cuda";
    ASSERT_EQ(on_gpu, has_build) << name;
    if (!has_build) continue;
    const auto& artefact = report.recommendations.front().artefact;
    ASSERT_TRUE(artefact && artefact->note) << name;
    EXPECT_THAT(*artefact->note, HasSubstr("which NVIDIA does not promise")) << name;
    EXPECT_THAT(artefact->source, HasSubstr("CUDA C++ programming guide, binary compatibility")) << name;
  }
}

TEST(AssumedCards, AnH100NvlIsTheH100OfItsNumber) {
  const auto machine = Imagine(*EmbeddedTables(), {"name=H100 NVL"});
  ASSERT_TRUE(machine) << machine.error().text;
  const auto& card = machine->devices.at(1);
  EXPECT_EQ(card.hardware->identity.ids->device, 0x2321U);
  EXPECT_EQ(card.memory.total_bytes, 94ULL << 30U);
  EXPECT_EQ(card.hardware->architecture, "sm_90");
}

// What would change nothing: each build is for all of the cards that are called so, or for none.
TEST(Answers, NeedNoArchitectureThatNoBuildTellsApart) {
  const auto missing = [](const std::string& card, const std::string& program) {
    const auto machine = Imagine(*EmbeddedTables(), {card});
    EXPECT_TRUE(machine) << card;
    return machine ? WhatIsMissing(*EmbeddedTables(), *EmbeddedTarget(program), machine->devices)
                   : std::vector<Missing>(99);
  };
  EXPECT_THAT(missing("name=UHD Graphics 620", "pytorch"), IsEmpty());
  EXPECT_THAT(missing("name=UHD Graphics 620", "openvino"), IsEmpty());
  EXPECT_THAT(missing("name=Arc Graphics", "pytorch"), IsEmpty());
  EXPECT_EQ(missing("vendor=intel", "pytorch").size(), 1U) << "any may be meant";
  const auto apart = missing("name=Arc Graphics", "vllm");
  ASSERT_EQ(apart.size(), 1U);
  EXPECT_THAT(apart.front().architectures, ElementsAre("12.71", "20.4"));
  EXPECT_EQ(apart.front().build, "xpu-image");
}

// Of a name that many chips share nobody knows which is meant: the slowest.
TEST(Answers, TakeASharedNameForTheSlowestOfItsChips) {
  for (const char* name : {"Intel UHD Graphics", "UHD Graphics", "HD Graphics", "Intel HD Graphics", "UHD"}) {
    const auto shared = ReportOf({{Named(name)}});
    ASSERT_EQ(shared.recommendations.size(), 1U) << name;
    EXPECT_EQ(shared.recommendations.front().backend, "cpu") << name;
    EXPECT_EQ(shared.devices.back().hardware->architecture, std::nullopt) << name;
  }
  const auto speed = [](const char* name) {
    const auto report = ReportOf({{Named(name)}});
    const auto* score =
        FindScore(report, Use::kInference, report.devices.back().id, "level_zero", kDescribed);
    return score && score->tokens_per_s ? score->tokens_per_s->value : 0;
  };
  EXPECT_GT(speed("Intel UHD Graphics"), 0);
  for (const char* name : {"UHD Graphics 600", "UHD Graphics 620", "UHD Graphics 630", "UHD Graphics 770"})
    EXPECT_LE(speed("Intel UHD Graphics"), speed(name)) << name;
}

// By their units, or by those of their generation, and not by a common GPU's.
TEST(Answers, TakeNoOldChipForANewOne) {
  for (const char* name : {"HD Graphics 530", "HD Graphics 510", "HD Graphics 620", "UHD Graphics 620",
                           "UHD Graphics 617", "UHD Graphics 600", "UHD Graphics 605"}) {
    const auto asked = Ask({{Named(name)}});
    EXPECT_EQ(asked.answer.backend, "cpu") << name;
    EXPECT_THAT(asked.answer.warnings, Each(Not(HasSubstr("common integrated GPU")))) << name;
  }
}

// A runtime on top of another is not told either, and is there as soon as it is said.
TEST(Answers, NameARuntimeOnTopThatTheDescriptionDoesNot) {
  Terms terms;
  terms.among = {"sycl", "cpu"};
  const auto left_out = [](const char* name) {
    return HasSubstr(std::string(name) +
                     " is left out: the description does not say that sycl is there; "
                     "add runtime=sycl, if it is");
  };
  for (const Use use : {Use::kInference, Use::kTraining}) {
    const auto asked = Ask({{"name=Arc A770"}, terms, use});
    EXPECT_EQ(asked.answer.backend, "cpu");
    EXPECT_THAT(asked.answer.warnings, Contains(left_out("Arc A770")));
    EXPECT_EQ(Ask({{"name=Arc A770,runtime=sycl"}, terms, use}).answer.backend, "sycl");
  }
  EXPECT_THAT(Ask({{"name=UHD Graphics 770"}, terms, Use::kTraining}).answer.warnings,
              Not(Contains(HasSubstr("add runtime="))))
      << "nothing trains there by SYCL";
  terms.target = *EmbeddedTarget("pytorch");
  EXPECT_THAT(Ask({{"name=Arc A770"}, terms}).answer.warnings, Contains(left_out("Arc A770")));
  terms = {};
  terms.exclude = {"level_zero"};
  EXPECT_THAT(Ask({{"name=Arc A770"}, terms, Use::kTraining}).answer.warnings,
              Not(Contains(HasSubstr("add runtime="))))
      << "which SYCL stands on; by no other anything trains";
  EXPECT_THAT(Ask({{"name=Arc A770"}, terms}).answer.warnings, Contains(HasSubstr("add runtime=vulkan")));
}

}  // namespace
}  // namespace report::assume
