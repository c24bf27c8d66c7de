// SPDX-License-Identifier: MIT
// What is measured again, and what stays of two looks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/recommend/recommend.h"
#include "report/run/calibrate.h"
#include "tests/report/machines.h"

namespace report {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three runtimes of one GPU beside a processor; `noisy` has figures of that half width, at twice their rates.
Report Undecided(const std::string& noisy, double half_width) {
  Report report = testing::Tie();
  for (Measurement& m : report.measurements) {
    if (m.runtime != noisy) continue;
    *m.rate *= 2;
    m.ci95 = {{1 - half_width, 1 + half_width}};
  }
  return testing::Decided(std::move(report));
}

std::vector<std::string> Runtimes(const std::vector<Target>& targets) {
  std::vector<std::string> names;
  names.reserve(targets.size());
  for (const Target& target : targets) names.push_back(target.device.runtime);
  return names;
}

TEST(SecondLook, ANoisyLeaderAndTheNextAreMeasuredAgain) {
  const Report report = Undecided("vulkan", 0.6);
  const auto planned = PlanTargets(report.devices, RunRequest{});
  const auto targets = PlanSecondLook(testing::TestTables(), report, planned, 1.8);
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_THAT(Runtimes(targets), ::testing::Contains("vulkan"));
  for (const Target& target : targets) {
    EXPECT_EQ(target.scope, backends::Scope::kAgain);
    EXPECT_DOUBLE_EQ(target.budget_s, 0.9);
    EXPECT_EQ(target.device_id, "pci:0000:01:00.0");
    EXPECT_EQ(report.devices[0].views[target.view].device.runtime, target.device.runtime);
    ASSERT_EQ(target.figures.size(), 3U) << "the prompt's two products and the read";
    for (const backends::Figure& figure : target.figures) {
      EXPECT_TRUE(
          std::any_of(report.measurements.begin(), report.measurements.end(), [&](const Measurement& m) {
            return m.runtime == target.device.runtime && m.kernel == figure.kernel &&
                   m.in_dtype == figure.in && m.implementation == figure.implementation &&
                   m.shape == figure.shape;
          }));
    }
  }
}

TEST(SecondLook, WhatIsDecidedIsNotMeasuredAgain) {
  const Report report = Undecided("vulkan", 0.01);
  EXPECT_FALSE(recommend::OpenPair(report, report.recommendations[0]));
  EXPECT_THAT(PlanSecondLook(testing::TestTables(), report, PlanTargets(report.devices, RunRequest{}), 2.0),
              IsEmpty());
}

TEST(SecondLook, ATieNeedsNone) {
  const Report report = testing::Decided(testing::Tie());
  ASSERT_FALSE(report.recommendations[0].tie.empty());
  EXPECT_THAT(PlanSecondLook(testing::TestTables(), report, PlanTargets(report.devices, RunRequest{}), 2.0),
              IsEmpty());
}

// Two cards of one model, with wide intervals, and a processor.
TEST(SecondLook, EqualCardsAreNotHeldAgainstEachOther) {
  for (const bool equal : {true, false}) {
    Report report;
    for (const char* pci : {"0000:01:00.0", "0000:02:00.0"}) {
      const bool second = !report.devices.empty();
      auto gpu = testing::Gpu(pci, "NVIDIA L40S", probe::DeviceKind::kDiscrete, second && !equal ? 24 : 48);
      testing::AddView(gpu, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete);
      report.devices.push_back(gpu);
      const double rate = second ? 1.2 : 1;
      testing::Measure(report, gpu.id, "cuda", "NVIDIA", Kernel::kGemm, rate * 300e12, Dtype::kFp16);
      testing::Measure(report, gpu.id, "cuda", "NVIDIA", Kernel::kRead, rate * 800e9, Dtype::kU32);
    }
    for (Measurement& m : report.measurements) m.ci95 = {{0.5, 1.5}};
    report = testing::Decided(std::move(report));
    auto planned = PlanTargets(report.devices, RunRequest{});
    EXPECT_EQ(PlanSecondLook(testing::TestTables(), report, planned, 2.0).size(), equal ? 0U : 2U);
    EXPECT_EQ(KeepForSecondLook(planned) == 0, equal);
  }
}

TEST(SecondLook, WithoutTimeThereIsNone) {
  const Report report = Undecided("vulkan", 0.6);
  const auto planned = PlanTargets(report.devices, RunRequest{});
  EXPECT_EQ(PlanSecondLook(testing::TestTables(), report, planned, 6.1 * kLeastSecondLookSeconds).size(), 2U)
      << "of three figures each";
  EXPECT_THAT(PlanSecondLook(testing::TestTables(), report, planned, 5.9 * kLeastSecondLookSeconds),
              IsEmpty());
}

TEST(SecondLook, ItsTimeIsKeptWhereSeveralMayCompete) {
  auto report = testing::Tie();
  auto targets = PlanTargets(report.devices, RunRequest{});
  EXPECT_NEAR(KeepForSecondLook(targets), kSecondLookShare * (kGpuBudgetSeconds + kCpuBesideGpuSeconds),
              1e-9);
  double left = 0;
  for (const Target& target : targets) left += target.budget_s;
  EXPECT_NEAR(left, (1 - kSecondLookShare) * (kGpuBudgetSeconds + kCpuBesideGpuSeconds), 1e-9);
  RunRequest little;
  little.budget_s = 1;
  auto short_of_time = PlanTargets(report.devices, little);
  EXPECT_EQ(KeepForSecondLook(short_of_time), 0) << "too little to use";
  auto alone = PlanTargets(testing::Processor().devices, RunRequest{});
  ASSERT_GT(alone.size(), 1U) << "the others are software";
  EXPECT_EQ(KeepForSecondLook(alone), 0);
  EXPECT_DOUBLE_EQ(alone[0].budget_s, kCpuBudgetSeconds);
}

Measurement Figure(double rate, double half_width) {
  Measurement m;
  m.device_id = "pci:0000:01:00.0";
  m.runtime = "vulkan";
  m.driver = "RADV";
  m.kernel = Kernel::kRead;
  m.implementation = "own:vec4";
  m.shape.count = 1U << 28U;
  m.status = MeasurementStatus::kOk;
  m.verified = true;
  m.rate = rate;
  m.unit = "bytes_per_s";
  m.ci95 = {{1 - half_width, 1 + half_width}};
  m.quality = half_width > 0.05 ? backends::Quality::kNoisy : backends::Quality::kGood;
  return m;
}

TEST(SecondLook, TheNarrowerOfTwoThatAgreeStays) {
  const Measurement wide = Figure(200e9, 0.6);
  const Measurement narrow = Figure(110e9, 0.01);
  std::vector<Measurement> first = {wide};
  MergeSecondLook({narrow}, first);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(*first[0].rate, 110e9);
  EXPECT_EQ(first[0].quality, backends::Quality::kGood);
  first = {narrow};
  MergeSecondLook({wide}, first);
  EXPECT_EQ(*first[0].rate, 110e9);
}

TEST(SecondLook, ARateThatChangedHasAnIntervalThatHoldsBoth) {
  for (const bool slower : {false, true}) {
    std::vector<Measurement> first = {Figure(slower ? 200e9 : 100e9, 0.01)};
    MergeSecondLook({Figure(slower ? 100e9 : 200e9, 0.02)}, first);
    ASSERT_EQ(first.size(), 1U);
    const auto& m = first[0];
    EXPECT_LE(*m.rate * (*m.ci95)[0], 100e9);
    EXPECT_GE(*m.rate * (*m.ci95)[1], 200e9);
    EXPECT_EQ(m.quality, backends::Quality::kNoisy);
    EXPECT_THAT(*m.reason, HasSubstr("it is not steady"));
  }
}

// What was measured beside another run, or of a few batches, says less than the first look.
TEST(SecondLook, ADisturbedFigureAndOneWithoutAnIntervalChangeNothing) {
  const auto rate = [](auto change) {
    std::vector<Measurement> first = {Figure(100e9, 0.04)};
    first[0].quality = backends::Quality::kFair;
    Measurement again = Figure(150e9, 0.01);
    change(again);
    MergeSecondLook({again}, first);
    return *first[0].rate;
  };
  EXPECT_EQ(rate([](Measurement&) {}), 150e9);
  EXPECT_EQ(rate([](Measurement& m) { m.quality = backends::Quality::kNoisy; }), 100e9);
  EXPECT_EQ(rate([](Measurement& m) { m.ci95.reset(); }), 100e9);
}

TEST(SecondLook, APercentIsNoUnsteadiness) {
  std::vector<Measurement> first = {Figure(100e9, 0.002)};
  MergeSecondLook({Figure(101e9, 0.003)}, first);
  EXPECT_FALSE(first[0].reason);
  EXPECT_EQ(first[0].quality, backends::Quality::kGood);
  EXPECT_GE(*first[0].rate * (*first[0].ci95)[1], 101e9);
}

TEST(SecondLook, AWrongResultRefutesTheFigureAndOtherFailuresDoNot) {
  std::vector<Measurement> first = {Figure(100e9, 0.01)};
  Measurement again = Figure(0, 0);
  again.rate.reset();
  again.verified = false;
  again.status = MeasurementStatus::kTimedOut;
  MergeSecondLook({again}, first);
  EXPECT_EQ(*first[0].rate, 100e9);
  again.status = MeasurementStatus::kWrongResult;
  again.shape.count = 1U << 14U;
  MergeSecondLook({again}, first);
  EXPECT_EQ(first[0].status, MeasurementStatus::kWrongResult);
  EXPECT_FALSE(first[0].rate);
  EXPECT_EQ(first[0].shape.count, 1U << 28U) << "it is still this figure's";
}

// A read is a read at any size of its arrays; a product has its shape's rate.
TEST(SecondLook, AProductIsMergedAtItsShapeAlone) {
  for (const bool product : {true, false}) {
    std::vector<Measurement> first = {Figure(200e9, 0.6)};
    Measurement again = Figure(110e9, 0.01);
    if (product) first[0].kernel = again.kernel = Kernel::kGemm;
    again.shape.count *= 2;
    MergeSecondLook({again}, first);
    EXPECT_EQ(*first[0].rate, product ? 200e9 : 110e9);
  }
}

TEST(SecondLook, FiguresOfAnotherWayAreLeftAlone) {
  const auto kept = [](auto change) {
    std::vector<Measurement> first = {Figure(200e9, 0.6)};
    Measurement other = Figure(110e9, 0.01);
    change(other);
    MergeSecondLook({other}, first);
    return first.size() == 1 && *first[0].rate == 200e9;
  };
  EXPECT_FALSE(kept([](Measurement&) {}));
  EXPECT_TRUE(kept([](Measurement& m) { m.runtime = "opencl"; }));
  EXPECT_TRUE(kept([](Measurement& m) { m.driver = "AMDVLK"; }));
  EXPECT_TRUE(kept([](Measurement& m) { m.manifest = "/etc/vulkan/icd.d/other.json"; }));
  EXPECT_TRUE(kept([](Measurement& m) { m.implementation = "own:texel"; }));
  EXPECT_TRUE(kept([](Measurement& m) { m.kernel = Kernel::kCopy; }));
  EXPECT_TRUE(kept([](Measurement& m) { m.in_dtype = Dtype::kFp16; }));
}

}  // namespace
}  // namespace report
