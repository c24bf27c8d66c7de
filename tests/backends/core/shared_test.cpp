// SPDX-License-Identifier: MIT
// What is measured of a device of which others leave little memory, and what is said of the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/core/sharing.h"
#include "kernels/spec.h"
#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

using kernels::Kernel;

constexpr std::uint64_t kKiB = 1024;

struct Beside {
  Outcome outcome;
  std::uint64_t peak_bytes = 0;
};

// All that the fake has, on a device of which others leave so much that this process may use `room_bytes`.
Beside MeasureWithin(std::uint64_t room_bytes, double flop_per_s = 1e9) {
  FakeScript script;
  script.flop_per_s = flop_per_s;
  script.free_bytes = 4 * room_bytes;
  FakeSession session(script);
  ShareWith("1 other process on it", OthersWork::kNone, session.mutable_limits());
  auto variants = FakeVariants({"gemm", "rival"}, {"read"});
  for (auto& variant : FakeOthers()) variants.push_back(std::move(variant));
  Beside beside;
  beside.outcome = MeasureFake(session, variants, Request());
  beside.peak_bytes = session.peak_bytes();
  return beside;
}

bool IsLeft(const Measurement& m) { return m.needed_bytes.has_value(); }

// Every row that says so is over the budget and tells how much there is, and no row is a failure.
void ExpectNoFailure(const Outcome& outcome) {
  std::vector<Measurement> all = outcome.measurements;
  all.insert(all.end(), outcome.overheads.begin(), outcome.overheads.end());
  for (const Measurement& m : all) {
    EXPECT_NE(m.status, MeasurementStatus::kFailed) << m.implementation << ": " << m.reason.value_or("");
    EXPECT_NE(m.status, MeasurementStatus::kUnsupported) << m.implementation << ": " << m.reason.value_or("");
    if (!IsLeft(m)) continue;
    EXPECT_EQ(m.status, MeasurementStatus::kOverBudget) << m.implementation;
    EXPECT_NE(m.reason->find("(25 %) are used at most beside others (1 other process on it)"),
              std::string::npos)
        << *m.reason;
  }
}

TEST(Shared, TheLargestProductThatFitsIsMeasured) {
  const auto [outcome, peak_bytes] = MeasureWithin(2048 * kKiB, 2e10);
  ExpectNoFailure(outcome);
  EXPECT_LE(peak_bytes, 2048 * kKiB);
  const Measurement& gemm = outcome.Of("gemm");
  ASSERT_EQ(gemm.status, MeasurementStatus::kOk) << gemm.reason.value_or("");
  EXPECT_EQ(gemm.shape.n, 256U) << "three operands of 512 rows would be 3 MiB";
  EXPECT_NE(gemm.reason->find("smaller than planned"), std::string::npos) << *gemm.reason;
  EXPECT_EQ(MeasureWithin(1024 * kKiB, 2e10).outcome.Of("gemm").shape.n, 256U) << "768 KiB";
  EXPECT_EQ(MeasureWithin(8192 * kKiB, 2e10).outcome.Of("gemm").shape.n, 512U);
}

TEST(Shared, AFigureForWhichThereIsNoRoomHasOneRow) {
  const Outcome outcome = MeasureWithin(2048 * kKiB).outcome;
  std::vector<const Measurement*> prompts;
  for (const Measurement& m : outcome.measurements) {
    if (m.kernel == Kernel::kGemm && m.shape.n == 4096) prompts.push_back(&m);
  }
  ASSERT_EQ(prompts.size(), 1U) << "whichever kernels there are";
  EXPECT_TRUE(IsLeft(*prompts.front()));
  EXPECT_GE(*prompts.front()->needed_bytes, std::uint64_t{4096} * 4096 * sizeof(float));
  EXPECT_NE(prompts.front()->reason->find("8 MiB are free, of which 2 MiB"), std::string::npos)
      << *prompts.front()->reason;
}

// Nobody is seen to use the device, and its memory is taken.
TEST(Shared, MemoryThatSomebodyUnseenHoldsIsNoWantOfTheDevice) {
  enum class Case { kTaken, kSmall, kTheHosts };
  for (const Case which : {Case::kTaken, Case::kSmall, Case::kTheHosts}) {
    FakeScript script;
    script.free_bytes = 1000;
    FakeSession session(script);
    auto request = Request();
    request.device.memory_total_bytes = which == Case::kSmall ? 2000 : 8 << 20;
    request.device.kind =
        which == Case::kTheHosts ? probe::DeviceKind::kIntegrated : probe::DeviceKind::kDiscrete;
    const Outcome outcome = MeasureFake(session, FakeVariants({"gemm", "rival"}, {"read"}), request);
    ASSERT_FALSE(outcome.measurements.empty());
    const bool is_taken = which == Case::kTaken;
    for (const Measurement& m : outcome.measurements) {
      EXPECT_EQ(IsLeft(m), is_taken) << m.implementation;
      EXPECT_EQ(m.holder_unseen.value_or(false), is_taken) << m.implementation;
      EXPECT_EQ(m.status, is_taken ? MeasurementStatus::kOverBudget : MeasurementStatus::kUnsupported);
      EXPECT_EQ(m.reason->find("0 KiB of 8 MiB are free, and ") == 0, is_taken) << *m.reason;
      EXPECT_EQ(m.reason->ends_with("who holds the rest can not be seen"), is_taken) << *m.reason;
    }
  }
}

