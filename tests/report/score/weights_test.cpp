// SPDX-License-Identifier: MIT
// What the processor is predicted from: figures of the request's weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/core/devices.h"
#include "report/score/score.h"
#include "tests/report/machines.h"

namespace report::score {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using probe::DeviceKind;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Score Find(const Tables& tables, const Report& report, Use use) {
  const auto scores = ScoreAll(tables, report.devices, report.measurements);
  const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& score) {
    return score.runtime == "cpu" && score.use == use;
  });
  EXPECT_NE(found, scores.end());
  return *found;
}

// A processor with a product in fp32 and a read.
Report Native() {
  Report report;
  auto cpu = testing::Cpu();
  testing::AddView(cpu, "cpu", "native", DeviceKind::kCpu);
  report.devices = {std::move(cpu)};
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemm, 400e9);
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kRead, 40e9, Dtype::kU32);
  return report;
}

const WeightFactors& NativeFactors(std::string_view weights) {
  static const Tables tables = testing::TestTables();
  auto request = tables.reference.inference;
  request.weights = weights;
  return *FactorsOf(report::Find(tables, "cpu")->factors, request);
}

TEST(Weights, WritingFollowsTheProductOfTheRequestsWeightsWithAVector) {
  auto report = Native();
  const auto by_read = Find(testing::TestTables(), report, Use::kDecode);
  EXPECT_THAT(by_read.parts[0].limited_by, HasSubstr("read"));
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 1e12, Dtype::kQ8);
  EXPECT_EQ(Find(testing::TestTables(), report, Use::kDecode).tokens_per_s->value,
            by_read.tokens_per_s->value)
      << "other weights";
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 30e9, Dtype::kQ4);
  for (const double read : {40e9, 90e9}) {
    report.measurements[1].rate = read;
    const auto score = Find(testing::TestTables(), report, Use::kDecode);
    EXPECT_THAT(score.parts[0].limited_by, HasSubstr("q4 matrix-vector"));
    const double token_bytes = 4.92e9 + 131072.0 * 576;
    const double token_s = token_bytes / (NativeFactors("q4").decode.value * 30e9);
    EXPECT_NEAR(1 / score.tokens_per_s->value, token_s + testing::TestTables().fit.token_overhead_s, 1e-9);
  }
}

TEST(Weights, AnotherRequestsWeightsHaveTheirOwnFigures) {
  auto tables = testing::TestTables();
  tables.reference.inference.weights = "q8";
  auto report = Native();
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 30e9, Dtype::kQ4);
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 35e9, Dtype::kQ8);
  EXPECT_THAT(Find(tables, report, Use::kDecode).parts[0].limited_by, HasSubstr("q8 matrix-vector"));
}

TEST(Weights, WhereTilesRanAPromptIsReadByThem) {
  auto report = Native();
  const auto& own = NativeFactors("q4");
  // flop/s, without the fixed time.
  const auto reached = [&] {
    const double flop = 512 * (2 * 7504924672.0 + 2 * 32 * 4096 * 512.0);
    return flop / (Find(testing::TestTables(), report, Use::kPrefill).parts[0].seconds -
                   testing::TestTables().fit.token_overhead_s);
  };
  EXPECT_NEAR(reached(), own.prefill.value * 400e9, 1);
  auto& product = testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemm, 8e12, Dtype::kBf16);
  product.implementation = "own:avx512_bf16";
  EXPECT_NEAR(reached(), own.prefill.value * 400e9, 1) << "engines have no use for it";
  product.implementation = "own:amx";
  EXPECT_NEAR(reached(), own.tiles->prefill.value * 400e9, 1);
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 30e9, Dtype::kQ4);
  const auto writes = [&] { return Find(testing::TestTables(), report, Use::kDecode).tokens_per_s->value; };
  const double by_tiles = writes();
  report.measurements[2].rate = 300e9;
  EXPECT_NE(writes(), by_tiles);
  EXPECT_NEAR(reached(), own.prefill.value * 400e9, 1) << "an engine would not use what is slower";
  report.measurements[2].rate = 8e12;
  report.measurements[2].verified = false;
  EXPECT_NEAR(reached(), own.prefill.value * 400e9, 1) << "tiles that give wrong results are none";
}

TEST(Weights, NoPromptIsReadFasterThanItsWeights) {
  auto tables = testing::TestTables();
  tables.reference.inference.prompt_tokens = 1;
  auto report = Native();
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 30e9, Dtype::kQ4);
  const auto prefill = Find(tables, report, Use::kPrefill).parts[0].seconds;
  EXPECT_GE(prefill, 4.92e9 / (NativeFactors("q4").decode.value * 30e9));
  EXPECT_LE(prefill, Find(tables, report, Use::kDecode).parts[0].seconds);
}

