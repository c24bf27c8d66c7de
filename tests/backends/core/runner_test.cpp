// SPDX-License-Identifier: MIT
// The whole protocol against devices by script: what a right one yields, and that no way of being wrong, slow
// or broken yields a figure that counts.
#include "backends/core/runner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "backends/core/sharing.h"
#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

TEST(Runner, RightDeviceYieldsGoodVerifiedFigures) {
  const Outcome outcome = MeasureBy({}, {"gemm"}, {"read"});
  ASSERT_EQ(outcome.measurements.size(), 3U) << "a square product, a prompt's and a read";
  const Measurement& gemm = outcome.Of("gemm");
  EXPECT_EQ(gemm.status, MeasurementStatus::kOk) << gemm.reason.value_or("");
  EXPECT_EQ(gemm.shape, (kernels::Problem{256, 256, 256, 0, 0}));
  EXPECT_NEAR(*gemm.rate, 1e9, 2e6);
  EXPECT_EQ(gemm.unit, "flop_per_s");
  EXPECT_EQ(gemm.quality, Quality::kGood);
  EXPECT_TRUE(gemm.verified);
  EXPECT_FALSE(gemm.host_timed);
  EXPECT_FALSE(gemm.throttled);
  EXPECT_GE(gemm.samples, 10U);
  EXPECT_EQ(gemm.samples, gemm.batch_times_s.size());
  EXPECT_LT(*gemm.max_relative_error, 1e-4);
  EXPECT_EQ(gemm.device_id, "pci:0000:01:00.0");
  EXPECT_EQ(gemm.runtime, "fake");
  EXPECT_EQ(gemm.threads, 0U);
  const Measurement& read = outcome.Of("read");
  EXPECT_EQ(read.status, MeasurementStatus::kOk) << read.reason.value_or("");
  EXPECT_NEAR(*read.rate, 1e9, 4e6);
  EXPECT_EQ(read.unit, "bytes_per_s");
  EXPECT_EQ(read.shape.count * 4U, 256U << 10U) << "four times the cache";
}

TEST(Runner, ThreadsAreThoseThatTheSessionTells) {
  for (const std::uint32_t threads : {0U, 3U}) {
    FakeSession session{FakeScript()};
    session.mutable_limits().threads = threads;
    EXPECT_EQ(MeasureFake(session, FakeVariants({"gemm"}, {}), Request()).Of("gemm").threads, threads);
  }
}

TEST(Runner, EveryWrongResultIsCalledSo) {
  for (const Defect defect :
       {Defect::kWrongElement, Defect::kTransposed, Defect::kUnwrittenTile, Defect::kStale, Defect::kNan}) {
    FakeScript script;
    script.defects["gemm"] = defect;
    const Measurement gemm = MeasureBy(script).Of("gemm");
    EXPECT_EQ(gemm.status, MeasurementStatus::kWrongResult) << static_cast<int>(defect);
    EXPECT_EQ(gemm.stage, "verify");
    EXPECT_TRUE(gemm.reason && !gemm.reason->empty());
    EXPECT_FALSE(gemm.verified);
    EXPECT_FALSE(gemm.rate);
  }
}

TEST(Runner, AKernelTooFastToBeTrueIsFoundOutBeforeItsProblemsGrow) {
  FakeScript script;
  script.defects["gemm"] = Defect::kNan;
  script.speeds = {{"gemm", 1e12}};
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_EQ(gemm.status, MeasurementStatus::kWrongResult);
  EXPECT_LE(gemm.shape.m, 256U);
}

TEST(Runner, ASlowerVariantWinsWhereTheFastestIsWrong) {
  FakeScript script;
  script.defects["fast"] = Defect::kWrongElement;
  script.speeds = {{"fast", 5.0}, {"slow", 1.0}};
  const Outcome outcome = MeasureBy(script, {"slow", "fast"});
  EXPECT_EQ(outcome.Of("fast").status, MeasurementStatus::kWrongResult);
  EXPECT_EQ(outcome.Of("slow").status, MeasurementStatus::kOk);
  EXPECT_TRUE(outcome.Of("slow").verified);
}

