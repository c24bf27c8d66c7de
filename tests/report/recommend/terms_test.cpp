// SPDX-License-Identifier: MIT
// What a caller has no use for is no answer, and costs what is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "report/core/wording.h"
#include "report/recommend/recommend.h"
#include "report/score/score.h"
#include "tests/report/generated.h"
#include "tests/report/machines.h"

namespace report::recommend {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Tables& TheTables() {
  static const Tables tables = testing::TestTables();
  return tables;
}

Report Scored(Report report, Terms terms) {
  report.scores = score::ScoreAll(TheTables(), report.devices, report.measurements);
  report.terms = std::move(terms);
  return report;
}

std::optional<Recommendation> Answer(const Report& report, Use use = Use::kInference) {
  return Recommend(TheTables(), report, use);
}

std::optional<NoAnswer> None(const Report& report, Use use = Use::kInference) {
  EXPECT_FALSE(Answer(report, use));
  return WhyNone(TheTables(), report, use);
}

Terms Among(std::vector<std::string> names) {
  Terms terms;
  terms.among = std::move(names);
  return terms;
}

Terms AtLeast(std::uint64_t bytes) {
  Terms terms;
  terms.min_memory_bytes = bytes;
  return terms;
}

Terms Can(std::string name, bool proof = true) {
  Terms terms = Among({std::move(name)});
  terms.can = true;
  terms.proof = proof;
  return terms;
}

// The only figures of this runtime, so much faster.
Report Faster(Report report, std::string_view runtime, double by) {
  for (auto& m : report.measurements) {
    if (m.runtime == runtime) *m.rate *= by;
  }
  return report;
}

std::string ReasonOf(const std::vector<Rejected>& rejected, std::string_view runtime,
                     std::string_view device_id) {
  const auto found = std::find_if(rejected.begin(), rejected.end(), [&](const Rejected& option) {
    return option.runtime == runtime && option.device_id == device_id;
  });
  return found == rejected.end() ? "none" : found->reason;
}

constexpr std::string_view kGpu = "pci:0000:01:00.0";

TEST(Among, TheBestOfWhatIsNamedAndWhatThatCosts) {
  const auto machine = Faster(testing::Tie(), "vulkan", 2);
  EXPECT_EQ(Answer(Scored(machine, {}))->backend, "vulkan");
  const auto answer = Answer(Scored(machine, Among({"cuda", "hip", "cpu"})));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cuda");
  EXPECT_THAT(answer->tie, IsEmpty()) << "nothing ties with it that is not named";
  EXPECT_EQ(answer->confidence, Confidence::kHigh);
  EXPECT_THAT(answer->reasons, Contains("it measures 52 % of the speed of vulkan, which --among leaves out"));
  const auto cost = std::find_if(answer->reasons.begin(), answer->reasons.end(),
                                 [](const Reason& reason) { return reason.id == ReasonId::kFasterLeftOut; });
  ASSERT_NE(cost, answer->reasons.end());
  EXPECT_EQ(cost->option, "--among");
  EXPECT_THAT(cost->ways, ElementsAre("vulkan@pci:0000:01:00.0"));
  EXPECT_NEAR(cost->ratio.value(), 0.52, 0.01);
  EXPECT_EQ(ReasonOf(answer->rejected, "vulkan", kGpu), "not among cuda, hip and cpu, which --among names");
  EXPECT_EQ(ReasonOf(answer->rejected, "opencl", kGpu), "not among cuda, hip and cpu, which --among names");
  EXPECT_THAT(ReasonOf(answer->rejected, "cpu", "cpu:0"), HasSubstr("slower: "));
}

TEST(Among, TiesAreBrokenAsEverAmongWhatIsNamed) {
  const auto answer = Answer(Scored(testing::Tie(), Among({"opencl", "vulkan"})));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "vulkan");
  EXPECT_THAT(answer->tie, ElementsAre("opencl@pci:0000:01:00.0"));
  EXPECT_THAT(answer->reasons, Not(Contains(HasSubstr("leaves out")))) << "cuda is no faster";
}

TEST(Among, WhatLostBesidesKeepsItsOwnReason) {
  const auto answer = Answer(Scored(testing::Phantom(), Among({"cpu"})));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  const auto& rejected = answer->rejected;
  const auto wrong = std::find_if(rejected.begin(), rejected.end(), [](const Rejected& option) {
    return option.reason.find("wrong result") != std::string::npos;
  });
  ASSERT_NE(wrong, rejected.end());
  EXPECT_THAT(wrong->reason, HasSubstr("not among cpu, which --among names; "));
  EXPECT_THAT(answer->reasons, Contains(HasSubstr("is not usable: its fp32 matrix product gave a wrong")));
}