TEST(Weights, AProductThatFailedIsTold) {
  auto report = Native();
  auto& gemv = testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 30e9, Dtype::kQ4);
  gemv.status = backends::MeasurementStatus::kWrongResult;
  gemv.verified = false;
  const auto score = Find(testing::TestTables(), report, Use::kDecode);
  EXPECT_THAT(score.reasons, ElementsAre(AllOf(HasSubstr("its q4 matrix-vector gave a wrong result"),
                                               HasSubstr(": what it writes is predicted from its reads"))));
  EXPECT_THAT(Find(testing::TestTables(), report, Use::kPrefill).reasons, IsEmpty());
  gemv.status = backends::MeasurementStatus::kOverBudget;
  EXPECT_THAT(Find(testing::TestTables(), report, Use::kDecode).reasons, IsEmpty());
}

// What it does not measure is held against the native figure as its reads are, not as engines are against
// reads.
TEST(Weights, SoftwareWithoutThatProductStandsWhereItsReadsDo) {
  auto report = Native();
  auto& tiles = testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemm, 8e12, Dtype::kBf16);
  tiles.implementation = "own:amx";
  testing::AddView(report.devices[0], "opencl", "PoCL", DeviceKind::kSoftware);
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 20e9, Dtype::kQ4);
  testing::Measure(report, "cpu:0", "opencl", "PoCL", Kernel::kGemm, 400e9);
  auto& read = testing::Measure(report, "cpu:0", "opencl", "PoCL", Kernel::kRead, 40e9, Dtype::kU32);
  for (const double share : {1.0, 0.5}) {
    read.rate = share * 40e9;
    const auto scores = ScoreAll(testing::TestTables(), report.devices, report.measurements);
    const auto of = [&](std::string_view runtime) {
      return std::find_if(
                 scores.begin(), scores.end(),
                 [&](const Score& score) { return score.runtime == runtime && score.use == Use::kDecode; })
          ->tokens_per_s->value;
    };
    EXPECT_NEAR(of("opencl") / of("cpu"), share, 0.01);
  }
}

TEST(Weights, TheTimesOfARequestsPhasesAreOfInferenceAlone) {
  auto report = Native();
  testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 30e9, Dtype::kQ4);
  const auto whole = Find(testing::TestTables(), report, Use::kInference);
  ASSERT_TRUE(whole.request_s && whole.first_token_s && whole.writing_tokens_per_s);
  EXPECT_NEAR(whole.request_s->value, whole.parts[0].seconds + whole.parts[1].seconds, 1e-9);
  EXPECT_NEAR(whole.first_token_s->value, whole.parts[0].seconds, 1e-9);
  const double written = testing::TestTables().reference.inference.output_tokens;
  EXPECT_NEAR(whole.writing_tokens_per_s->value, written / whole.parts[1].seconds, 1e-9);
  for (const auto& range : {*whole.request_s, *whole.first_token_s, *whole.writing_tokens_per_s}) {
    EXPECT_LT(range.low, range.value);
    EXPECT_GT(range.high, range.value);
  }
  for (const Use use : {Use::kPrefill, Use::kDecode, Use::kTraining}) {
    const auto other = Find(testing::TestTables(), report, use);
    EXPECT_FALSE(other.request_s || other.first_token_s || other.writing_tokens_per_s);
  }
}

// The processor's layers take longest where a card holds most of them.
TEST(Weights, OfASplitModelTheLimitIsTheSlowerSides) {
  auto report = testing::DiscreteAndIntegrated();
  auto& card = report.devices[0];
  ASSERT_EQ(card.kind, DeviceKind::kDiscrete);
  const auto limit = [&](double free_bytes) {
    card.memory.free_bytes = static_cast<std::uint64_t>(free_bytes);
    const auto scores = ScoreAll(testing::TestTables(), report.devices, report.measurements);
    const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& score) {
      return score.device_id == card.id && score.use == Use::kDecode;
    });
    return found->parts.at(0).limited_by;
  };
  EXPECT_THAT(limit(20e9), Not(HasSubstr("processor")));
  EXPECT_THAT(limit(4e9), HasSubstr("the processor's memory read"));
}

TEST(Weights, ASplitModelsTrustIsThatOfBothSides) {
  auto report = testing::DiscreteAndIntegrated();
  report.devices[0].memory.free_bytes = 4'000'000'000;
  const auto confidence = [&] { return testing::Decided(report).recommendations[0].confidence; };
  ASSERT_NE(confidence(), Confidence::kLow);
  for (auto& m : report.measurements) {
    if (m.device_id == "cpu:0" && m.kernel == Kernel::kRead) m.quality = backends::Quality::kNoisy;
  }
  const auto answer = testing::Decided(report).recommendations[0];
  EXPECT_EQ(answer.confidence, Confidence::kLow);
  EXPECT_THAT(answer.warnings, Contains(HasSubstr("the processor's figures are noisy")));
}

