// SPDX-License-Identifier: MIT
#include "report/recommend/recommend.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "report/core/devices.h"
#include "report/core/wording.h"
#include "report/score/score.h"
#include "tests/report/machines.h"

namespace report::recommend {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::optional<Recommendation> Answer(Report report, Use use = Use::kInference) {
  const auto tables = testing::TestTables();
  report.scores = score::ScoreAll(tables, report.devices, report.measurements);
  return Recommend(tables, report, use);
}

const Rejected* FindRejected(const Recommendation& answer, std::string_view runtime) {
  const auto found = std::find_if(answer.rejected.begin(), answer.rejected.end(),
                                  [&](const Rejected& option) { return option.runtime == runtime; });
  return found == answer.rejected.end() ? nullptr : &*found;
}

TEST(Recommend, ThePlainProcessorForBothUses) {
  for (const Use use : {Use::kInference, Use::kTraining}) {
    const auto answer = Answer(testing::Processor(), use);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->backend, "cpu");
    EXPECT_EQ(answer->device_id, "cpu:0");
    EXPECT_EQ(answer->basis, Basis::kMeasured);
    // Its 16 GiB do not hold a step of training.
    EXPECT_EQ(answer->confidence, use == Use::kTraining ? Confidence::kMedium : Confidence::kHigh);
    EXPECT_THAT(answer->tie, IsEmpty());
    EXPECT_THAT(answer->reasons, Contains("there is no GPU in this machine"));
    ASSERT_NE(FindRejected(*answer, "vulkan"), nullptr);
    EXPECT_THAT(FindRejected(*answer, "vulkan")->reason, HasSubstr("a software device"));
    EXPECT_THAT(FindRejected(*answer, "opencl")->reason, HasSubstr("of its native speed"));
  }
}

// Two cards of one model, the second faster by a chance of 0.4 %.
TEST(Recommend, OfEqualCardsTheFirstIsTheAnswerAndItsIdIsSaid) {
  Report report;
  for (const char* pci : {"0000:01:00.0", "0000:41:00.0"}) {
    auto gpu = testing::Gpu(pci, "NVIDIA L40S", probe::DeviceKind::kDiscrete, 48);
    testing::AddView(gpu, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
    report.devices.push_back(gpu);
    const double chance = report.devices.size() == 2 ? 1.004 : 1;
    testing::Measure(report, gpu.id, "cuda", "NVIDIA", kernels::Kernel::kGemm, chance * 300e12,
                     kernels::Dtype::kFp16);
    testing::Measure(report, gpu.id, "cuda", "NVIDIA", kernels::Kernel::kRead, chance * 800e9,
                     kernels::Dtype::kU32);
  }
  for (const Use use : {Use::kInference, Use::kTraining}) {
    const auto answer = Answer(report, use);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->device_id, "pci:0000:01:00.0");
    EXPECT_THAT(answer->tie, ElementsAre("cuda@pci:0000:41:00.0"));
    EXPECT_THAT(answer->reasons, Contains(HasSubstr("the first of equal cards")));
    Report busy = report;
    busy.devices[0].memory.free_bytes = 8ULL << 30U;
    EXPECT_EQ(Answer(busy, use)->device_id, "pci:0000:41:00.0") << "the idle one";
  }
  EXPECT_EQ(DeviceName(report.devices, "pci:0000:41:00.0"), "NVIDIA L40S (pci:0000:41:00.0)");
  report.devices.pop_back();
  EXPECT_EQ(DeviceName(report.devices, "pci:0000:01:00.0"), "NVIDIA L40S");
}

TEST(Recommend, NoShareAboveTheWholeArguesAgainstASoftwareDevice) {
  auto report = testing::Processor();
  for (auto& m : report.measurements) {
    if (m.runtime == "opencl") *m.rate *= 2.8;
  }
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->reasons, Contains("opencl and vulkan only reach the same processor, vulkan at 22 % of "
                                        "its native speed"));
  EXPECT_EQ(FindRejected(*answer, "opencl")->reason, "a software device: it runs on the same processor");
  for (auto& m : report.measurements) {
    if (m.runtime == "vulkan") *m.rate *= 20;
  }
  EXPECT_THAT(Answer(report)->reasons, Contains("opencl and vulkan only reach the same processor"));
}

TEST(Recommend, WhatLostToTheFastestOfATieIsNeverMeasuredAboveTheWhole) {
  auto report = testing::Tie();
  for (auto& m : report.measurements) {
    // cuda is as fast as opencl, which is a little faster; vulkan lies between cuda's tenth and opencl's.
    if (m.runtime == "opencl") *m.rate *= 1.04;
    if (m.runtime == "vulkan") *m.rate *= 0.97;
  }
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cuda");
  EXPECT_THAT(answer->tie, ElementsAre(HasSubstr("opencl@")));
  EXPECT_THAT(FindRejected(*answer, "vulkan")->reason, HasSubstr("slower: it measures 9"));
}

