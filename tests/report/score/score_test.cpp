// SPDX-License-Identifier: MIT
#include "report/score/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/core/devices.h"
#include "report/explain/explain.h"
#include "tests/report/machines.h"

namespace report::score {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using probe::DeviceKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<Score> Scores(const Report& report) {
  return ScoreAll(testing::TestTables(), report.devices, report.measurements);
}

Score Find(const std::vector<Score>& scores, std::string_view runtime, Use use,
           std::string_view device = "") {
  const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& score) {
    return score.runtime == runtime && score.use == use && (device.empty() || score.device_id == device);
  });
  EXPECT_NE(found, scores.end()) << runtime;
  return *found;
}

// One GPU with the given rates, alone with an unmeasured processor.
Report OneGpu(double gib, double product, double read) {
  Report report;
  auto gpu = testing::Gpu("0000:01:00.0", "GPU", DeviceKind::kDiscrete, gib);
  testing::AddView(gpu, "cuda", "NVIDIA", DeviceKind::kDiscrete);
  report.devices = {gpu, testing::Cpu()};
  testing::Measure(report, gpu.id, "cuda", "NVIDIA", Kernel::kGemm, product, Dtype::kFp16);
  testing::Measure(report, gpu.id, "cuda", "NVIDIA", Kernel::kRead, read, Dtype::kU32);
  return report;
}

// The last figure with that kernel was dropped for want of time.
void DropForTime(Report& report, Kernel kernel) {
  for (auto& m : report.measurements) {
    if (m.kernel != kernel) continue;
    m.status = backends::MeasurementStatus::kOverBudget;
    m.verified = false;
    m.rate = std::nullopt;
  }
}

// Worked by hand from the request: 512 tokens x (2 x 7.504924672e9 + 2 x 32 x 4096 x 512) flop in, then
// 4.92e9 + 131072 x 576 bytes a token, with 1.8 ms a token.
TEST(Model, FollowsItsFormulas) {
  const auto request = testing::TestTables().reference;
  Inputs in;
  in.prompt_flop_per_s = in.step_flop_per_s = 50e12;
  in.token_bytes_per_s = 0.8e12;
  in.copy_bytes_per_s = 1e12;
  in.prompt_overhead_s = in.token_overhead_s = 0.0018;
  const auto times = Predict(request, in);
  EXPECT_NEAR(times.prefill_s, 512 * (15009849344.0 + 134217728.0) / 50e12 + 0.0018, 1e-9);
  EXPECT_NEAR(times.token_s, (4.92e9 + 131072.0 * 576) / 0.8e12 + 0.0018, 1e-9);
  const double step_flop = 4096 * (4 * 7504924672.0 + 6 * 41943040.0 + 6 * 32 * 4096 * 2048.0);
  EXPECT_NEAR(times.step_s, step_flop / 50e12 + 41943040.0 * 28 / 1e12, 1e-9);
  EXPECT_NEAR(TokensPerSecond(request, times, Use::kInference), 640 / (times.prefill_s + 128 * times.token_s),
              1e-9);
  EXPECT_NEAR(TokensPerSecond(request, times, Use::kPrefill), 512 / times.prefill_s, 1e-9);
  EXPECT_NEAR(TokensPerSecond(request, times, Use::kDecode), 1 / times.token_s, 1e-9);
  EXPECT_NEAR(TokensPerSecond(request, times, Use::kTraining), 4096 / times.step_s, 1e-9);
}

TEST(Model, CountsTheLayersThatFit) {
  const auto request = testing::TestTables().reference.inference;
  EXPECT_EQ(ResidentShare(request, NeededBytes(request)), 1);
  EXPECT_EQ(ResidentShare(request, 0), 0);
  const double half = ResidentShare(request, (NeededBytes(request) + request.buffer_bytes) / 2);
  EXPECT_EQ(half * request.layers, 16);
}

// A file may say anything: what has no end would be equal to all that is faster.
TEST(Score, AnIntervalEndsOnBothSidesOfItsRate) {
  backends::Measurement m;
  m.rate = 1e9;
  m.ci95 = {{0, 1e24}};
  const Range range = RangeOf(m);
  EXPECT_DOUBLE_EQ(range.low, 1e7);
  EXPECT_DOUBLE_EQ(range.high, 1e11);
}