TEST(Runner, TheFastestRightVariantIsTheFigureAndTheOthersAreListed) {
  FakeScript script;
  script.speeds = {{"first", 1.0}, {"best", 1.05}, {"bad", 0.2}};
  const Outcome outcome = MeasureBy(script, {"first", "best", "bad"});
  EXPECT_EQ(outcome.Of("best").status, MeasurementStatus::kOk);
  EXPECT_EQ(outcome.Of("first").status, MeasurementStatus::kSkipped);
  EXPECT_TRUE(outcome.Of("first").verified) << "near enough to be tried in full";
  EXPECT_EQ(outcome.Of("bad").status, MeasurementStatus::kSkipped);
  EXPECT_FALSE(outcome.Of("bad").verified);
  EXPECT_NEAR(*outcome.Of("bad").rate, 0.2e9, 1e7);
}

TEST(Runner, EventsOfZeroFallBackToTheHostsClock) {
  FakeScript script;
  script.event_share = 0.0;
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_EQ(gemm.status, MeasurementStatus::kOk);
  EXPECT_TRUE(gemm.host_timed);
  EXPECT_NE(gemm.reason->find("zero"), std::string::npos);
  EXPECT_NEAR(*gemm.rate, 1e9, 2e6);
}

TEST(Runner, EventsAHundredTimesTooFastFallBackToTheHostsClock) {
  FakeScript script;
  script.event_share = 0.01;
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_TRUE(gemm.host_timed);
  EXPECT_NE(gemm.reason->find("half"), std::string::npos);
  EXPECT_NEAR(*gemm.rate, 1e9, 2e6);
}

TEST(Runner, EventsLongerThanTheWallClockAndNanFallBackToo) {
  for (const double share : {1.5, std::nan(""), -1.0}) {
    FakeScript script;
    script.event_share = share;
    const Measurement gemm = MeasureBy(script).Of("gemm");
    EXPECT_TRUE(gemm.host_timed) << share;
    EXPECT_NEAR(*gemm.rate, 1e9, 2e6) << share;
  }
}

TEST(Runner, WithoutEventsTheHostTimesAndNothingIsSaid) {
  FakeScript script;
  script.event_share.reset();
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_TRUE(gemm.host_timed);
  EXPECT_FALSE(gemm.reason) << *gemm.reason;
}

TEST(Runner, LaunchesThatWaitForProcessorsDoNotHideTheSpeed) {
  FakeScript script;
  script.flop_per_s = 2e10;
  const Measurement idle = MeasureBy(script).Of("gemm");
  EXPECT_GT(idle.shape.n, 256U);
  script.launch_s = 0.005;
  script.event_share = std::nullopt;
  const Measurement busy = MeasureBy(script).Of("gemm");
  ASSERT_EQ(busy.status, MeasurementStatus::kOk) << busy.reason.value_or("");
  EXPECT_EQ(busy.shape.n, idle.shape.n);
}

TEST(Runner, CodeThatIsTooNewForTheRuntimeIsNoFailure) {
  FakeScript script;
  script.unknown_code = {"gemm"};
  const Outcome outcome = MeasureBy(script, {"gemm"}, {"read"});
  EXPECT_EQ(outcome.Of("gemm").status, MeasurementStatus::kUnsupported);
  EXPECT_EQ(outcome.Of("gemm").stage, "compile");
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOk);
}

TEST(Runner, KernelsThatDoNotCompileSayWhere) {
  FakeScript script;
  script.unloadable = {"gemm"};
  const Outcome outcome = MeasureBy(script, {"gemm"}, {"read"});
  EXPECT_EQ(outcome.Of("gemm").status, MeasurementStatus::kFailed);
  EXPECT_EQ(outcome.Of("gemm").stage, "compile");
  EXPECT_NE(outcome.Of("gemm").reason->find("FAKE_BUILD_FAILURE"), std::string::npos);
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOk);
}

TEST(Runner, VariantsWhoseFeaturesAreMissingAreUnsupported) {
  FakeSession session({});
  std::vector<kernels::Variant> variants = FakeVariants({"plain", "matrix"}, {});
  variants.back().requires_features = {"coopmat:fp16"};
  const Outcome outcome = MeasureFake(session, variants, Request());
  EXPECT_EQ(outcome.Of("matrix").status, MeasurementStatus::kUnsupported);
  EXPECT_NE(outcome.Of("matrix").reason->find("coopmat:fp16"), std::string::npos);
  EXPECT_EQ(outcome.Of("plain").status, MeasurementStatus::kOk);
}

