// SPDX-License-Identifier: MIT
// What is measured while other programs come and go.
#include <gtest/gtest.h>

#include "backends/core/runner.h"
#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

// Others take the machine for a while, and less of it for another: whenever they leave, no figure of memory
// rests on arrays in the cache.
TEST(Runner, ADisturbedLookYieldsNoFigureOfMemoryFromTheCache) {
  constexpr int kTenths = 30;
  constexpr int kStep = 2;
  int measured = 0;
  for (int tenth = 0; tenth < kTenths; tenth += kStep) {
    FakeScript script;
    script.slowdown = [end_s = 0.1 * tenth](double now_s) {
      constexpr double kLess = 0.3;
      return now_s < end_s ? 1e3 : now_s < end_s + kLess ? 1e2 : 1.0;
    };
    FakeSession session(script);
    session.mutable_limits().cache_bytes = 1U << 20U;
    const Measurement read = MeasureFake(session, FakeVariants({}, {"read"}), Request()).Of("read");
    if (read.status == MeasurementStatus::kOk) {
      ++measured;
      EXPECT_GE(read.shape.count * 4U, 1.9 * (1U << 20U)) << tenth;
    } else {
      EXPECT_EQ(read.status, MeasurementStatus::kOverBudget) << tenth;
      EXPECT_FALSE(read.rate) << tenth;
    }
  }
  EXPECT_GE(measured, kTenths / kStep / 3) << "a short disturbance is seen through";
}

// With the time for nothing but the smallest product no speed of products is known.
TEST(Runner, AProductThatIsAllLaunchIsNoFigure) {
  FakeScript script;
  script.flop_per_s = 2e10;
  script.event_share.reset();
  script.launch_s = 0.4;
  FakeSession session(script);
  const auto outcome = MeasureFake(session, FakeVariants({"gemm"}, {}), Request());
  const Measurement gemm = outcome.Of("gemm");
  EXPECT_EQ(gemm.status, MeasurementStatus::kOverBudget) << gemm.shape.n << " " << gemm.reason.value_or("");
  EXPECT_FALSE(gemm.rate);
}

// A simulator takes that long for its smallest product by its own clock, whatever it is to launch it.
TEST(Runner, ASmallProductThatTheDeviceItselfTimedIsAFigure) {
  FakeScript script;
  script.flop_per_s = 3e5;
  FakeSession session(script);
  const auto outcome = MeasureFake(session, FakeVariants({"gemm"}, {}), Request());
  const Measurement gemm = outcome.Of("gemm");
  EXPECT_EQ(gemm.status, MeasurementStatus::kOk) << gemm.reason.value_or("");
  EXPECT_LT(gemm.shape.n, 200) << "no other has been tried here";
  EXPECT_FALSE(gemm.host_timed);
}

}  // namespace
}  // namespace backends
