// SPDX-License-Identifier: MIT
// Which workload runs next and how much of it: turns of copies, and who waits for whom.
#include "backends/core/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <optional>

#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Buffers by the order in which they were first read.
std::vector<std::size_t> Order(const std::vector<BufferId>& read) {
  std::vector<BufferId> known;
  std::vector<std::size_t> order;
  for (const BufferId buffer : read) {
    const auto at = std::find(known.begin(), known.end(), buffer);
    order.push_back(static_cast<std::size_t>(at - known.begin()));
    if (at == known.end()) known.push_back(buffer);
  }
  return order;
}

TEST(Turns, GoOnWhereTheLastOnesEnded) {
  FakeScript script;
  script.launch_s = 0;
  FakeSession session(script);
  const auto variants = FakeVariants({}, {"read"});
  OperandWriter writer(session, variants);
  const auto loaded = Load(session, variants.back());
  ASSERT_TRUE(loaded);
  auto workload = Workload::Create(session, writer, *loaded, {{0, 0, 0, 4096, 0}, 5, "", false});
  ASSERT_TRUE(workload);
  ASSERT_TRUE(workload->Prepare(1, 0).ok());
  session.ForgetLaunches();
  const auto first = workload->RunTurns(2);
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(first->executions, 0.4);
  EXPECT_TRUE(workload->RunTurns(2));
  EXPECT_TRUE(workload->RunTurns(2));
  EXPECT_THAT(Order(session.first_buffers()), ElementsAre(0, 1, 2, 3, 4, 0));
  const auto more = workload->RunTurns(7);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->executions, 2) << "more than all of them are whole executions";
  EXPECT_NEAR(more->timing.wall_s / 2, first->timing.wall_s / 0.4, 1e-9);
  const auto verdict = workload->Verify();
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->right) << verdict->reason;
}

TEST(Turns, ABatchIsAsManyCopiesAsLastFiveMilliseconds) {
  FakeScript script;
  script.bytes_per_s = 4096 * 4 / 0.002;  // a copy takes 2 ms
  FakeSession session(script);
  const auto variants = FakeVariants({}, {"read"});
  OperandWriter writer(session, variants);
  const auto loaded = Load(session, variants.back());
  ASSERT_TRUE(loaded);
  auto workload = Workload::Create(session, writer, *loaded, {{0, 0, 0, 4096, 0}, 10, "", false});
  ASSERT_TRUE(workload);
  Series series{*std::move(workload), 0.020, 0, {}, {}, {}, false, false, {}, 0, "", 1};
  session.ForgetLaunches();
  Budget budget(0.1, [&] { return session.now_s(); });
  TimeInterleaved(std::span(&series, 1), budget, 0);
  EXPECT_THAT(series.wall_s, SizeIs(::testing::Ge(14U))) << "of 6 ms each";
  EXPECT_EQ(session.first_buffers().size(), 3 * series.wall_s.size());
  for (const double execution_s : series.wall_s) EXPECT_NEAR(execution_s, 0.020, 0.001);
}

TEST(Interleaving, WhatOnlyExplainsWaitsOnceItHasTenBatches) {
  FakeScript script;
  script.bytes_per_s = 4096 * 4 / 0.006;
  script.slowdown = [](double now_s) { return std::fmod(now_s * 7.3, 1.0) < 0.5 ? 1.0 : 1.4; };
  FakeSession session(script);
  const auto variants = FakeVariants({}, {"read"});
  OperandWriter writer(session, variants);
  const auto loaded = Load(session, variants.back());
  ASSERT_TRUE(loaded);
  std::vector<Series> all;
  for (const int rank : {0, 1, kLastRank}) {
    auto workload = Workload::Create(session, writer, *loaded, {.problem = {.count = 4096}});
    ASSERT_TRUE(workload);
    all.push_back({*std::move(workload), 0.006, 0, {}, {}, {}, false, false, {}, rank, "", 1});
  }
  Budget budget(0.6, [&] { return session.now_s(); });
  TimeInterleaved(all, budget, 0);
  EXPECT_EQ(all.back().wall_s.size(), kMinBatches);
  EXPECT_GE(all.front().wall_s.size(), 3 * kMinBatches);
  EXPECT_NEAR(static_cast<double>(all[1].wall_s.size()), static_cast<double>(all.front().wall_s.size()), 1);
}