std::vector<ReasonId> IdsOf(const Recommendation& answer) {
  std::vector<ReasonId> ids;
  for (const Reason& reason : answer.reasons) ids.push_back(reason.id);
  return ids;
}

TEST(Reasons, TellProgramsWhatTheyCompare) {
  const auto tie = Answer(testing::Tie());
  EXPECT_EQ(tie->reasons.front().id, ReasonId::kEqual);
  EXPECT_EQ(tie->reasons.front().ways, tie->tie);
  const auto both = Answer(testing::DiscreteAndIntegrated());
  const auto lead = std::find_if(both->reasons.begin(), both->reasons.end(),
                                 [](const Reason& reason) { return reason.id == ReasonId::kFaster; });
  ASSERT_NE(lead, both->reasons.end());
  EXPECT_THAT(lead->ways, ElementsAre("vulkan@pci:0000:01:00.0"));
  EXPECT_GT(lead->ratio.value(), 1.0);
  const auto* slower = FindRejected(*both, "cpu");
  ASSERT_NE(slower, nullptr);
  EXPECT_EQ(slower->id, ReasonId::kSlower);
  EXPECT_LT(slower->ratio.value(), 1.0);
}

TEST(Reasons, TellWhyTheAnswerIsTheProcessor) {
  EXPECT_THAT(IdsOf(*Answer(testing::Processor())), ElementsAre(ReasonId::kNoGpu, ReasonId::kSameProcessor));
  EXPECT_EQ(FindRejected(*Answer(testing::Processor()), "vulkan")->id, ReasonId::kSoftware);
  EXPECT_THAT(IdsOf(*Answer(testing::Phantom())), Contains(ReasonId::kGpusUnusable));
  EXPECT_EQ(FindRejected(*Answer(testing::Phantom()), "opencl")->id, ReasonId::kUnusable);
  EXPECT_EQ(IdsOf(*Answer(testing::Nothing())).front(), ReasonId::kNotMounted);
  EXPECT_EQ(FindRejected(*Answer(testing::Nothing()), "vulkan")->id, ReasonId::kRuntimeFailed);
}

TEST(Recommend, TheDiscreteGpuAndNotTheIntegratedOne) {
  const auto answer = Answer(testing::DiscreteAndIntegrated());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->device_id, "pci:0000:01:00.0");
  const auto integrated =
      std::find_if(answer->rejected.begin(), answer->rejected.end(),
                   [](const Rejected& option) { return option.device_id == "pci:0000:0f:00.0"; });
  ASSERT_NE(integrated, answer->rejected.end());
  EXPECT_THAT(integrated->reason, HasSubstr("slower: "));
}

TEST(Recommend, NeverAGpuThatComputesWrongly) {
  auto report = testing::Phantom();
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  EXPECT_THAT(FindRejected(*answer, "opencl")->reason, HasSubstr("wrong result"));
  EXPECT_THAT(
      answer->reasons,
      Contains(HasSubstr("Intel Arc A770 Graphics is not usable: its fp32 matrix product gave a wrong")));
}

TEST(Recommend, NamesWhatHappenedToDriversAndHiddenDevices) {
  const auto answer = Answer(testing::BrokenDriver());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  std::vector<Rejected> crashes;
  std::copy_if(answer->rejected.begin(), answer->rejected.end(), std::back_inserter(crashes),
               [](const Rejected& option) { return option.runtime == "vulkan"; });
  ASSERT_THAT(crashes, ::testing::SizeIs(1)) << "the runtime did by its driver";
  EXPECT_EQ(crashes[0].driver, "radeon_icd.x86_64.json");
  EXPECT_THAT(crashes[0].reason, HasSubstr("Vulkan's driver radeon_icd.x86_64.json crashed"));
  EXPECT_THAT(FindRejected(*answer, "opencl")->reason, HasSubstr("OCL_ICD_VENDORS=/nonexistent"));
  EXPECT_THAT(answer->rejected, Contains(Field(&Rejected::reason, HasSubstr("/dev/dri/renderD128"))));
}

TEST(Recommend, WhatWasLeftOutIsSaidBesideTheAnswer) {
  auto report = testing::Processor();
  report.warnings.push_back(LeftOutWarning("looking for devices through Vulkan was interrupted twice"));
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->warnings, Contains(HasSubstr("--retry-crashed")));
  EXPECT_EQ(answer->confidence, Confidence::kMedium);
}

