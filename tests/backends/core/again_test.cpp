// SPDX-License-Identifier: MIT
// Named figures, measured for a second time.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/core/runner.h"
#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

using kernels::Kernel;

// In a third of the time, in which the plan would have been a smaller one.
TEST(Runner, OfNamedFiguresTheVeryShapesAreMeasuredAgainAndNothingElse) {
  FakeSession session{FakeScript()};
  MeasureRequest request = Request();
  const Outcome first = MeasureFake(session, FakeVariants({"fast", "slow"}, {"read"}), request);
  request.scope = Scope::kAgain;
  request.budget_s /= 3;
  for (const Measurement& m : first.measurements) {
    if (m.status == MeasurementStatus::kOk)
      request.figures.push_back({m.kernel, m.in_dtype, m.acc_dtype, m.implementation, m.shape});
  }
  ASSERT_GE(request.figures.size(), 2U);
  FakeSession other{FakeScript()};
  const Outcome again = MeasureFake(other, FakeVariants({"fast", "slow"}, {"read"}), request);
  for (const Figure& figure : request.figures) {
    EXPECT_TRUE(std::any_of(again.measurements.begin(), again.measurements.end(), [&](const Measurement& m) {
      return m.status == MeasurementStatus::kOk && m.kernel == figure.kernel &&
             m.implementation == figure.implementation &&
             (m.kernel != Kernel::kGemm || m.shape == figure.shape);
    }));
  }
  request.figures = {{Kernel::kRead, kernels::Dtype::kU32, kernels::Dtype::kU32, "read", {}}};
  FakeSession third{FakeScript()};
  const Outcome read = MeasureFake(third, FakeVariants({"fast", "slow"}, {"read"}), request);
  ASSERT_EQ(read.measurements.size(), 1U);
  EXPECT_EQ(read.measurements[0].kernel, Kernel::kRead);
}

}  // namespace
}  // namespace backends