// A product and a read of 6 ms each, timed together within a budget.
class KindsTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSide = 64;
  static constexpr std::uint32_t kWords = 4096;

  // Product first.
  std::vector<Series> Time(double budget_s, FakeScript script = {}) {
    script.flop_per_s = 2.0 * kSide * kSide * kSide / 0.006;
    script.bytes_per_s = kWords * 4 / 0.006;
    session_.emplace(script);
    variants_ = FakeVariants({"gemm"}, {"read"});
    writer_.emplace(*session_, variants_);
    std::vector<Series> all;
    for (const kernels::Variant& variant : variants_) {
      if (variant.kernel == kernels::Kernel::kFill) continue;
      const kernels::Problem problem = variant.kernel == kernels::Kernel::kGemm
                                           ? kernels::Problem{kSide, kSide, kSide, 0, 0}
                                           : kernels::Problem{0, 0, 0, kWords, 0};
      loaded_.push_back(*Load(*session_, variant));
      auto workload = Workload::Create(*session_, *writer_, loaded_.back(), {.problem = problem});
      EXPECT_TRUE(workload && workload->Prepare(1, 0).ok());
      all.push_back({*std::move(workload), 0.006, 0, {}, {}, {}, false, false, {}, 0, "", 1});
    }
    start_s_ = session_->now_s();
    Budget budget(budget_s, [&] { return session_->now_s(); });
    TimeInterleaved(all, budget, 0);
    return all;
  }
  [[nodiscard]] double elapsed_s() const { return session_->now_s() - start_s_; }

  // No interval is ever narrow.
  static FakeScript Restless() {
    FakeScript script;
    script.slowdown = [](double now_s) { return 1.0 + std::fmod(now_s * 9301.7, 1.0); };
    return script;
  }

 private:
  std::vector<kernels::Variant> variants_;
  std::optional<FakeSession> session_;
  std::optional<OperandWriter> writer_;
  std::deque<LoadedVariant> loaded_;
  double start_s_ = 0;
};

TEST_F(KindsTest, WhatMemoryBoundsComesFirst) {
  const auto all = Time(3.0);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_GE(*all[0].first_at_s - *all[1].first_at_s, kMinSpanSeconds) << "after all of the read's batches";
  for (const Series& series : all) EXPECT_GE(series.wall_s.size(), kMinBatches);
  EXPECT_LT(elapsed_s(), 2 * kMinSpanSeconds + 0.1) << "each ends when its interval is narrow";
}

TEST_F(KindsTest, WithoutTimeForASecondEachHoldsItsShare) {
  const auto all = Time(0.6);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_NEAR(*all[0].first_at_s - *all[1].first_at_s, 0.3, 0.02);
  EXPECT_NEAR(elapsed_s(), 0.6, 0.02);
}

TEST_F(KindsTest, ANoisyKindLeavesTheOtherItsShare) {
  const auto all = Time(3.0, Restless());
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_NEAR(*all[0].first_at_s - *all[1].first_at_s, 1.5, 0.1) << "half of the budget, as of a turn";
  EXPECT_NEAR(elapsed_s(), 3.0, 0.1);
  for (const Series& series : all) EXPECT_GE(series.wall_s.size(), 100U);
}

TEST_F(KindsTest, WhatTheOtherKindLeavesIsUsed) {
  // Noisy for as long as the reads have their share.
  FakeScript script;
  script.slowdown = [](double now_s) { return now_s < 1.7 ? 1.0 + std::fmod(now_s * 9301.7, 1.0) : 1.0; };
  const auto all = Time(3.0, script);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_LT(all[0].wall_s.size(), 200U) << "the product is done within its second";
  EXPECT_TRUE(all[1].finished);
  EXPECT_GT(elapsed_s(), 2.6) << "the reads went on";
}

TEST_F(KindsTest, MemoryThatSlowsDownLaterIsSeenToAndWidensItsInterval) {
  for (const bool drifts : {false, true}) {
    FakeScript script;
    // The reads are done after a second; then come the products.
    script.slowdown = [=](double now_s) { return drifts && now_s > 1.5 ? 2.0 : 1.0; };
    const auto all = Time(3.0, script);
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].late, 0U) << "the product is timed to the end";
    EXPECT_EQ(all[1].late, 5U);
    const auto summary = Summarise(ChooseClock(all[1]).times_s, all[1].late);
    EXPECT_EQ(summary.drifted, drifts);
    EXPECT_NEAR(summary.median_s, 0.006, 0.001);
    EXPECT_NEAR((*summary.ci95_s)[1], drifts ? 0.012 : 0.006, 0.001);
    EXPECT_EQ(summary.quality, drifts ? Quality::kNoisy : Quality::kGood);
  }
}

