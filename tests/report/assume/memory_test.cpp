// SPDX-License-Identifier: MIT
// What is said of a described machine's memory, what that comes to, and what its answers say of the rest.
#include "report/assume/memory.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/core/devices.h"
#include "report/core/memory.h"
#include "report/core/tables.h"
#include "report/decide/decide.h"
#include "tests/report/assume/decided.h"

namespace report::assume {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kGiB = 1ULL << 30U;

Report ReportOf(const std::vector<std::string>& texts, Model model = Model::kUsual,
                Use use = Use::kInference) {
  return Decided(texts, model, use);
}

Recommendation AnswerOf(const std::vector<std::string>& texts, Model model = Model::kUsual,
                        Use use = Use::kInference) {
  const auto report = ReportOf(texts, model, use);
  EXPECT_FALSE(report.recommendations.empty());
  return report.recommendations.empty() ? Recommendation{} : report.recommendations.front();
}

std::vector<std::string> Warnings(const Recommendation& answer, WarningKind kind) {
  std::vector<std::string> texts;
  for (const Warning& warning : answer.warnings) {
    if (warning.kind == kind) texts.push_back(warning.text);
  }
  return texts;
}

const probe::PhysicalDevice& Processor(const Machine& machine) { return machine.devices.at(0); }
const probe::PhysicalDevice& Card(const Machine& machine) { return machine.devices.at(1); }

Machine Of(const std::vector<std::string>& texts) {
  auto machine = Imagine(*EmbeddedTables(), texts);
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().text);
  return machine ? *std::move(machine) : Machine{};
}

std::string Refusal(const std::vector<std::string>& texts) {
  const auto machine = Imagine(*EmbeddedTables(), texts);
  EXPECT_FALSE(machine);
  return machine ? "" : machine.error().text;
}

TEST(AssumedMemory, ANameSaysIt) {
  EXPECT_EQ(MemoryInName("H100 SXM5 80GB"), 80 * kGiB);
  EXPECT_EQ(MemoryInName("A100-SXM-64GB"), 64 * kGiB);
  EXPECT_EQ(MemoryInName("A800 40GB PCIe"), 40 * kGiB);
  for (const char* name : {"", "GB10", "GeForce RTX 4090", "GH200 120GB / 480GB", "8GB 16GB", "GB", "0GB",
                           "99999999999999999999GB", "GeForce RTX 3080 Mobile / Max-Q 8GB/16GB"})
    EXPECT_EQ(MemoryInName(name), std::nullopt) << name;
}

TEST(AssumedMemory, OfAKnownCardIsWhatItsNameSays) {
  EXPECT_EQ(Card(Of({"name=H100 SXM5 80GB"})).memory.total_bytes, 80 * kGiB);
  EXPECT_EQ(Card(Of({"name=A100 PCIe 40GB"})).memory.total_bytes, 40 * kGiB);
  EXPECT_EQ(Card(Of({"name=A100 PCIe 40GB,memory=20GiB"})).memory.total_bytes, 20 * kGiB);
  EXPECT_EQ(Card(Of({"name=RX 580 8GB"})).memory.total_bytes, 8 * kGiB) << "it is sold with 4, too";
  EXPECT_FALSE(Card(Of({"name=RX 580"})).memory.total_bytes);
  EXPECT_EQ(Card(Of({"name=GH200 480GB,arch=aarch64"})).memory.total_bytes, 96 * kGiB)
      << "what its name says is beside the GPU";
  EXPECT_EQ(Card(Of({"name=GH200 96GB,arch=aarch64"})).memory.total_bytes, 96 * kGiB);
  EXPECT_FALSE(Card(Of({"name=GH200 240GB,arch=aarch64"})).memory.total_bytes) << "nobody calls one so";
  const auto taken = Of({"name=H100 SXM"});
  EXPECT_EQ(Card(taken).memory.total_bytes, 80 * kGiB);
  ASSERT_EQ(taken.warnings.size(), 1U);
  EXPECT_THAT(taken.warnings.front().text, HasSubstr("the rates and the memory are those of H100 SXM5 80GB"));
  EXPECT_THAT(Of({"name=V100 SXM2"}).warnings,
              ::testing::Contains(HasSubstr("V100 SXM2 is taken to have the 32 GiB of ")))
      << "there are two sizes";
  EXPECT_THAT(Of({"name=H100 SXM,memory=80GiB"}).warnings.front().text, Not(HasSubstr("memory")));
}