TEST(Runner, WithoutFillKernelsTheHostWritesTheOperands) {
  FakeSession session({});
  const Outcome outcome = MeasureFake(session, FakeVariants({"gemm"}, {"read"}, false), Request());
  EXPECT_EQ(outcome.Of("gemm").status, MeasurementStatus::kOk) << outcome.Of("gemm").reason.value_or("");
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOk) << outcome.Of("read").reason.value_or("");
}

TEST(Runner, DeviceWithLessMemoryThanItClaimsGetsSmallerArrays) {
  FakeScript script;
  script.memory_bytes = 160U << 10U;
  const Measurement read = MeasureBy(script, {}, {"read"}).Of("read");
  EXPECT_EQ(read.status, MeasurementStatus::kOk) << read.reason.value_or("");
  EXPECT_LE(read.shape.count * 4U, script.memory_bytes);
  EXPECT_NE(read.reason->find("memory"), std::string::npos);
  script.memory_bytes = 100U << 10U;
  EXPECT_EQ(MeasureBy(script, {}, {"read"}).Of("read").status, MeasurementStatus::kOverBudget)
      << "what is left is no more than its cache of 64 KiB";
}

TEST(Runner, DeviceWithoutMemoryFailsWithItsError) {
  FakeScript script;
  script.memory_bytes = 1000;
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_EQ(gemm.status, MeasurementStatus::kFailed);
  EXPECT_EQ(gemm.stage, "launch");
  EXPECT_NE(gemm.reason->find("FAKE_OUT_OF_MEMORY"), std::string::npos);
}

TEST(Runner, DeviceLostAtAnyMomentStillYieldsOneMeasurementAKernel) {
  for (int moment = 0; moment < 14; ++moment) {
    const double lost_at_s = 0.23 * moment;
    FakeScript script;
    script.flop_per_s = 1e8;
    script.lost_at_s = lost_at_s;
    const Outcome outcome = MeasureBy(script, {"gemm"}, {"read"});
    EXPECT_FALSE(outcome.Of("gemm").unit.empty());
    EXPECT_FALSE(outcome.Of("read").unit.empty());
    for (const Measurement& measurement : outcome.measurements) {
      if (measurement.status == MeasurementStatus::kOk || measurement.shape.n == 4096) continue;
      EXPECT_EQ(measurement.status, MeasurementStatus::kFailed) << lost_at_s;
      EXPECT_NE(measurement.reason->find("FAKE_DEVICE_LOST"), std::string::npos) << lost_at_s;
      EXPECT_TRUE(measurement.stage);
      EXPECT_FALSE(measurement.rate);
    }
  }
}

// What readies kernels for timing may take half of the budget beside it (budget.h).
constexpr double kWithPreparations = 1.5;
// The product of a prompt's has its 4096 x 4096 weights in it.
constexpr std::uint64_t kRoomForPrompts = 200U << 20U;

// 64^3 in 1.5 s: a correct simulator.
TEST(Runner, SimulatorStaysWithinItsBudgetAndIsNoisyOrOver) {
  FakeScript script;
  script.flop_per_s = 2.0 * 64 * 64 * 64 / 1.5;
  script.bytes_per_s = 1e5;
  script.free_bytes = kRoomForPrompts;
  const Outcome outcome = MeasureBy(script, {"gemm"}, {"read"}, Request(2.0));
  ASSERT_EQ(outcome.measurements.size(), 3U);
  // Apart from the budget: the first launch of two fills, a product and a read.
  const double apart_s = 0.2 + 3 * 16384 * 4 / script.bytes_per_s;
  EXPECT_LT(outcome.elapsed_s, kWithPreparations * 2.0 + apart_s + 0.3);
  for (const Measurement& measurement : outcome.measurements) {
    const bool noisy = measurement.status == MeasurementStatus::kOk && measurement.quality == Quality::kNoisy;
    EXPECT_TRUE(noisy || measurement.status == MeasurementStatus::kOverBudget)
        << measurement.reason.value_or("");
  }
}

TEST(Runner, FirstLaunchLongerThanTheBudgetIsNotRepeated) {
  FakeScript script;
  script.bytes_per_s = 16384 * 4 / 4.0;
  const Outcome outcome = MeasureBy(script, {}, {"read"}, Request(1.0));
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOverBudget);
  EXPECT_LT(outcome.elapsed_s, 4.0 + 4.0 + 1.1) << "a fill and a read";
}