TEST(Score, RangesHoldTheirValues) {
  for (const auto& machine : testing::Machines()) {
    for (const auto& score : Scores(machine.build())) {
      if (!score.tokens_per_s) continue;
      for (const auto& range : {*score.tokens_per_s, *score.ranking_tokens_per_s}) {
        EXPECT_GT(range.low, 0) << machine.name;
        EXPECT_LE(range.low, range.value) << machine.name;
        EXPECT_LE(range.value, range.high) << machine.name;
      }
    }
  }
}

TEST(Score, AssumedFactorsDoNotOrder) {
  auto report = OneGpu(24, 50e12, 500e9);
  const auto by_cuda = Find(Scores(report), "cuda", Use::kInference);
  report.devices[0].views[0].device.runtime = "opencl";
  for (auto& m : report.measurements) m.runtime = "opencl";
  const auto by_opencl = Find(Scores(report), "opencl", Use::kInference);
  EXPECT_DOUBLE_EQ(by_cuda.tokens_per_s->value, by_opencl.tokens_per_s->value);
  EXPECT_LT(by_opencl.tokens_per_s->low, by_cuda.tokens_per_s->low * 0.9);
  for (const auto& score : {by_cuda, by_opencl})
    EXPECT_DOUBLE_EQ(score.tokens_per_s->value, score.ranking_tokens_per_s->value);
}

TEST(Score, TheFastestVerifiedTypeCounts) {
  auto report = OneGpu(24, 50e12, 500e9);
  auto& wrong =
      testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kGemm, 900e12, Dtype::kBf16);
  wrong.status = backends::MeasurementStatus::kWrongResult;
  wrong.verified = false;
  testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kGemm, 800e12, Dtype::kInt8);
  const auto& score = Find(Scores(report), "cuda", Use::kPrefill);
  ASSERT_TRUE(score.eligible);
  EXPECT_EQ(score.parts[0].limited_by, "fp16 matrix product 50.0 TFLOP/s");
}

TEST(Score, UnverifiedIsNeverEligible) {
  auto report = OneGpu(24, 50e12, 500e9);
  for (auto& m : report.measurements) m.verified = false;
  const auto& score = Find(Scores(report), "cuda", Use::kInference);
  EXPECT_FALSE(score.eligible);
  EXPECT_FALSE(score.tokens_per_s);
}

TEST(Score, AWrongResultIsTheReason) {
  const auto scores = Scores(testing::Phantom());
  const auto& score = Find(scores, "opencl", Use::kInference);
  EXPECT_FALSE(score.eligible);
  EXPECT_THAT(score.reasons, Contains(HasSubstr("gave a wrong result")));
  EXPECT_THAT(Find(scores, "opencl", Use::kTraining).reasons.front(), HasSubstr("gave a wrong result"))
      << "that comes before what no framework does with it";
}

TEST(Score, SoftwareDevicesOnlyReachTheProcessor) {
  auto report = testing::Processor();
  for (auto& view : report.devices[0].views) view.device.memory_total_bytes = 1ULL << 40U;
  for (auto& m : report.measurements) {
    if (m.runtime == "opencl") *m.rate *= 100;
  }
  const auto scores = Scores(report);
  for (const Use use : kUses) {
    EXPECT_TRUE(Find(scores, "cpu", use).eligible);
    EXPECT_FALSE(Find(scores, "opencl", use).eligible);
    EXPECT_FALSE(Find(scores, "vulkan", use).eligible);
  }
  EXPECT_THAT(Find(scores, "vulkan", Use::kInference).reasons,
              Contains("a software device: it runs on the same processor, 22 % of its native speed"));
}

TEST(Score, OnlyRuntimesWithAFrameworkTrain) {
  auto report = testing::DiscreteAndIntegrated();
  report.devices.back().memory.free_bytes = 64ULL << 30U;
  const auto scores = Scores(report);
  EXPECT_TRUE(Find(scores, "cuda", Use::kTraining).eligible);
  EXPECT_TRUE(Find(scores, "cpu", Use::kTraining).eligible);
  const auto& vulkan = Find(scores, "vulkan", Use::kTraining);
  EXPECT_FALSE(vulkan.eligible);
  EXPECT_THAT(vulkan.reasons, Contains("no training framework runs on Vulkan"));
}

TEST(Score, AClaimOfMatrixUnitsChangesNothing) {
  auto report = testing::DiscreteAndIntegrated();
  const auto with = Find(Scores(report), "vulkan", Use::kPrefill, "pci:0000:01:00.0").tokens_per_s->value;
  for (auto& view : report.devices[0].views) view.device.matrix_units.clear();
  const auto without = Find(Scores(report), "vulkan", Use::kPrefill, "pci:0000:01:00.0").tokens_per_s->value;
  EXPECT_DOUBLE_EQ(with, without);
}

