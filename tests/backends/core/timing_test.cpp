// SPDX-License-Identifier: MIT
// Which workload runs next and how much of it: turns of copies, and who waits for whom.
#include "backends/core/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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
    auto workload = Workload::Create(session, writer, *loaded, {{0, 0, 0, 4096, 0}, 1, "", false});
    ASSERT_TRUE(workload);
    all.push_back({*std::move(workload), 0.006, 0, {}, {}, {}, false, false, {}, rank, "", 1});
  }
  Budget budget(0.6, [&] { return session.now_s(); });
  TimeInterleaved(all, budget, 0);
  EXPECT_EQ(all.back().wall_s.size(), kMinBatches);
  EXPECT_GE(all.front().wall_s.size(), 3 * kMinBatches);
  EXPECT_NEAR(static_cast<double>(all[1].wall_s.size()), static_cast<double>(all.front().wall_s.size()), 1);
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

}  // namespace
}  // namespace backends