// "RX 7900 XTX" and "RX 7900 XT" have one number, as have the Quadros, and a B200 is not called so by the
// table of peaks.
TEST(AssumedMemory, OfACardWhoseNameDoesNotSayItIsTheTables) {
  const std::vector<std::pair<std::string, std::uint64_t>> rows = {{"RTX 4090", 24},
                                                                   {"NVIDIA GeForce RTX 4090", 24},
                                                                   {"rtx4080", 16},
                                                                   {"L40S", 48},
                                                                   {"L4", 24},
                                                                   {"A10G", 24},
                                                                   {"MI300X", 192},
                                                                   {"Arc B580", 12},
                                                                   {"RX 7900 XTX", 24},
                                                                   {"7900 XT", 20},
                                                                   {"Quadro RTX 6000", 24},
                                                                   {"Quadro RTX 8000", 48},
                                                                   {"B200", 180},
                                                                   {"H200 NVL", 141},
                                                                   {"GH200", 96},
                                                                   {"RX 6800 XT", 16},
                                                                   {"RX 7900 GRE", 16},
                                                                   {"RX 6700", 10},
                                                                   {"GTX 1060 3GB", 3},
                                                                   {"RTX 4060 Laptop", 8},
                                                                   {"RTX 5070 Ti", 16},
                                                                   {"MI250X", 64},
                                                                   {"RTX 3080", 10},
                                                                   {"RTX 3080 12GB", 12},
                                                                   {"Arc A370M", 4},
                                                                   {"Tesla T4", 16},
                                                                   {"RTX PRO 6000 Blackwell", 96}};
  for (const auto& [name, size] : rows) {
    const auto machine = Of({"name=" + name});
    EXPECT_EQ(Card(machine).memory.total_bytes, size * kGiB) << name;
    EXPECT_THAT(machine.warnings, IsEmpty()) << name;
  }
  for (const char* name : {"RTX 3060", "Arc A770", "RX 9060 XT", "RX 5500M", "RX 6500 XT", "RTX 4090 48GB",
                           "RTX 3080 Laptop", "B300", "MI300X VF", "Radeon 780M"})
    EXPECT_EQ(Card(Of({std::string("name=") + name})).memory.total_bytes, std::nullopt) << name;
  EXPECT_EQ(Card(Of({"name=RTX 4090,memory=48GiB"})).memory.total_bytes, 48 * kGiB) << "the word wins";
  const auto taken = Of({"name=H100"});
  EXPECT_EQ(Card(taken).memory.total_bytes, 80 * kGiB);
  EXPECT_THAT(
      taken.warnings,
      ElementsAre(HasSubstr("the rates and the memory are those of H100 PCIe, as no table has H100")));
}

TEST(AssumedMemory, OfTheTableDecidesWhatFits) {
  const auto answer = AnswerOf({"name=RTX 4090,ram=64GiB"}, Model::kHuge);
  ASSERT_TRUE(answer.nothing_fits);
  EXPECT_EQ(answer.nothing_fits->available_bytes, 24.0 * kGiB);
  EXPECT_THAT(Warnings(AnswerOf({"name=RTX 4090"}), WarningKind::kMemoryUntold), IsEmpty());
  const auto little = AnswerOf({"name=Arc A370M,ram=1GiB"});
  ASSERT_TRUE(little.nothing_fits) << "8B needs more";
}

