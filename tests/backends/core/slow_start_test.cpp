// SPDX-License-Identifier: MIT
// What compilation and first launches may take together, beyond the budget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/core/budget.h"
#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

// What is slow to compile is measured by fewer variants, and what is hopeless ends, with what was found.
TEST(Runner, SlowFirstLaunchesEndTheChoiceThenTheFigures) {
  FakeScript script;
  script.first_run_s = 4.0;
  const std::vector<std::string> many = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  const Outcome outcome = MeasureBy(script, many, {"read"}, Request(2.0));
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOk);
  EXPECT_EQ(outcome.Of("l").status, MeasurementStatus::kOverBudget);
  EXPECT_THAT(*outcome.Of("l").reason, ::testing::HasSubstr("compilation and first launches before it took"));
  EXPECT_LT(outcome.elapsed_s, kUntimedForChoice + 5 * script.first_run_s + 3.0);
  script.first_run_s = kUntimedForFigures + 1;
  const Outcome hopeless = MeasureBy(script, {"gemm"}, {"read"}, Request(2.0));
  const auto late = [](const Measurement& m) { return m.status == MeasurementStatus::kOverBudget; };
  EXPECT_TRUE(std::any_of(hopeless.measurements.begin(), hopeless.measurements.end(), late));
}

// Each launch takes as long as the budget: the first variant leaves nothing to rate others in.
TEST(Runner, SlowKernelsDoNotStretchTheRunByTheirNumber) {
  FakeScript script;
  script.launch_s = 2.0;
  const std::vector<std::string> many = {"a", "b", "c", "d", "e", "f", "g", "h"};
  MeasureRequest request = Request(2.0);
  request.device.kind = probe::DeviceKind::kDiscrete;
  const Outcome outcome = MeasureBy(script, many, {"read"}, request);
  EXPECT_EQ(outcome.Of("h").status, MeasurementStatus::kOverBudget);
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOverBudget);
  EXPECT_LT(outcome.elapsed_s, 8 * script.launch_s);
}

}  // namespace
}  // namespace backends