TEST(Runner, HopelesslySlowIsOverBudget) {
  FakeScript script;
  script.flop_per_s = 1e4;
  const Outcome outcome = MeasureBy(script);
  EXPECT_EQ(outcome.Of("gemm").status, MeasurementStatus::kOverBudget);
  EXPECT_TRUE(outcome.Of("gemm").reason);
}

TEST(Runner, BudgetIsKeptAtEverySpeedAndNoise) {
  for (const double rate : {1e6, 3e6, 1e7, 1e8, 3e8}) {
    for (const double budget_s : {0.5, 1.0, 3.0}) {
      FakeScript script;
      script.flop_per_s = rate;
      script.bytes_per_s = rate;
      script.compile_s = 0;
      // Never converges: every other 20 ms are three times slower.
      script.slowdown = [](double now_s) { return std::fmod(now_s, 0.04) < 0.02 ? 1.0 : 3.0; };
      const Outcome outcome = MeasureBy(script, {"gemm"}, {"read"}, Request(budget_s));
      EXPECT_LT(outcome.elapsed_s, kWithPreparations * budget_s + 1.0)
          << "and first launches; " << rate << " " << budget_s;
      EXPECT_EQ(outcome.measurements.size(), 3U);
    }
  }
}

TEST(Runner, CompilationAndFirstLaunchesAreNotChargedToTheBudget) {
  FakeScript script;
  script.compile_s = 2.0;
  script.first_run_s = 5.0;
  const Outcome outcome = MeasureBy(script, {"gemm"}, {}, Request(2.0));
  EXPECT_EQ(outcome.Of("gemm").status, MeasurementStatus::kOk);
  EXPECT_EQ(outcome.Of("gemm").quality, Quality::kGood);
}

TEST(Runner, AProcessorIsWarmFromWhatReadiedItsKernels) {
  MeasureRequest request = Request();
  request.device.kind = probe::DeviceKind::kDiscrete;
  const double gpu_s = MeasureBy({}, {"gemm"}, {}, request).elapsed_s;
  request.device.kind = probe::DeviceKind::kCpu;
  const double processor_s = MeasureBy({}, {"gemm"}, {}, request).elapsed_s;
  EXPECT_GT(gpu_s - processor_s, 0.1);
}

TEST(Runner, NoisyFiguresSayItAndHeadTheFastEnd) {
  FakeScript script;
  script.slowdown = [](double now_s) { return std::fmod(now_s * 7.3, 1.0) < 0.5 ? 1.0 : 1.4; };
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_EQ(gemm.quality, Quality::kNoisy);
  EXPECT_EQ(*gemm.rate, *gemm.p10_rate);
  EXPECT_GE(*gemm.best_rate, *gemm.rate);
  EXPECT_LT((*gemm.ci95)[0], 0.95);
}

TEST(Runner, SlowingDownIsThrottled) {
  FakeScript script;
  script.slowdown = [](double now_s) { return 1.0 + 0.1 * now_s; };
  EXPECT_TRUE(MeasureBy(script).Of("gemm").throttled);
}

TEST(Runner, WhatTheDeviceNamesIsThrottled) {
  FakeScript script;
  script.state = [](double now_s) { return DeviceState{now_s > 1.5 ? "power cap" : "", 0.9}; };
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_TRUE(gemm.throttled);
  EXPECT_EQ(gemm.reason, "throttled by power cap");
  EXPECT_EQ(gemm.status, MeasurementStatus::kOk);
}

TEST(Runner, AClockBelowThreeQuartersIsThrottled) {
  FakeScript script;
  script.state = [](double) { return DeviceState{"", 0.62}; };
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_TRUE(gemm.throttled);
  EXPECT_EQ(gemm.reason, "its clock fell to 62 % of the highest");
  script.state = [](double) { return DeviceState{"", 0.80}; };
  EXPECT_FALSE(MeasureBy(script).Of("gemm").throttled);
}

TEST(Runner, APowerLimitByDesignIsNamedAndIsNoThrottling) {
  FakeScript script;
  script.state = [](double) { return DeviceState{"", 0.62, std::nullopt, "its power limit of 700 W"}; };
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_FALSE(gemm.throttled);
  EXPECT_EQ(gemm.reason, "at its power limit of 700 W");
  script.slowdown = [](double now_s) { return 1.0 + 0.1 * now_s; };
  EXPECT_FALSE(MeasureBy(script).Of("gemm").throttled) << "a card that warms up gets less for the same power";
}