TEST(AssumedMemory, IsOneWhereItIsShared) {
  const auto spark = Of({"name=GB10,memory=128GiB,unified=yes"});
  EXPECT_EQ(Processor(spark).memory.total_bytes, 128 * kGiB);
  EXPECT_EQ(Card(Of({"name=GB10,ram=128GiB"})).memory.total_bytes, 128 * kGiB);
  EXPECT_EQ(Processor(Of({"name=AGX Orin 64GB"})).memory.total_bytes, 64 * kGiB) << "as it is written";
  const auto part = Of({"name=Radeon 8060S,memory=96GiB,ram=128GiB"});
  EXPECT_EQ(Card(part).memory.total_bytes, 96 * kGiB);
  EXPECT_EQ(Processor(part).memory.total_bytes, 128 * kGiB);
  const std::vector<std::string> silent_first = {"vendor=intel,kind=integrated",
                                                 "vendor=amd,kind=integrated,memory=96GiB"};
  for (const auto& texts : {silent_first, {silent_first.rbegin(), silent_first.rend()}}) {
    for (const auto& device : Of(texts).devices) EXPECT_EQ(device.memory.total_bytes, 96 * kGiB);
  }
  const auto unified = Of({"vendor=nvidia,memory=64GiB,unified=yes"});
  EXPECT_TRUE(SharesHostMemory(Card(unified)));
  EXPECT_EQ(Processor(unified).memory.total_bytes, 64 * kGiB);
  const auto card = Of({"name=RTX 4090,memory=24GiB"});
  EXPECT_FALSE(Processor(card).memory.total_bytes);
  const auto apart = Of({"vendor=intel,kind=integrated,memory=2GiB,unified=no,ram=16GiB"});
  EXPECT_EQ(WorkMemoryOf(Card(apart), Card(apart).views.at(0), HostBytes(apart.devices)).OnePlace(),
            18.0 * kGiB);
  EXPECT_FALSE(Processor(Of({"vendor=intel,kind=integrated,memory=2GiB,unified=no"})).memory.total_bytes);
}

TEST(AssumedMemory, ThatIsSharedIsNotAllTheGpus) {
  for (const auto& [text, ram, share] : std::vector<std::tuple<const char*, std::uint64_t, double>>{
           {"vendor=apple,name=M1", 16, 2.0 / 3},
           {"vendor=apple,name=M3 Max", 32, 2.0 / 3},
           {"vendor=apple,name=M3 Max", 36, 3.0 / 4},
           {"vendor=apple,name=M3 Ultra", 512, 3.0 / 4},
           {"name=Radeon 8060S", 128, 1.0 / 2},
           {"name=Radeon 8060S,os=windows", 128, 1},
           {"name=GB10", 128, 1},
           {"vendor=intel,kind=integrated", 32, 1}}) {
    const auto machine = Of({fmt::format("{},ram={}GiB", text, ram)});
    EXPECT_EQ(Processor(machine).memory.total_bytes, ram * kGiB);
    const auto own = static_cast<double>(*Card(machine).memory.total_bytes);
    EXPECT_NEAR(own, share * static_cast<double>(ram * kGiB), 4) << text;
    EXPECT_THAT(machine.warnings, share < 1 ? ::testing::Matcher<const std::vector<Warning>&>(
                                                  ::testing::Contains(HasSubstr("memory says otherwise")))
                                            : Not(::testing::Contains(HasSubstr("that it shares"))));
  }
  EXPECT_EQ(Card(Of({"vendor=apple,name=M1,memory=14GiB,ram=16GiB"})).memory.total_bytes, 14 * kGiB);
}

// What people call the machine by.
TEST(AssumedMemory, InTheNameOfAChipIsTheMachines) {
  for (const auto& [said, plain] : std::vector<std::pair<const char*, const char*>>{
           {"name=M4 Max 128GB", "name=M4 Max,ram=128GiB"},
           {"vendor=apple,name=M1 8GB", "vendor=apple,name=M1,ram=8GiB"},
           {"name=Strix Halo 128GB", "name=Strix Halo,ram=128GiB"},
           {"name=M2 Ultra-192GB", "name=M2 Ultra,ram=192GiB"},
           {"name=Strix Halo-128GB", "name=Strix Halo,ram=128GiB"},
           {"name=M4 Max 128GB,memory=96GiB", "name=M4 Max,memory=96GiB"},
           {"name=Orin NX 8GB", "name=Orin NX,ram=8GiB"},
           {"name=M4 Max (128GB)", "name=M4 Max,ram=128GiB"},
           {"name=M4 Max [128 GB]", "name=M4 Max,ram=128GiB"},
           {"name=M4 Max 128GiB", "name=M4 Max,ram=128GiB"},
           {"name=Apple M4 24GB", "vendor=apple,name=M4,ram=24GiB"},
           {"gfx=gfx1151,name=Foo 128GB", "gfx=gfx1151,name=Foo,ram=128GiB"},
           {"name=MI300A 128GB", "name=MI300A,ram=128GiB"}}) {
    const auto machine = Of({said});
    const auto other = Of({plain});
    EXPECT_EQ(Card(machine).memory.total_bytes, Card(other).memory.total_bytes) << said;
    EXPECT_EQ(Card(machine).name, Card(other).name) << said;
    EXPECT_EQ(Processor(machine).memory.total_bytes, Processor(other).memory.total_bytes) << said;
    EXPECT_EQ(machine.warnings.size(), other.warnings.size()) << said;
  }
  EXPECT_EQ(Processor(Of({"name=M4 Max 128GB,ram=64GiB"})).memory.total_bytes, 64 * kGiB) << "its own word";
  EXPECT_FALSE(Processor(Of({"name=RTX 3060 12GB"})).memory.total_bytes);
  EXPECT_EQ(Card(Of({"name=RTX 3080 (12 GB)"})).memory.total_bytes, 12 * kGiB) << "a card's is its own";
  EXPECT_EQ(Card(Of({"vendor=nvidia,name=Foo 24GB"})).memory.total_bytes, 24 * kGiB) << "that no table has";
}