// The prompt's shape was measured of the slower type only.
TEST(Score, ASlowerTypesPromptDoesNotHideAFasterType) {
  auto report = OneGpu(24, 100e12, 500e9);
  const auto id = report.devices[0].id;
  const auto before = Find(Scores(report), "cuda", Use::kPrefill);
  auto& prompt = testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kGemm, 20e12);
  prompt.shape = kernels::Problem{kPromptRows, 4096, 4096, 0, 0};
  const auto& after = Find(Scores(report), "cuda", Use::kPrefill);
  EXPECT_THAT(after.parts[0].limited_by, HasSubstr("fp16 matrix product 100 TFLOP/s"));
  testing::Measure(report, id, "cuda", "NVIDIA", Kernel::kGemm, 90e12, Dtype::kFp16).shape = prompt.shape;
  EXPECT_LT(Find(Scores(report), "cuda", Use::kPrefill).tokens_per_s->value, after.tokens_per_s->value)
      << "at the prompt's shape, where that is known";
}

TEST(Score, OfSeveralFailuresTheGravestIsTheReason) {
  auto report = testing::Processor();
  for (auto& m : report.measurements) {
    if (m.driver != "llvmpipe") continue;
    m.status = m.kernel == Kernel::kGemm ? backends::MeasurementStatus::kFailed
                                         : backends::MeasurementStatus::kWrongResult;
    m.verified = false;
    m.rate = std::nullopt;
  }
  for (const Use use : {Use::kInference, Use::kTraining}) {
    const auto scores = Scores(report);
    const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& score) {
      return score.runtime == "vulkan" && score.use == use;
    });
    ASSERT_NE(found, scores.end());
    const auto failure =
        std::find_if(found->reasons.begin(), found->reasons.end(), [](const std::string& reason) {
          return reason.find("wrong") != std::string::npos || reason.find("fail") != std::string::npos;
        });
    ASSERT_NE(failure, found->reasons.end());
    EXPECT_THAT(*failure, HasSubstr("wrong"));
  }
}

TEST(Score, OnlyTheKernelsWordTellsAMaker) {
  auto report = OneGpu(24, 100e12, 500e9);
  const auto before = Find(Scores(report), "cuda", Use::kDecode).tokens_per_s->value;
  report.devices[0].views[0].device.identity.ids = probe::PciIds{0x8086, 1, {}, {}, {}};
  EXPECT_EQ(Find(Scores(report), "cuda", Use::kDecode).tokens_per_s->value, before) << "a driver claims it";
  report.devices[0].hardware->identity.ids = probe::PciIds{0x8086, 1, {}, {}, {}};
  EXPECT_NE(Find(Scores(report), "cuda", Use::kDecode).tokens_per_s->value, before);
}

TEST(Score, ADeviceThatHoldsNoLayerIsNoWay) {
  auto report = testing::Server();
  report.devices[1].memory.free_bytes = 500ULL << 20U;
  const auto& none = Find(Scores(report), "vulkan", Use::kInference);
  EXPECT_FALSE(none.eligible);
  EXPECT_FALSE(none.tokens_per_s);
  EXPECT_THAT(none.reasons, Contains(HasSubstr("none of 32 layers fits")));
  report.devices[1].memory.free_bytes = 1ULL << 30U;
  EXPECT_TRUE(Find(Scores(report), "vulkan", Use::kInference).eligible);
}

// 16.06e9 of weights, 41.9e6 x 16 of adapters, 4096 x 4096 x (32 x 2 + 34) of activations, 4096 x 128256 x 8
// of logits.
TEST(Score, ATrainingStepNeedsMoreThanItsWeights) {
  const auto request = testing::TestTables().reference;
  const double needed = NeededTrainingBytes(request);
  EXPECT_NEAR(needed, 16060522496.0 + 41943040.0 * 16 + 16777216.0 * 98 + 4096.0 * 128256 * 8, 1);
  auto report = OneGpu(20, 50e12, 500e9);
  const auto& tight = Find(Scores(report), "cuda", Use::kTraining);
  EXPECT_DOUBLE_EQ(*tight.needed_bytes, needed);
  EXPECT_THAT(tight.reasons, Contains(HasSubstr("a step needs 21 GiB")));
  EXPECT_THAT(Find(Scores(OneGpu(24, 50e12, 500e9)), "cuda", Use::kTraining).reasons, IsEmpty());
}