TEST(Runner, AMeasuredClockThatFallsIsThrottled) {
  FakeScript script;
  const auto falls_to = [&](double hz) {
    script.state = [hz](double now_s) { return DeviceState{"", std::nullopt, now_s > 1.5 ? hz : 3e9}; };
    return MeasureBy(script).Of("gemm");
  };
  script.slowdown = [](double now_s) {
    return std::fmod(now_s * 7.3, 1.0) < 0.5 ? 1.0 : 1.4;
  };  // no early end
  const Measurement gemm = falls_to(2e9);
  EXPECT_TRUE(gemm.throttled);
  EXPECT_EQ(gemm.reason, "its clock fell to 66 % of the highest");
  EXPECT_EQ(falls_to(2.4e9).reason.value_or("").find("clock"), std::string::npos);
  // One measurement that the system interrupted.
  script.state = [once = false](double) mutable {
    return DeviceState{"", std::nullopt, std::exchange(once, true) ? 3e9 : 1e9};
  };
  EXPECT_EQ(MeasureBy(script).Of("gemm").reason.value_or("").find("clock"), std::string::npos);
}

TEST(Runner, OfASharedDeviceAPartOfItsFreeMemoryIsUsed) {
  for (const OthersWork work : {OthersWork::kNone, OthersWork::kUnknown, OthersWork::kSeen}) {
    const bool disturbing = work == OthersWork::kSeen;
    const unsigned percent = work == OthersWork::kNone ? 25 : 5;
    FakeScript script;
    script.free_bytes = kRoomForPrompts;
    FakeSession session(script);
    ShareWith("2 other processes on it", work, session.mutable_limits());
    EXPECT_EQ(session.limits().memory_free_bytes, kRoomForPrompts / 100 * percent);
    const Outcome outcome = MeasureFake(session, FakeVariants({"gemm"}, {"read"}), Request());
    EXPECT_LE(session.peak_bytes(), kRoomForPrompts / 100 * percent);
    for (const char* name : {"gemm", "read"}) {
      const Measurement& m = outcome.Of(name);
      ASSERT_EQ(m.status, MeasurementStatus::kOk) << m.reason.value_or("");
      EXPECT_NE(m.reason->find("the device was shared (2 other processes on it): " + std::to_string(percent) +
                               " %"),
                std::string::npos);
      EXPECT_EQ(m.quality, disturbing ? Quality::kNoisy : Quality::kGood);
      if (disturbing) {
        EXPECT_EQ(m.rate, m.p10_rate);
      }
    }
  }
}

TEST(Runner, SamplesOfEveryFigureAreSpreadOverASecond) {
  FakeScript script;
  script.flop_per_s = 3e9;
  script.bytes_per_s = 1e10;
  const Outcome outcome = MeasureBy(script, {"gemm"}, {"read"});
  // The square product and the prompt's take turns, each about half of at least a second. The read, by itself
  // before them, holds most of its second in batches of 5 ms.
  EXPECT_GT(outcome.Of("gemm").samples, 30U);
  EXPECT_LT(outcome.Of("gemm").samples, 150U);
  EXPECT_GT(outcome.Of("read").samples, 100U);
  EXPECT_LT(outcome.Of("read").samples, 200U);
}

TEST(Runner, StagesAnnounceEveryRiskBeforeIt) {
  const Outcome outcome = MeasureBy({}, {"gemm"}, {}, Request());
  std::string seen;
  for (const MeasureStage& stage : outcome.stages) {
    EXPECT_GT(stage.allow_s, 0);
    if (stage.title == "gemm fp32/fp32" && stage.implementation == "gemm") {
      seen += probe::Stage::kCompile == stage.stage  ? 'c'
              : probe::Stage::kLaunch == stage.stage ? 'l'
              : probe::Stage::kVerify == stage.stage ? 'v'
                                                     : 't';
    }
  }
  EXPECT_EQ(seen, "cllllllvt") << "each of three arrays that are filled for the first time is a launch, too";
}