// A Tesla M4 has 4 GB, and no chip of Apple's less than 8.
TEST(AssumedMemory, InAShortNameTellsWhoseItIs) {
  const auto machine = Of({"name=M4 24GB"});
  EXPECT_EQ(Card(machine).vendor, "Apple");
  EXPECT_EQ(Processor(machine).memory.total_bytes, 24 * kGiB);
  EXPECT_THAT(machine.warnings, Contains(HasSubstr("M4 is taken for Apple's M4")));
  EXPECT_THAT(machine.warnings, Not(Contains(HasSubstr("rates"))));
  for (const auto& [name, maker] : std::vector<std::pair<const char*, const char*>>{
           {"name=Apple M4", "Apple"}, {"name=NVIDIA M4", "NVIDIA"}, {"name=Tesla M4", "NVIDIA"}})
    EXPECT_EQ(Card(Of({name})).vendor, maker) << name;
  const auto unknown = Refusal({"name=M4"});
  EXPECT_THAT(unknown, HasSubstr("vendor: it is missing; Apple and NVIDIA make cards with 'M4'"));
  EXPECT_EQ(Refusal({"name=M4 4GB"}), unknown);
  EXPECT_EQ(Refusal({"name=M4 (4 GB)"}), unknown);
  EXPECT_EQ(Card(Of({"name=M4 8GB"})).vendor, "Apple");
  EXPECT_EQ(Card(Of({"vendor=nvidia,name=M4 4GB"})).memory.total_bytes, 4 * kGiB);
  EXPECT_EQ(Card(Of({"name=Tesla M4 4GB"})).memory.total_bytes, 4 * kGiB);
  EXPECT_THAT(Refusal({"name=Apple Foo"}), HasSubstr("this version knows no card called 'Apple Foo'"));
}

// An MI300A has no other memory than its 128 GB.
TEST(AssumedMemory, OfAChipOfOneSizeIsAllTheGpus) {
  for (const char* text : {"name=MI300A", "name=MI300A 128GB"}) {
    const auto machine = Of({text});
    EXPECT_EQ(Card(machine).memory.total_bytes, 128 * kGiB) << text;
    EXPECT_EQ(Processor(machine).memory.total_bytes, 128 * kGiB) << text;
    EXPECT_THAT(machine.warnings, IsEmpty()) << text;
  }
}

TEST(AssumedMemory, OfSeveralChipsOfOneSizeIsOfEachAndTheProcessorsTogether) {
  for (const char* text : {"name=MI300A,count=4", "name=MI300A 128GB,count=4",
                           "name=MI300A,count=4,ram=512GiB", "name=MI300A 512GB,count=4"}) {
    const auto machine = Of({text});
    ASSERT_EQ(machine.devices.size(), 5U) << text;
    for (std::size_t i = 1; i < machine.devices.size(); ++i)
      EXPECT_EQ(machine.devices[i].memory.total_bytes, 128 * kGiB) << text;
    EXPECT_EQ(Processor(machine).memory.total_bytes, 512 * kGiB) << text;
  }
  EXPECT_EQ(Processor(Of({"name=MI300A", "name=MI300A"})).memory.total_bytes, 256 * kGiB);
  EXPECT_EQ(Processor(Of({"name=MI300A,count=6,memory=20GiB"})).memory.total_bytes, 120 * kGiB)
      << "what is said of parts of it";
  EXPECT_EQ(Card(Of({"name=MI300A,ram=64GiB"})).memory.total_bytes, 64 * kGiB) << "a container's";
  for (const char* text : {"name=MI300A 512GB", "name=MI300A,ram=512GiB", "name=MI300A,count=2,ram=512GiB"})
    EXPECT_THAT(Refusal({text}), AllOf(HasSubstr("ram: MI300A has 128 GiB on it, which makes "),
                                       HasSubstr("512 GiB are assumed")))
        << text;
  EXPECT_THAT(Refusal({"name=MI300A,memory=512GiB"}),
              HasSubstr("memory: MI300A has 128 GiB, and 512 GiB are assumed"));
}