TEST(Recommend, AVariableThatChangesTheAnswersRuntimeIsSaidBesideIt) {
  auto report = testing::Processor();
  auto& probe = *std::find_if(report.probes.begin(), report.probes.end(),
                              [](const auto& one) { return one.module == "cpu"; });
  probe.environment = {{"SOME_LIMIT", "2"}};
  probe.warnings = {"SOME_LIMIT leaves out a half", "of no variable"};
  report.command = "recommend";
  EXPECT_THAT(Answer(report)->warnings, Contains("SOME_LIMIT leaves out a half"));
  EXPECT_THAT(Answer(report)->warnings, Not(Contains("of no variable")));
  report.command = kWholeReport;
  EXPECT_THAT(Answer(report)->warnings, Not(Contains(HasSubstr("SOME_LIMIT"))))
      << "which has a finding of it";
}

TEST(Recommend, DriversForAbsentHardwareRejectNothing) {
  auto report = testing::Processor();
  auto& driver = report.probes.back().drivers.emplace_back();
  driver.manifest = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";
  driver.outcome = probe::Outcome::kNoDevice;
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->rejected, ::testing::Each(Field(&Rejected::device_id, "cpu:0")));
}

TEST(Recommend, EqualBackendsAreATieBrokenByMaturity) {
  const auto answer = Answer(testing::Tie());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cuda");
  EXPECT_THAT(answer->tie, UnorderedElementsAre("vulkan@pci:0000:01:00.0", "opencl@pci:0000:01:00.0"));
  EXPECT_EQ(answer->confidence, Confidence::kMedium);
  EXPECT_THAT(answer->reasons,
              Contains("it measures like opencl and vulkan, and more software is ready for it"));
  EXPECT_EQ(FindRejected(*answer, "vulkan"), nullptr);
}

TEST(Recommend, ATieNamesThePhasesThatDisagree) {
  auto report = testing::Tie();
  for (auto& m : report.measurements) {
    const bool product = m.kernel == kernels::Kernel::kGemm;
    if (m.runtime == "vulkan") *m.rate *= product ? 0.7 : 1.1;
  }
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->reasons, Contains(HasSubstr(": cuda reads prompts faster, vulkan writes faster, ")));
}

TEST(Recommend, ATieIsStableUnderNoise) {
  std::set<std::string> answers;
  std::mt19937 random(1);
  std::normal_distribution<double> noise(1.0, 0.03);
  for (int run = 0; run < 20; ++run) {
    auto report = testing::Tie();
    for (auto& m : report.measurements) {
      // The median of 20 samples with 3 % noise each, and its interval.
      std::vector<double> samples(20);
      for (auto& sample : samples) sample = *m.rate * noise(random);
      std::sort(samples.begin(), samples.end());
      const double median = (samples[9] + samples[10]) / 2;
      m.ci95 = {samples[5] / median, samples[14] / median};
      m.rate = median;
    }
    const auto answer = Answer(report);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->tie.size(), 2U);
    answers.insert(answer->backend);
  }
  EXPECT_THAT(answers, ElementsAre("cuda"));
}

TEST(Recommend, MeasuredOrderAndNotMaturityDecidesOutsideATie) {
  auto report = testing::Tie();
  for (auto& m : report.measurements) {
    if (m.runtime == "opencl") *m.rate *= 1.2;
  }
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "opencl");
  EXPECT_THAT(answer->reasons, Contains("it measures 19 % faster than vulkan"));
}

TEST(Recommend, UsesMayDifferOnOneMachine) {
  auto report = testing::Tie();
  for (auto& m : report.measurements) {
    const bool product = m.kernel == kernels::Kernel::kGemm;
    if (m.runtime == "cuda") *m.rate *= product ? 1.5 : 0.8;
  }
  EXPECT_EQ(Answer(report, Use::kPrefill)->backend, "cuda");
  EXPECT_EQ(Answer(report, Use::kDecode)->backend, "vulkan");
}

TEST(Recommend, TheProcessorWhereItIsFaster) {
  const auto answer = Answer(testing::SlowIntegrated());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  EXPECT_THAT(answer->reasons,
              Contains("it should be 2.8 times as fast as vulkan on Intel UHD Graphics 770"));
}

TEST(Recommend, NothingMeasuredIsTheProcessorAndSaysSo) {
  const auto answer = Answer(testing::Nothing());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
  EXPECT_EQ(answer->device_id, "cpu:0");
  EXPECT_EQ(answer->basis, Basis::kEstimated);
  EXPECT_EQ(answer->confidence, Confidence::kLow);
  EXPECT_THAT(FindRejected(*answer, "vulkan")->reason, HasSubstr("not installed"));
}