// A card, and a host with so much memory of its own.
Report CardAndHost(double gib, double product, double host_gib, std::optional<double> upload) {
  auto report = OneGpu(gib, product, 500e9);
  auto& host = report.devices[1];
  testing::AddView(host, "cpu", "native", DeviceKind::kCpu);
  host.memory.free_bytes = static_cast<std::uint64_t>(host_gib * 0x1p30);
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemm, 500e9, Dtype::kFp32);
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kRead, 50e9, Dtype::kU32);
  if (upload)
    testing::Measure(report, report.devices[0].id, "cuda", "NVIDIA", Kernel::kHostToDevice, *upload,
                     Dtype::kU32);
  return report;
}

TEST(Score, WeightsThatDoNotFitAStepAreBroughtFromTheHostTwice) {
  const auto request = testing::TestTables().reference;
  for (const auto& [upload, rate] :
       {std::pair(std::optional(10e9), 10e9), std::pair(std::optional<double>(), 500e9 / 64)}) {
    const auto report = CardAndHost(20, 50e12, 64, upload);
    const auto streamed = Find(Scores(report), "cuda", Use::kTraining);
    EXPECT_TRUE(streamed.eligible);
    ASSERT_TRUE(streamed.streamed_bytes);
    const auto free = static_cast<double>(*report.devices[0].memory.free_bytes);
    EXPECT_NEAR(*streamed.streamed_bytes, NeededTrainingBytes(request) - free, 1);
    ASSERT_EQ(streamed.parts.size(), 2U);
    EXPECT_NEAR(streamed.parts[1].seconds, 2 * *streamed.streamed_bytes / rate, 1e-9);
    EXPECT_NEAR(streamed.tokens_per_s->value,
                request.training.step_tokens / (streamed.parts[0].seconds + streamed.parts[1].seconds), 1e-6);
    EXPECT_THAT(streamed.reasons, Contains(HasSubstr("QLoRA")));
    EXPECT_THAT(explain::OneLine(testing::TestTables(), report, streamed), HasSubstr(" from the host)"));
  }
}

TEST(Score, ARateThatIsMeasuredIsNoDisadvantage) {
  const auto speed = [](std::optional<double> upload) {
    return Find(Scores(CardAndHost(12, 50e12, 64, upload)), "cuda", Use::kTraining).tokens_per_s->value;
  };
  EXPECT_GT(speed(10e9), speed(std::nullopt));
}

TEST(Score, WhatCanNotDoAStepIsNoWayWhereSomethingElseIs) {
  struct Row {
    double gib;
    double host_gib;
    bool integrated;
    bool gpu;
    bool cpu;
  };
  // The GPU streams; has not even what a step takes beside its weights; the host has no room for them either;
  // or it is the host's own memory.
  for (const Row& row : {Row{12, 12, false, true, false}, Row{3, 64, false, false, true},
                         Row{12, 4, false, true, true}, Row{12, 64, true, false, true}}) {
    auto report = CardAndHost(row.gib, 50e12, row.host_gib, 10e9);
    if (row.integrated) report.devices[0].kind = DeviceKind::kIntegrated;
    const auto scores = Scores(report);
    EXPECT_EQ(Find(scores, "cuda", Use::kTraining).eligible, row.gpu) << row.gib << " " << row.host_gib;
    EXPECT_EQ(Find(scores, "cpu", Use::kTraining).eligible, row.cpu) << row.gib << " " << row.host_gib;
  }
}

