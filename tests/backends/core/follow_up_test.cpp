// SPDX-License-Identifier: MIT
// What a process says that follows others which ended and took of its device's time.
#include <gtest/gtest.h>

#include "backends/core/runner.h"
#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

// Of the read, behind a product, by a process with so much time after one that had `first_budget_s`.
Measurement ReadAfter(double first_budget_s, double budget_s) {
  FakeSession session{FakeScript()};
  MeasureExtras extras;
  extras.first_budget_s = first_budget_s;
  Measurement read;
  Measure(
      session, FakeVariants({"gemm"}, {"read"}), Request(budget_s),
      [&](const MeasureEvent& event) {
        const auto* measurement = std::get_if<Measurement>(&event);
        if (measurement != nullptr && measurement->kernel == kernels::Kernel::kRead) read = *measurement;
      },
      [&] { return session.now_s(); }, extras);
  return read;
}

TEST(FollowUp, WhatTheProcessesBeforeTookIsNoWantOfBudget) {
  const Measurement read = ReadAfter(3.0, 0.1);
  EXPECT_EQ(read.status, MeasurementStatus::kSkipped);
  EXPECT_EQ(read.reason, "left out: the processes before this one ended, which took its time");
}

TEST(FollowUp, WhatTheFirstHadNoTimeForEitherIsOverBudget) {
  for (const double first_s : {0.0, 0.1, 0.12})
    EXPECT_EQ(ReadAfter(first_s, 0.1).status, MeasurementStatus::kOverBudget) << first_s;
}

}  // namespace
}  // namespace backends