TEST(Among, TheProcessorIsForcedOnNobodyWhoDidNotNameIt) {
  EXPECT_EQ(Answer(Scored(testing::Nothing(), {}))->backend, "cpu");
  EXPECT_EQ(Answer(Scored(testing::Nothing(), Among({"cuda", "cpu"})))->backend, "cpu");
  const auto none = None(Scored(testing::Nothing(), Among({"vulkan", "cuda"})));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->asked, "--among vulkan,cuda");
  EXPECT_THAT(none->reason, HasSubstr("Vulkan is not installed"));
}

TEST(Among, WhereTheProcessorHasNoFigureTheRestIsNotCalledUnknown) {
  auto machine = testing::Tie();
  std::erase_if(machine.measurements, [](const auto& m) { return m.runtime == "cpu"; });
  const auto answer = Answer(Scored(machine, Among({"cpu"})));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  EXPECT_THAT(answer->reasons,
              Contains(HasSubstr("--among leaves out what is known to work here, such as ")));
  EXPECT_THAT(answer->reasons, Not(Contains(HasSubstr("nothing here is known to be better"))));
}

// As SYCL's way to a card that Level Zero reaches, too.
TEST(StandsOn, IsListedBesideWhatItStandsOnUnlessThatIsLeftOut) {
  auto report = Scored(testing::Tie(), {});
  for (Score& score : report.scores) {
    if (score.runtime == "vulkan") score.stands_on = "cuda";
  }
  auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cuda");
  EXPECT_THAT(answer->tie, Not(Contains(HasSubstr("vulkan"))));
  EXPECT_EQ(ReasonOf(answer->rejected, "vulkan", kGpu), "it stands on cuda, which reaches the device itself");
  for (const Rejected& option : answer->rejected)
    EXPECT_EQ(option.id == ReasonId::kStandsOn, option.runtime == "vulkan" && option.device_id == kGpu);
  report.terms = Among({"vulkan"});
  EXPECT_EQ(Answer(report)->backend, "vulkan");
  report.terms = {};
  report.terms.exclude = {"cuda"};
  answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "opencl") << "which stands on nothing";
  EXPECT_EQ(ReasonOf(answer->rejected, "vulkan", kGpu), "it stands on cuda, which --exclude names");
}

TEST(Exclude, RuntimesAndDevices) {
  Terms terms;
  terms.exclude = {"cuda"};
  auto answer = Answer(Scored(testing::Tie(), terms));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "vulkan");
  EXPECT_EQ(ReasonOf(answer->rejected, "cuda", kGpu), "by cuda, which --exclude names");
  terms.exclude = {"geforce"};
  terms.excluded_ids = {std::string(kGpu)};
  answer = Answer(Scored(testing::Tie(), terms));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  EXPECT_EQ(ReasonOf(answer->rejected, "cuda", kGpu), "on a device that --exclude names");
  EXPECT_THAT(answer->reasons, Contains(HasSubstr("which --exclude leaves out")));
  terms.exclude = {"geforce", "cpu"};
  const auto none = None(Scored(testing::Tie(), terms));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->asked, "--exclude geforce,cpu");
  EXPECT_THAT(none->reason, HasSubstr("--exclude leaves out what is known to work here"));
  terms.exclude = {"cpu"};
  terms.excluded_ids.clear();
  EXPECT_EQ(None(Scored(testing::Processor(), terms))->reason, "there is no GPU in this machine");
}