TEST(Weights, WhatProductsTakeAsItIsIsReadAtTheirRate) {
  auto tables = testing::TestTables();
  auto report = testing::DiscreteAndIntegrated();
  auto& prompt =
      testing::Measure(report, "pci:0000:01:00.0", "cuda", "NVIDIA", Kernel::kGemm, 160e12, Dtype::kBf16);
  prompt.shape = {.m = 512, .n = 4096, .k = 4096};
  const auto read = [&] {
    for (const Score& score : ScoreAll(tables, report.devices, report.measurements)) {
      if (score.runtime == "cuda" && score.use == Use::kPrefill) return score;
    }
    return Score{};
  };
  const auto packed = read();
  tables.reference.inference.weights = "bf16";
  const auto whole = read();
  const auto& r = tables.reference.inference;
  const double work = 2 * r.parameters + 2 * r.layers * r.width * r.prompt_tokens;
  const double prompt_s = r.prompt_tokens * work / (0.76 * 160e12) + tables.fit.token_overhead_s;
  EXPECT_NEAR(whole.tokens_per_s->value, r.prompt_tokens / prompt_s, 1);
  EXPECT_GT(whole.tokens_per_s->value, packed.tokens_per_s->value);
  EXPECT_THAT(whole.parts[0].limited_by, HasSubstr("bf16 matrix product 160 TFLOP/s"));
}

TEST(Weights, AScoreRestsOnTheProductThatBoundsItsWriting) {
  auto report = Native();
  auto& gemv = testing::Measure(report, "cpu:0", "cpu", "native", Kernel::kGemv, 30e9, Dtype::kQ4);
  EXPECT_TRUE(ScoresBy(gemv, Find(testing::TestTables(), report, Use::kDecode)));
  EXPECT_FALSE(ScoresBy(gemv, Find(testing::TestTables(), report, Use::kPrefill)));
  EXPECT_FALSE(ScoresBy(gemv, Find(testing::TestTables(), report, Use::kTraining)));
  const auto read = report.measurements[1];
  EXPECT_FALSE(ScoresBy(read, Find(testing::TestTables(), report, Use::kDecode)));
  gemv.in_dtype = Dtype::kQ8;
  EXPECT_TRUE(ScoresBy(read, Find(testing::TestTables(), report, Use::kDecode)));
  EXPECT_FALSE(ScoresBy(gemv, Find(testing::TestTables(), report, Use::kDecode)));
}

// An H100's fp32 is 7 % of its fp16, not what a common card's is: of equal ones the one that was measured
// less is not the faster for it.
void ExpectEqualSpeeds(const Report& report) {
  const auto scores = ScoreAll(testing::TestTables(), report.devices, report.measurements);
  for (const Use use : kUses) {
    std::vector<double> speeds;
    for (const Score& score : scores) {
      if (score.use == use && score.runtime == "cuda") speeds.push_back(score.tokens_per_s->value);
    }
    ASSERT_EQ(speeds.size(), 2U);
    EXPECT_DOUBLE_EQ(speeds[0], speeds[1]);
  }
}

TEST(Score, OfEqualCardsAllAreHeldAgainstTheFirstsFigures) {
  Report report;
  for (const char* address : {"0000:01:00.0", "0000:02:00.0"}) {
    auto card = testing::Gpu(address, "GPU", DeviceKind::kDiscrete, 80);
    testing::AddView(card, "cuda", "NVIDIA", DeviceKind::kDiscrete);
    report.devices.push_back(card);
    testing::Measure(report, card.id, "cuda", "NVIDIA", Kernel::kGemm, 680e12, Dtype::kFp16);
    testing::Measure(report, card.id, "cuda", "NVIDIA", Kernel::kRead, 2.9e12, Dtype::kU32);
  }
  const auto first = report.devices[0].id;
  testing::Measure(report, first, "cuda", "NVIDIA", Kernel::kGemm, 50e12);
  testing::Measure(report, first, "cuda", "NVIDIA", Kernel::kGemv, 2.4e12, Dtype::kQ4);
  report.devices.push_back(testing::Cpu());
  ExpectEqualSpeeds(report);
  // Libraries are asked on the first alone.
  auto& library = testing::Measure(report, first, "cuda", "NVIDIA", Kernel::kGemm, 750e12, Dtype::kFp16);
  library.implementation = "cublaslt";
  ExpectEqualSpeeds(report);
}

}  // namespace
}  // namespace report::score