TEST(Recommend, WhatCouldNotBeSeenOrWasNotAskedIsSaid) {
  EXPECT_EQ(Answer(testing::Nothing())->reasons.front(), "no GPU was found, and /proc is not mounted");
  auto narrow = testing::Nothing();
  narrow.warnings.clear();
  narrow.probes = {testing::Probe("sysfs", probe::Outcome::kOk, probe::Stage::kDone),
                   testing::Probe("cuda", probe::Outcome::kAbsent, probe::Stage::kLoad)};
  EXPECT_THAT(Answer(narrow)->reasons, ElementsAre("only cuda was asked", "there is no GPU in this machine"));
  narrow.probes[0].outcome = probe::Outcome::kNoDevice;
  narrow.probes[0].error = probe::Own(probe::OwnError::kNoSysfs, "list", "nothing");
  EXPECT_THAT(Answer(narrow)->reasons, Contains("no GPU was found, and its /sys is empty"));
}

TEST(Recommend, AnEmptyReportIsStillAnswered) {
  const auto answer = Answer(Report{});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "cpu");
}

TEST(Recommend, OnlyWhatWasCompleteBeforeAnInterruptIsAnAnswer) {
  auto report = testing::Nothing();
  report.interrupted = true;
  EXPECT_FALSE(Answer(report));
  auto measured = testing::Processor();
  measured.interrupted = true;
  const auto answer = Answer(measured);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->confidence, Confidence::kLow);
  EXPECT_THAT(answer->warnings, Contains(HasSubstr("interrupted")));
}

TEST(Recommend, InterruptedWhileMeasuringThereIsNoAnswer) {
  auto report = testing::Processor();
  report.interrupted = true;
  report.measurements.back().status = backends::MeasurementStatus::kInterrupted;
  EXPECT_FALSE(Answer(report));
}

TEST(Recommend, NoiseLowersConfidence) {
  auto report = testing::Processor();
  report.measurements[0].quality = backends::Quality::kNoisy;
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->confidence, Confidence::kLow);
  EXPECT_THAT(answer->warnings, Contains(HasSubstr("noisy")));
  const std::string limit = "its power limit of 700 W";
  report.measurements[0].limited_by = limit;
  EXPECT_THAT(Answer(report)->warnings, Contains(HasSubstr("noisy: its clocks go up and down at " + limit)));
  const auto kept = report.measurements;
  for (auto& m : report.measurements) m.quality = backends::Quality::kNoisy;
  EXPECT_THAT(Answer(report)->warnings, Contains(HasSubstr("noisy: something else")))
      << "what nothing held is noisy for another reason";
  report.measurements = kept;
  report.measurements[0].samples = 3;
  EXPECT_THAT(Answer(report)->warnings,
              Contains(HasSubstr("there was little time for cpu's figures: --thorough")));
  report.measurements[0].foreign_load = 0.97;
  EXPECT_THAT(Answer(report)->warnings, Contains(HasSubstr("other programs took 97 % of the processors")));
}

TEST(Recommend, OnlyCertainFiguresTellOfPowerAndHeat) {
  auto report = testing::Processor();
  report.measurements[0].throttled = true;
  EXPECT_THAT(Answer(report)->warnings, Contains(HasSubstr("slowed down while it was measured")));
  report.measurements[0].quality = backends::Quality::kNoisy;
  EXPECT_THAT(Answer(report)->warnings, Not(Contains(HasSubstr("slowed down"))));
}

TEST(Recommend, ManagementGraphicsAreNamedForWhatTheyAre) {
  const auto answer = Answer(testing::Server());
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->rejected, Contains(Field(&Rejected::reason, HasSubstr("a server's console"))));
}

TEST(Recommend, OrderOfDevicesAndMeasurementsDoesNotMatter) {
  for (const auto& machine : testing::Machines()) {
    const auto report = machine.build();
    auto turned = report;
    std::reverse(turned.measurements.begin(), turned.measurements.end());
    std::reverse(turned.devices.begin(), turned.devices.end());
    for (auto& device : turned.devices) std::reverse(device.views.begin(), device.views.end());
    const auto a = Answer(report);
    const auto b = Answer(turned);
    EXPECT_EQ(a->backend, b->backend) << machine.name;
    EXPECT_EQ(a->device_id, b->device_id) << machine.name;
  }
}