TEST(SoftwareViews, AreMeasuredInPartAndInLessTime) {
  FakeScript script;
  script.bytes_per_s = 1e8;
  script.slowdown = [](double now_s) { return std::fmod(now_s * 7.3, 1.0) < 0.5 ? 1.0 : 1.4; };
  FakeSession session(script);
  MeasureRequest request;
  request.device.kind = probe::DeviceKind::kSoftware;
  request.scope = Scope::kRepeat;
  request.budget_s = 1.0;
  auto variants = FakeOthers();
  const auto more = FakeVariants({}, {"read"}, false);
  variants.insert(variants.end(), more.begin(), more.end());
  const Outcome outcome = MeasureFake(session, variants, request);
  std::vector<std::string> measured;
  measured.reserve(outcome.measurements.size());
  for (const Measurement& row : outcome.measurements) measured.push_back(row.implementation);
  EXPECT_THAT(measured, ::testing::UnorderedElementsAre("read", "gemv_q4"));
  EXPECT_GE(outcome.Of("read").samples, kMinBatches);
  const double compiling_s = static_cast<double>(variants.size()) * script.compile_s;
  EXPECT_LT(outcome.elapsed_s, 1.0 + compiling_s) << "the timing ends before the budget does";
}

TEST(SoftwareViews, AreTimedForLongerWhereCompilingTookLittle) {
  FakeScript script;
  script.bytes_per_s = 1e8;
  script.slowdown = [](double now_s) { return std::fmod(now_s * 7.3, 1.0) < 0.5 ? 1.0 : 1.4; };
  MeasureRequest request;
  request.device.kind = probe::DeviceKind::kSoftware;
  request.scope = Scope::kRepeat;
  request.budget_s = 2.0;
  const auto seconds_beside_compiling = [&](double compile_s) {
    script.compile_s = compile_s;
    FakeSession session(script);
    const auto variants = FakeVariants({}, {"read"});
    const double compiling_s = 2 * compile_s;  // the read and what fills its array
    return MeasureFake(session, variants, request).elapsed_s - compiling_s;
  };
  const double warm_s = seconds_beside_compiling(0.010), cold_s = seconds_beside_compiling(0.5);
  EXPECT_NEAR(warm_s - cold_s, 0.4, 0.1);
  EXPECT_LT(warm_s, 1.4);
}

TEST(SoftwareViews, AQuickLookHasTimeForAllOfTheirFigures) {
  FakeScript script;
  script.free_bytes = 200U << 20U;  // room for a prompt's weights
  script.flop_per_s = 1e10;
  FakeSession session(script);
  MeasureRequest request;
  request.device.kind = probe::DeviceKind::kSoftware;
  request.scope = Scope::kRepeat;
  request.budget_s = 2.0 / 3;
  auto variants = FakeOthers();
  const auto more = FakeVariants({"gemm"}, {"read"}, false);
  variants.insert(variants.end(), more.begin(), more.end());
  const Outcome outcome = MeasureFake(session, variants, request);
  for (const char* name : {"gemm", "read", "gemv_q4"}) {
    const Measurement& row = outcome.Of(name);
    EXPECT_EQ(row.status, MeasurementStatus::kOk) << name << ": " << row.reason.value_or("");
  }
}

TEST(Watching, ADeviceIsWatchedWhileItWorksAndNotAfterEachBatch) {
  FakeScript script;
  int asked_after = 0;
  int asked_at_work = 0;
  script.state = [&](double) {
    ++asked_after;
    return DeviceState{"", 1.0};
  };
  script.state_at_work = [&] {
    ++asked_at_work;
    return DeviceState{"hardware thermal", 0.62};
  };
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_TRUE(gemm.throttled);
  EXPECT_EQ(gemm.reason, "throttled by hardware thermal; its clock fell to 62 % of the highest");
  EXPECT_EQ(asked_after, 0);
  EXPECT_GE(asked_at_work, 3);
  EXPECT_LE(asked_at_work, static_cast<int>(gemm.samples) / 2) << "of the prompt's product as well";
}

TEST(Watching, KeepsTheHighestThatTheDeviceSaidOfItselfAndItsWidestLink) {
  FakeScript script;
  double seen_c = 0;
  script.state = [&](double now_s) {
    seen_c = std::max(seen_c, 50 + now_s);
    DeviceState state{"", 1.0};
    if (now_s > 1) state.limited_by = "its power limit";
    state.temperature_c = 50 + now_s;
    state.power_w = now_s > 1.5 ? 200 : 300;
    const bool is_up = now_s > 1.5 && now_s < 1.8;
    state.pcie = probe::PcieLink{is_up ? 4U : 1U, 16U, 4U, 16U};
    return state;
  };
  const Measurement gemm = MeasureBy(script).Of("gemm");
  EXPECT_GT(gemm.temperature_c.value_or(0), 51);
  EXPECT_LE(gemm.temperature_c.value_or(100), seen_c);
  EXPECT_EQ(gemm.power_w, 300);
  EXPECT_EQ(gemm.limited_by, "its power limit");
  ASSERT_TRUE(gemm.pcie);
  EXPECT_EQ(gemm.pcie->generation, 4U) << "a link that idles between batches";
  script.state = nullptr;
  const Measurement silent = MeasureBy(script).Of("gemm");
  EXPECT_FALSE(silent.temperature_c || silent.power_w || silent.pcie || silent.limited_by);
}

}  // namespace
}  // namespace backends
