// SPDX-License-Identifier: MIT
// The session is whole: every kernel of it loads, runs and verifies.
#include "backends/null/null_session.h"

#include <gtest/gtest.h>

#include <set>

#include "backends/core/runner.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace backends::null {
Backend Describe();

namespace {

TEST(NullSession, EveryKernelVerifies) {
  Limits limits;
  limits.memory_free_bytes = 512U << 20U;
  limits.max_buffer_bytes = 128U << 20U;
  NullSession session(limits);
  MeasureRequest request;
  request.budget_s = 3.0;
  std::vector<Measurement> measurements;
  Measure(session, Describe().variants(limits), request, [&](const MeasureEvent& event) {
    if (const auto* measurement = std::get_if<Measurement>(&event)) measurements.push_back(*measurement);
  });
  std::set<kernels::Kernel> kernels;
  for (const Measurement& measurement : measurements) {
    // The prompt's product has its least size, which a build for a sanitizer is too slow for.
    if (WHICHGPU_SANITIZED && measurement.shape.n == 4096 &&
        measurement.status == MeasurementStatus::kOverBudget)
      continue;
    EXPECT_EQ(measurement.status, MeasurementStatus::kOk) << measurement.reason.value_or("");
    EXPECT_TRUE(measurement.verified);
    kernels.insert(measurement.kernel);
  }
  EXPECT_TRUE(kernels.contains(kernels::Kernel::kGemm));
  EXPECT_TRUE(kernels.contains(kernels::Kernel::kRead));
}

TEST(NullSession, OpensNoDeviceThatTheRuntimeDoesNotShow) {
  const auto files = probe::system::FileSystem::Open("/");
  ASSERT_TRUE(files.ok());
  const probe::system::Environment environment;
  const auto session = Describe().open({{}, std::nullopt, *files, environment});
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().name, "no such device");
}

TEST(NullSession, RefusesWhatIsOutsideOfABuffer) {
  NullSession session({});
  const auto buffer = session.Allocate({8, {}});
  ASSERT_TRUE(buffer.ok());
  std::vector<std::byte> nine(9);
  EXPECT_FALSE(session.Upload(*buffer, 0, nine).ok());
  EXPECT_FALSE(session.Download(*buffer, 1, std::span(nine).first(8)).ok());
  session.Release(*buffer);
  EXPECT_FALSE(session.Upload(*buffer, 0, std::span(nine).first(1)).ok());
}

}  // namespace
}  // namespace backends::null