TEST(AssumedMemory, IsRefusedWhereItCanNotBe) {
  EXPECT_THAT(
      Refusal({"name=GB10,memory=128GiB,ram=64GiB"}),
      HasSubstr("memory: a GPU that shares the processor's has no more than that, and 128 GiB of 64"));
  EXPECT_THAT(Refusal({"cc=8.9,ram=64"}), HasSubstr("ram: it takes a size of 1 MiB or more with its unit"));
  EXPECT_THAT(Refusal({"cc=8.9,ram=64GiB", "cc=8.9,ram=32GiB"}), HasSubstr("ram: two texts say different"));
  EXPECT_EQ(Processor(Of({"vendor=none,ram=64GiB"})).memory.total_bytes, 64 * kGiB);
}

TEST(AssumedMemory, ThatIsSharedHoldsNothingTwice) {
  for (const std::vector<std::string>& texts :
       {*TextsOfMachine("dgx-spark"), *TextsOfMachine("strix-halo")}) {
    const auto report = ReportOf(texts, Model::kHuge);
    const auto& answer = report.recommendations.at(0);
    ASSERT_TRUE(answer.nothing_fits);
    EXPECT_NE(answer.backend, "cpu");
    EXPECT_THAT(Warnings(answer, WarningKind::kNothingFits),
                ElementsAre(AllOf(HasSubstr("nothing here fits Llama 3.1 405B Q4_K_M: it needs "),
                                  HasSubstr(", which is the processor's memory, too"))));
    EXPECT_FALSE(answer.nothing_fits->host_bytes);
    for (const Score& score : report.scores) {
      if (score.use != Use::kInference) continue;
      EXPECT_EQ(score.fits, false) << score.runtime;
    }
    EXPECT_FALSE(AnswerOf(texts).nothing_fits) << "8B fits";
    EXPECT_THAT(Warnings(AnswerOf(texts), WarningKind::kMemoryUntold), IsEmpty());
  }
}

TEST(AssumedMemory, ThatNobodySaysIsSupposedAloud) {
  const auto silent = AnswerOf({"name=RTX 3060"}, Model::kHuge);
  EXPECT_THAT(
      Warnings(silent, WarningKind::kMemoryUntold),
      ElementsAre("nobody says how much memory RTX 3060 has: it is supposed that Llama 3.1 405B Q4_K_M "
                  "fits; say how much, such as memory=24GiB"));
  EXPECT_EQ(silent.confidence, Confidence::kLow);
  EXPECT_FALSE(silent.nothing_fits);
  EXPECT_THAT(Warnings(AnswerOf({"name=RTX 3060,memory=12GiB"}), WarningKind::kMemoryUntold), IsEmpty());
  EXPECT_THAT(
      Warnings(AnswerOf({"vendor=none"}), WarningKind::kMemoryUntold),
      ElementsAre(HasSubstr("how much memory the processor has: it is supposed that Llama 3 8B Q4_K_M fits; "
                            "say how much, such as ram=64GiB")));
  EXPECT_THAT(Warnings(AnswerOf({"vendor=none,ram=16GiB"}), WarningKind::kMemoryUntold), IsEmpty());
}

TEST(AssumedMemory, OfTheHostHoldsTheRestOrIsSupposedTo) {
  const auto silent = AnswerOf({"name=RTX 4090,memory=24GiB"}, Model::kHuge);
  EXPECT_FALSE(silent.nothing_fits);
  EXPECT_THAT(Warnings(silent, WarningKind::kMemoryUntold),
              ElementsAre(AllOf(HasSubstr("how much memory the processor has: it is supposed to hold 20"),
                                HasSubstr("GiB of Llama 3.1 405B Q4_K_M; say how much, such as ram=64GiB"))));
  const auto enough = AnswerOf({"name=RTX 4090,memory=24GiB,ram=256GiB"}, Model::kHuge);
  EXPECT_FALSE(enough.nothing_fits);
  EXPECT_THAT(Warnings(enough, WarningKind::kMemoryUntold), IsEmpty());
  const auto little = AnswerOf({"name=RTX 4090,memory=24GiB,ram=62GiB"}, Model::kHuge);
  ASSERT_TRUE(little.nothing_fits);
  EXPECT_EQ(little.nothing_fits->available_bytes, 24.0 * kGiB);
  EXPECT_EQ(little.nothing_fits->host_bytes, 62.0 * kGiB);
  EXPECT_THAT(Warnings(little, WarningKind::kNothingFits),
              ElementsAre(HasSubstr("and cuda on RTX 4090 has 24 GiB and the host 62 GiB")));
  const auto training = AnswerOf({"name=RTX 4090,memory=12GiB"}, Model::kUsual, Use::kTraining);
  EXPECT_THAT(Warnings(training, WarningKind::kMemoryUntold),
              ElementsAre(HasSubstr("GiB of training; say how much, such as ram=")));
}