// A request needs 5.1 GiB: on the processor all of it, beside a card that holds a part the rest.
TEST(Score, WhatDoesNotFitARequestIsNoWayWhereSomethingElseIs) {
  struct Row {
    double gib;
    double host_gib;
    bool gpu;
    bool cpu;
  };
  for (const Row& row : {Row{24, 0.5, true, false}, Row{24, 12, true, true}, Row{3, 4, true, false},
                         Row{3, 0.5, true, true}}) {
    const auto scores = Scores(CardAndHost(row.gib, 1e12, row.host_gib, std::nullopt));
    for (const Use use : {Use::kInference, Use::kPrefill, Use::kDecode}) {
      EXPECT_EQ(Find(scores, "cuda", use).eligible, row.gpu) << row.gib << " " << row.host_gib;
      EXPECT_EQ(Find(scores, "cpu", use).eligible, row.cpu) << row.gib << " " << row.host_gib;
    }
  }
  // One that shares the host's memory takes its layers from the same, but for what is its own.
  struct Own {
    double gib, free_gib;
    bool fits;
  };
  for (const auto& [own_gib, free_gib, fits] : {Own{0, 0, false}, {3, 3, true}, {8, 1, false}}) {
    auto shared = CardAndHost(3, 1e12, 4, std::nullopt);
    shared.devices[0].kind = DeviceKind::kIntegrated;
    auto& hardware = shared.devices[0].hardware.emplace();
    hardware.vram_bytes = static_cast<std::uint64_t>(own_gib * 0x1p30);
    hardware.memory_free_bytes = static_cast<std::uint64_t>(free_gib * 0x1p30);
    const auto scores = Scores(shared);
    EXPECT_TRUE(Find(scores, "cuda", Use::kDecode).eligible);
    EXPECT_EQ(Find(scores, "cuda", Use::kDecode).fits.value_or(true), fits) << own_gib;
    EXPECT_EQ(Find(scores, "cpu", Use::kDecode).eligible, !fits) << own_gib;
    EXPECT_EQ(Find(scores, "cpu", Use::kDecode).fits, false);
  }
  const auto neither = Scores(CardAndHost(3, 1e12, 0.5, std::nullopt));
  EXPECT_EQ(Find(neither, "cuda", Use::kDecode).fits, false);
  EXPECT_THAT(
      Find(neither, "cpu", Use::kDecode).reasons,
      ElementsAre("Llama 3 8B needs 5.1 GiB and 512 MiB are free; the speed is told as if it fitted"));
  EXPECT_THAT(Find(neither, "cuda", Use::kDecode).reasons,
              ElementsAre(HasSubstr("whose memory does not hold it; the speed is told as if it fitted")));
}

// With half the speed and all the memory that is needed.
TEST(Score, OfTwoCardsTheOneThatHoldsTheStepMayBeFaster) {
  const auto speed = [](double gib, double product) {
    return Find(Scores(CardAndHost(gib, product, 64, 1e9)), "cuda", Use::kTraining).tokens_per_s->value;
  };
  EXPECT_GT(speed(24, 40e12), speed(12, 50e12));
  EXPECT_LT(speed(24, 40e12), speed(24, 50e12));
}

// Of memory that the processor shares each runtime counts its own part.
TEST(Score, WhatFitsASharedMemoryIsWhatTheRuntimeItselfCounts) {
  auto report = OneGpu(24, 50e12, 500e9);
  auto& gpu = report.devices[0];
  auto& view = gpu.views.at(0).device;
  EXPECT_THAT(Find(Scores(report), "cuda", Use::kDecode).reasons, Not(Contains(HasSubstr("layers on it"))));
  view.memory_total_bytes = 2ULL << 30U;
  view.memory_free_bytes = 1ULL << 30U;
  EXPECT_THAT(Find(Scores(report), "cuda", Use::kDecode).reasons, Not(Contains(HasSubstr("layers on it"))))
      << "a card's own memory is the card's";
  gpu.kind = probe::DeviceKind::kIntegrated;
  EXPECT_THAT(Find(Scores(report), "cuda", Use::kDecode).reasons, Contains(HasSubstr("1.0 GiB are free")));
  view.memory_free_bytes.reset();
  EXPECT_THAT(Find(Scores(report), "cuda", Use::kDecode).reasons, Contains(HasSubstr("2.0 GiB are free")));
  view.memory_total_bytes.reset();
  EXPECT_THAT(Find(Scores(report), "cuda", Use::kDecode).reasons, Not(Contains(HasSubstr("layers on it"))));
}

TEST(Score, ASplitNeedsTheProcessorsFigures) {
  const auto scores = Scores(OneGpu(2, 50e12, 500e9));
  EXPECT_FALSE(Find(scores, "cuda", Use::kDecode).eligible);
  EXPECT_THAT(Find(scores, "cuda", Use::kDecode).reasons, Contains(HasSubstr("nowhere that was measured")));
  EXPECT_TRUE(Find(Scores(OneGpu(24, 50e12, 500e9)), "cuda", Use::kDecode).eligible);
}

TEST(Score, TheIntervalOfTheMeasurementsIsTheRangeOfTheOrder) {
  auto report = OneGpu(24, 50e12, 500e9);
  for (auto& m : report.measurements) m.ci95 = {0.9, 1.2};
  const auto wide = *Find(Scores(report), "cuda", Use::kTraining).ranking_tokens_per_s;
  EXPECT_NEAR(wide.low / wide.value, 0.9, 1e-6);
  EXPECT_NEAR(wide.high / wide.value, 1.2, 1e-6);
}