// A buffer that the device never takes says so, whoever holds the memory.
TEST(Shared, ABufferThatTheDeviceNeverTakesIsNoWantOfMemory) {
  FakeScript script;
  script.free_bytes = 1000;
  FakeSession session(script);
  session.mutable_limits().max_buffer_bytes = 16;
  auto request = Request();
  request.device.kind = probe::DeviceKind::kDiscrete;
  request.device.memory_total_bytes = 8 << 20;
  const Outcome outcome = MeasureFake(session, FakeVariants({"gemm", "rival"}, {"read"}), request);
  ASSERT_FALSE(outcome.measurements.empty());
  for (const Measurement& m : outcome.measurements) {
    EXPECT_FALSE(IsLeft(m)) << m.implementation;
    EXPECT_EQ(m.reason->find("a buffer of "), 0U) << *m.reason;
  }
}

TEST(Shared, FiguresTakeTurnsWithTheMemory) {
  const auto [outcome, peak_bytes] = MeasureWithin(16384 * kKiB, 2e10);
  ExpectNoFailure(outcome);
  EXPECT_LE(peak_bytes, 16384 * kKiB);
  for (const char* name : {"gemm", "read", "copy", "triad", "gemv", "gemv_q4", "chain"})
    EXPECT_EQ(outcome.Of(name).status, MeasurementStatus::kOk)
        << name << ": " << outcome.Of(name).reason.value_or("");
}

TEST(Shared, ArraysThatTheCachesHoldForOthersSakeSayWhoseTheMemoryIs) {
  const Outcome outcome = MeasureWithin(120 * kKiB).outcome;
  ExpectNoFailure(outcome);
  const Measurement& read = outcome.Of("read");
  ASSERT_TRUE(IsLeft(read)) << read.reason.value_or("");
  EXPECT_NE(read.reason->find("are in the caches"), std::string::npos) << *read.reason;
  EXPECT_GT(*read.needed_bytes, 120 * kKiB);
}

TEST(Shared, WithoutRoomForAnythingEveryFigureSaysSoOnce) {
  const Outcome outcome = MeasureWithin(1000).outcome;
  ExpectNoFailure(outcome);
  std::vector<std::string> names;
  for (const Measurement& m : outcome.measurements) {
    EXPECT_TRUE(IsLeft(m)) << m.implementation << ": " << m.reason.value_or("");
    names.push_back(m.implementation);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_EQ(std::count(names.begin(), names.end(), "rival"), 0) << "of gemm one row is enough";
  EXPECT_EQ(names.size(), 7U);
}

TEST(Shared, TransfersForWhichThereIsNoRoomAreNoFailure) {
  const Outcome outcome = MeasureWithin(200 * kKiB).outcome;
  ExpectNoFailure(outcome);
  const auto is_transfer = [](const Measurement& m) { return m.kernel == Kernel::kHostToDevice; };
  const auto sent = std::find_if(outcome.overheads.begin(), outcome.overheads.end(), is_transfer);
  ASSERT_NE(sent, outcome.overheads.end());
  EXPECT_TRUE(IsLeft(*sent)) << sent->reason.value_or("");
}

TEST(Shared, WhatTheDeviceCanNotHoldAnywayIsNotLaidToOthers) {
  Limits limits;
  limits.max_buffer_bytes = 1000;
  limits.memory_free_bytes = 100000;
  ShareWith("1 other process on it", OthersWork::kSeen, limits);
  const Allocations allocations(limits);
  const auto name = [&](std::uint64_t bytes) { return allocations.Check("call", bytes).error().name; };
  EXPECT_EQ(name(1001), "too large");
  EXPECT_EQ(name(0), "too large");
  limits.max_buffer_bytes = 50000;
  ShareWith("1 other process on it", OthersWork::kSeen, limits);
  EXPECT_EQ(name(1001), NameOf(probe::OwnError::kLeftToOthers));
}

}  // namespace
}  // namespace backends