TEST(Ties, ByOverlapOrByFivePercent) {
  EXPECT_EQ(Compare({100, 90, 110}, {80, 70, 95}), Difference::kUnknown);
  EXPECT_EQ(Compare({100, 40, 160}, {99, 98, 100}), Difference::kUnknown);
  EXPECT_EQ(Compare({100, 90, 110}, {96, 90, 101}), Difference::kNone);
  EXPECT_EQ(Compare({100, 99.9, 100.1}, {95.5, 95.4, 95.6}), Difference::kNone);
  EXPECT_EQ(Compare({100, 99.9, 100.1}, {94, 93.9, 94.1}), Difference::kSome);
  EXPECT_EQ(Compare({94, 93.9, 94.1}, {100, 99.9, 100.1}), Difference::kSome);
}

// Every figure of the runtime, so much faster and so wide.
void MakeNoisy(Report& report, std::string_view runtime, double by, double half_width) {
  for (auto& m : report.measurements) {
    if (m.runtime != runtime) continue;
    *m.rate *= by;
    m.ci95 = {1 - half_width, 1 + half_width};
  }
}

TEST(Ties, ANoisyLeaderIsTakenAndCalledUndecided) {
  auto report = testing::Tie();
  MakeNoisy(report, "vulkan", 2.15, 0.6);
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->backend, "vulkan");
  EXPECT_THAT(answer->tie, IsEmpty());
  EXPECT_THAT(answer->undecided, UnorderedElementsAre("cuda@pci:0000:01:00.0", "opencl@pci:0000:01:00.0"));
  EXPECT_EQ(answer->confidence, Confidence::kLow);
  EXPECT_THAT(answer->warnings, Contains(AllOf(HasSubstr("is not decided"), HasSubstr("--thorough"))));
}

TEST(Ties, NorDoesAProcessorWinAgainstANoisyGpu) {
  auto report = testing::SlowIntegrated();
  MakeNoisy(report, "vulkan", 30, 0.9);
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->backend, "cpu");
  EXPECT_EQ(answer->confidence, Confidence::kLow);
}

TEST(Recommend, NoiseOfTheProductThatBoundsWritingLowersConfidence) {
  for (const bool noisy : {false, true}) {
    auto report = testing::Processor();
    auto& gemv =
        testing::Measure(report, "cpu:0", "cpu", "native", kernels::Kernel::kGemv, 25e9, kernels::Dtype::kQ4);
    if (noisy) gemv.quality = backends::Quality::kNoisy;
    const auto answer = Answer(report);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->confidence == Confidence::kLow, noisy);
  }
}

TEST(Ties, OfDifferentCardsAlikeTheOneWithMoreMemory) {
  Report report;
  for (const auto& [pci, name, gib, by] :
       {std::tuple("0000:01:00.0", "Card A", 16.0, 1.01), {"0000:02:00.0", "Card B", 32.0, 1.0}}) {
    auto gpu = testing::Gpu(pci, name, probe::DeviceKind::kDiscrete, gib);
    testing::AddView(gpu, "vulkan", "RADV", probe::DeviceKind::kDiscrete);
    report.devices.push_back(gpu);
    testing::Measure(report, gpu.id, "vulkan", "RADV", kernels::Kernel::kGemm, 20e12 * by);
    testing::Measure(report, gpu.id, "vulkan", "RADV", kernels::Kernel::kRead, 500e9 * by,
                     kernels::Dtype::kU32);
  }
  report.devices.push_back(testing::Cpu());
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->device_id, "pci:0000:02:00.0");
  EXPECT_THAT(answer->reasons, Contains(HasSubstr("and it has more memory")));
  report.devices[0].memory = {};
  const auto unknown = Answer(report);
  ASSERT_TRUE(unknown);
  EXPECT_THAT(unknown->reasons, Not(Contains(HasSubstr("more memory")))) << "nobody knows the other's";
}

TEST(Ties, ManyEqualCardsAreCountedAndNotNamed) {
  Report report;
  for (int i = 1; i <= 8; ++i) {
    auto gpu = testing::Gpu(fmt::format("0000:0{}:00.0", i), "NVIDIA L40S", probe::DeviceKind::kDiscrete, 48);
    testing::AddView(gpu, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
    report.devices.push_back(gpu);
    testing::Measure(report, gpu.id, "cuda", "NVIDIA", kernels::Kernel::kGemm, 90e12);
    testing::Measure(report, gpu.id, "cuda", "NVIDIA", kernels::Kernel::kRead, 800e9, kernels::Dtype::kU32);
  }
  report.devices.push_back(testing::Cpu());
  const auto answer = Answer(report);
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->reasons,
              Contains("it measures like 7 more NVIDIA L40S, and it is the first of equal cards"));
}

}  // namespace
}  // namespace report::recommend