TEST(Runner, PromptsProductShrinksByRowsOrIsOverBudget) {
  const auto prompt = [](double flop_per_s) {
    FakeScript script;
    script.flop_per_s = flop_per_s;
    script.free_bytes = kRoomForPrompts;
    for (const Measurement& measurement : MeasureBy(script, {"gemm"}, {}).measurements) {
      if (measurement.shape.n == 4096) return measurement;
    }
    return Measurement();
  };
  const Measurement slow = prompt(1e9);
  EXPECT_EQ(slow.status, MeasurementStatus::kOverBudget);
  EXPECT_EQ(slow.shape, (kernels::Problem{32, 4096, 4096, 0, 0}));
  EXPECT_NE(slow.reason->find("launch"), std::string::npos);
}

// Of a product of 32 x 512 tiles of 128 x 256 are two, and those of 128 x 128 twice as many.
TEST(Runner, AFlatProductIsAlsoTriedByTilesThatLeaveNoComputeUnitIdle) {
  const auto tried = [](std::uint32_t compute_units, double speed) {
    FakeScript script;
    script.speeds = {{"small", speed}};
    FakeSession session(script);
    session.mutable_limits().shape.compute_units = compute_units;
    auto variants = FakeVariants({"large", "small"}, {});
    for (auto& variant : variants) {
      const std::uint32_t columns = variant.name == "large" ? 256 : 128;
      if (variant.kernel == kernels::Kernel::kGemm)
        variant.steps[0].geometry.tiles = {{{kernels::Number::kN, columns}, {kernels::Number::kM, 128}}};
    }
    auto request = Request();
    request.figures = {{.implementation = "large", .shape = {256, 256, 256, 0, 0}},
                       {.implementation = "small", .shape = {32, 512, 512, 0, 0}}};
    bool verified = false;
    for (const Measurement& m : MeasureFake(session, variants, request).measurements)
      verified = verified || (m.shape.m == 32 && m.implementation == "small" && m.verified);
    return verified;
  };
  EXPECT_TRUE(tried(4, 0.5));
  EXPECT_FALSE(tried(2, 0.5)) << "there is a tile for each";
  EXPECT_FALSE(tried(4, 0.2)) << "four that are five times slower lose to two";
}

TEST(Runner, EveryOtherKernelVerifiesAndItsDefectIsFound) {
  const std::map<std::string, Defect> defects = {{"copy", Defect::kWrongElement},
                                                 {"triad", Defect::kTransposed},
                                                 {"gemv", Defect::kWrongElement},
                                                 {"gemv_q4", Defect::kWrongElement},
                                                 {"chain", Defect::kWrongElement}};
  FakeScript script;
  script.bytes_per_s = 1e8;
  FakeSession right(script);
  script.defects = defects;
  FakeSession wrong(script);
  const Outcome rights = MeasureFake(right, FakeOthers(), Request(6.0));
  const Outcome wrongs = MeasureFake(wrong, FakeOthers(), Request(6.0));
  for (const auto& [name, defect] : defects) {
    EXPECT_EQ(rights.Of(name).status, MeasurementStatus::kOk)
        << name << ": " << rights.Of(name).reason.value_or("");
    EXPECT_TRUE(rights.Of(name).verified) << name;
    EXPECT_EQ(wrongs.Of(name).status, MeasurementStatus::kWrongResult) << name;
  }
  EXPECT_NEAR(*rights.Of("copy").rate, 1e8, 1e6) << "in and out count";
  EXPECT_NEAR(*rights.Of("triad").rate, 1e8, 1e6);
  EXPECT_NEAR(*rights.Of("gemv_q4").rate, 1e8, 1e6);
  EXPECT_NEAR(*rights.Of("chain").rate, 1e9, 1e7);
}

TEST(Runner, KernelsForWhichNoTimeIsLeftAreOverBudget) {
  FakeScript script;
  script.bytes_per_s = 2e5;
  script.flop_per_s = 1e6;
  const Outcome outcome = [&] {
    FakeSession session(script);
    return MeasureFake(session, FakeOthers(), Request(2.0));
  }();
  for (const char* name : {"copy", "triad", "gemv", "gemv_q4"}) {
    const Measurement& row = outcome.Of(name);
    EXPECT_TRUE(row.status == MeasurementStatus::kOverBudget || row.quality == Quality::kNoisy) << name;
  }
}

TEST(Runner, NoVariantsYieldNothing) {
  const Outcome outcome = MeasureBy({}, {}, {});
  EXPECT_TRUE(outcome.measurements.empty());
  EXPECT_EQ(outcome.elapsed_s, 0);
}

}  // namespace
}  // namespace backends