TEST(Score, NoLowerBoundIsZeroOrBelowHoweverNoisyAFigureIs) {
  for (const double low : {-1.5, -1.0, 0.0, 1e-12, 5.0}) {
    auto report = OneGpu(24, 50e12, 500e9);
    for (auto& m : report.measurements) m.ci95 = {low, 30.0};
    for (const Score& score : Scores(report)) {
      for (const auto& range : {score.tokens_per_s, score.ranking_tokens_per_s}) {
        if (!range) continue;
        EXPECT_GT(range->low, 0) << low;
        EXPECT_LE(range->low, range->value) << low;
        EXPECT_LE(range->value, range->high) << low;
      }
    }
  }
}

TEST(Score, ARuntimeWithoutFactsIsStillScored) {
  auto report = OneGpu(24, 50e12, 500e9);
  report.devices[0].views[0].device.runtime = "abacus";
  for (auto& m : report.measurements) m.runtime = "abacus";
  EXPECT_TRUE(Find(Scores(report), "abacus", Use::kInference).eligible);
}

TEST(Score, TwoViewsOfOneWayAreScoredOnce) {
  auto report = OneGpu(24, 50e12, 500e9);
  report.devices[0].views.push_back(report.devices[0].views[0]);
  EXPECT_EQ(Scores(report).size(), kUses.size());
}

TEST(ScoreAll, FactsStandInForAFigureThatTimeRanOutBefore) {
  auto report = OneGpu(24, 100e12, 1e12);
  std::vector<backends::Measurement> estimates = report.measurements;
  *estimates.back().rate = 0.5e12;
  DropForTime(report, Kernel::kRead);
  const auto score = Find(ScoreAll(testing::TestTables(), report.devices, report.measurements, estimates),
                          "cuda", Use::kInference);
  EXPECT_TRUE(score.eligible);
  EXPECT_EQ(score.basis, Basis::kEstimated);
  EXPECT_THAT(score.reasons, Contains(HasSubstr("its memory speed is estimated from facts")));
  EXPECT_THAT(score.reasons, Contains(HasSubstr("--thorough")));
}

TEST(ScoreAll, FactsStandInForMemoryThatOnlyCachesWereLeftOf) {
  auto report = OneGpu(24, 100e12, 1e12);
  const auto estimates = report.measurements;
  DropForTime(report, Kernel::kRead);
  const auto reason = std::string("arrays of 50 MiB ").append(backends::kInTheCaches);
  for (auto& m : report.measurements) {
    if (m.kernel == Kernel::kRead) m.reason = reason;
  }
  const auto score = Find(ScoreAll(testing::TestTables(), report.devices, report.measurements, estimates),
                          "cuda", Use::kInference);
  EXPECT_EQ(score.basis, Basis::kEstimated);
  EXPECT_THAT(score.reasons, Contains("its memory speed is estimated from facts: " + reason));
  EXPECT_THAT(score.reasons, Not(Contains(HasSubstr("budget"))));
}

TEST(ScoreAll, FactsStandInForNothingElse) {
  auto report = OneGpu(24, 100e12, 1e12);
  const auto estimates = report.measurements;
  const auto tables = testing::TestTables();
  auto late = report;
  DropForTime(late, Kernel::kRead);
  const auto missing = Find(ScoreAll(tables, late.devices, late.measurements), "cuda", Use::kInference);
  EXPECT_FALSE(missing.eligible) << "no facts are known";
  EXPECT_THAT(missing.reasons, Contains("its memory speed was not measured: the time budget ran out; "
                                        "--thorough gives more"));
  auto half = late;
  std::erase_if(half.measurements, [](const auto& m) { return m.kernel == Kernel::kGemm; });
  EXPECT_FALSE(
      Find(ScoreAll(tables, half.devices, half.measurements, estimates), "cuda", Use::kTraining).tokens_per_s)
      << "why there is no product nobody knows";
  DropForTime(late, Kernel::kGemm);
  const auto both =
      Find(ScoreAll(tables, late.devices, late.measurements, estimates), "cuda", Use::kTraining);
  EXPECT_FALSE(both.eligible) << "no kernel of this card was ever verified";
  EXPECT_THAT(both.reasons, Contains(HasSubstr("its matrix and memory speed was not measured")));
  report.measurements.back().status = backends::MeasurementStatus::kWrongResult;
  EXPECT_FALSE(
      Find(ScoreAll(tables, report.devices, report.measurements, estimates), "cuda", Use::kDecode).eligible);
}

}  // namespace
}  // namespace report::score