// No kernel ran there that would tell.
TEST(AssumedMemory, ThatHoldsNoLayerLeavesTheUseUnknown) {
  const auto report = ReportOf({"name=RTX 4090,memory=300MiB,ram=64GiB"});
  EXPECT_EQ(report.recommendations.at(0).backend, "cpu");
  EXPECT_EQ(report.recommendations.at(0).reasons.at(0).id, ReasonId::kGpusUnmeasured);
  const auto& card = report.devices.at(1);
  EXPECT_EQ(UsabilityOf(report, card, card.views.at(0)), Usability::kUnknown);
}

TEST(AssumedMemory, OfSeveralGpusIsThatOfOne) {
  const auto told = [](const Recommendation& answer) {
    return std::count_if(answer.reasons.begin(), answer.reasons.end(),
                         [](const Reason& reason) { return reason.id == ReasonId::kOneOfSeveral; });
  };
  const auto eight = AnswerOf({"name=H100 SXM5 80GB,count=8"}, Model::kHuge);
  EXPECT_THAT(eight.reasons, Contains("the figures are of one of 8 equal GPUs, not of all together"));
  EXPECT_EQ(told(eight), 1);
  EXPECT_EQ(told(AnswerOf({"name=H100 SXM5 80GB"})), 0);
  EXPECT_EQ(told(AnswerOf({"name=RTX 4090,memory=24GiB", "name=RX 580,memory=8GiB"})), 0);
}

// A card that holds a part of the model alone is told what it runs alone: 4 GiB less what is no weights.
TEST(AssumedMemory, ThatHoldsAPartOfAModelSaysWhatItWouldHold) {
  const auto warnings = [](const std::string& text) { return AnswerOf({text}).warnings; };
  EXPECT_THAT(
      warnings("name=GTX 980,ram=64GiB"),
      Contains(HasSubstr("GTX 980 alone runs smaller models, or fewer bits a weight, up to 3.5 GiB")));
  for (const char* text : {"name=RTX 3060,ram=64GiB", "vendor=none,ram=64GiB",
                           "vendor=nvidia,cc=8.9,ram=64GiB", "vendor=nvidia,cc=8.9,memory=512MiB,ram=64GiB"})
    EXPECT_THAT(warnings(text), Not(Contains(HasSubstr("smaller models")))) << text;
}

// A part that a tool makes of a card has no rates of its own in any table.
TEST(AssumedMemory, OfLessThanHalfACardWarnsThatTheRatesAreTheWholeCards) {
  const auto whole = [](const std::string& text) {
    const auto machine = Of({text});
    return std::count_if(machine.warnings.begin(), machine.warnings.end(), [](const Warning& warning) {
      return warning.text.starts_with("the rates are those of a whole ");
    });
  };
  EXPECT_THAT(Of({"name=NVIDIA H100 80GB HBM3,memory=10GiB"}).warnings,
              Contains("the rates are those of a whole NVIDIA H100 80GB HBM3 with its 80 GiB: no table has "
                       "those of a part with 10 GiB"));
  EXPECT_EQ(whole("name=A100 SXM4 40GB,memory=5GiB"), 1);
  for (const char* text : {"name=NVIDIA H100 80GB HBM3", "name=NVIDIA H100 80GB HBM3,memory=40GiB",
                           "name=H100 PCIe,memory=79GiB", "name=RTX 3060,memory=4GiB", "name=M2,memory=4GiB",
                           "vendor=nvidia,cc=9.0,memory=10GiB"})
    EXPECT_EQ(whole(text), 0) << text;
}

}  // namespace
}  // namespace report::assume