TEST(MinMemory, WhatHasLessIsLeftOutWithBothFigures) {
  constexpr std::uint64_t kGib = 1ULL << 30U;
  auto answer = Answer(Scored(testing::Tie(), AtLeast(11 * kGib)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cuda");
  auto machine = testing::Tie();
  auto& processor = *std::find_if(machine.devices.begin(), machine.devices.end(),
                                  [](const auto& device) { return device.id == "cpu:0"; });
  processor.memory.usable_bytes = 14 * kGib;
  answer = Answer(Scored(machine, AtLeast(13 * kGib)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu") << "by what it may use";
  EXPECT_EQ(ReasonOf(answer->rejected, "cuda", kGpu),
            "11 GiB of its memory can be used, and --min-memory asks for 13 GiB");
  EXPECT_THAT(answer->reasons, Contains(HasSubstr("which --min-memory leaves out")));
  const auto none = None(Scored(machine, AtLeast(15 * kGib)));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->asked, "--min-memory 15 GiB");
  EXPECT_THAT(none->reason, HasSubstr("14 GiB of its memory can be used")) << "the nearest";
  answer = Answer(Scored(machine, AtLeast(12240656787)));
  EXPECT_EQ(ReasonOf(answer->rejected, "cuda", kGpu),
            "12240656786 bytes of its memory can be used, and --min-memory asks for 12240656787 bytes");
}

TEST(MinMemory, WhatNobodyKnowsTheMemoryOfIsLeftOut) {
  const auto none = None(Scored(testing::Nothing(), AtLeast(1)));
  ASSERT_TRUE(none);
  auto untold = testing::Tie();
  std::reverse(untold.devices.begin(), untold.devices.end());  // as a described machine has them
  for (auto& device : untold.devices) {
    device.memory = {};
    for (auto& view : device.views) view.device.memory_total_bytes.reset();
  }
  EXPECT_THAT(None(Scored(untold, AtLeast(1)))->reason, HasSubstr("GeForce")) << "and not the processor";
  auto machine = testing::Tie();
  machine.devices.front().memory = {};
  const auto answer = Answer(Scored(machine, AtLeast(1)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  EXPECT_THAT(ReasonOf(answer->rejected, "cuda", kGpu), HasSubstr("nobody says how much memory it has, and"));
}

TEST(Can, WorksBeItTheBestOrNot) {
  const auto answer = Answer(Scored(testing::Tie(), Can("opencl")));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "opencl");
  EXPECT_EQ(Answer(Scored(testing::Tie(), Can("cpu")))->backend, "cpu");
}

TEST(Can, TellsWhyNot) {
  auto none = None(Scored(testing::BrokenDriver(), Can("vulkan")));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->asked, "--can vulkan");
  EXPECT_THAT(none->reason, HasSubstr("Vulkan crashed"));
  none = None(Scored(testing::Phantom(), Can("opencl")));
  ASSERT_TRUE(none);
  EXPECT_THAT(none->reason, HasSubstr("gave a wrong result"));
  none = None(Scored(testing::Processor(), Can("vulkan")));
  ASSERT_TRUE(none);
  EXPECT_THAT(none->reason, HasSubstr("a software device: it runs on the same processor"));
  EXPECT_EQ(None(Scored(testing::Tie(), Can("hip")))->reason, NotAskedText(*EmbeddedTables(), "hip"));
}

TEST(Can, AnEstimateIsNoProofInARunThatMeasures) {
  auto machine = testing::Tie();
  machine.measurements.clear();
  auto scored = Scored(machine, Can("cuda"));
  Score estimated;
  estimated.device_id = kGpu;
  estimated.runtime = "cuda";
  estimated.driver = "NVIDIA";
  estimated.tokens_per_s = estimated.ranking_tokens_per_s = Range{100, 90, 110};
  estimated.basis = Basis::kEstimated;
  estimated.eligible = true;
  scored.scores = {estimated};
  const auto none = None(scored);
  ASSERT_TRUE(none);
  EXPECT_THAT(none->reason, HasSubstr("no kernel was measured there"));
  scored.terms.proof = false;
  EXPECT_EQ(Answer(scored)->backend, "cuda") << "where nothing was meant to be measured";
  scored.terms = Can("cpu");
  EXPECT_TRUE(None(scored)) << "nothing shows that kernels run there either";
}

TEST(Terms, AnInterruptAndNotTheTermsIsWhyNothingIsSaid) {
  auto cut = testing::Nothing();
  cut.interrupted = true;
  EXPECT_FALSE(None(Scored(cut, Among({"cuda"}))));
}

// On machines that nobody thought of: the answer is of what the terms leave, scores stay as they are, every
// way is the answer, ties with it or is rejected, and where something is left and works there is an answer.
TEST(Terms, HoldOnAnyMachine) {
  constexpr std::array<const char*, 4> kRuntimes = {"cuda", "vulkan", "opencl", "cpu"};
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Terms terms;
    for (unsigned i = 0; i < kRuntimes.size(); ++i) {
      if ((seed >> i) % 2 == 1) terms.among.emplace_back(kRuntimes[i]);
    }
    if (seed % 3 == 0) terms.exclude = {"vulkan"};
    if (seed % 5 == 0) terms.min_memory_bytes = 1ULL << (20U + seed % 20);
    const auto report = Scored(testing::Generated(seed), terms);
    const auto answer = Answer(report);
    const auto none = answer ? std::nullopt : WhyNone(TheTables(), report, Use::kInference);
    EXPECT_TRUE(answer || none);
    EXPECT_FALSE(none && none->reason.empty());
    if (answer) {
      const auto& among = terms.among;
      EXPECT_TRUE(among.empty() || std::count(among.begin(), among.end(), answer->backend) == 1);
      EXPECT_TRUE(terms.exclude.empty() || answer->backend != "vulkan");
    }
    const auto& rejected = answer ? answer->rejected : none->rejected;
    for (const Score& score : report.scores) {
      if (score.use != Use::kInference) continue;
      const auto reason = ReasonOf(rejected, score.runtime, score.device_id);
      const bool named =
          terms.among.empty() || std::count(terms.among.begin(), terms.among.end(), score.runtime);
      const bool excluded = named && score.runtime == "vulkan" && !terms.exclude.empty();
      EXPECT_EQ(reason.starts_with("not among "), !named) << reason;
      EXPECT_EQ(reason.starts_with("by vulkan, which --exclude names"), excluded) << reason;
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace report::recommend
