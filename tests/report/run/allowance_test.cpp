// SPDX-License-Identifier: MIT
// What a child that measures may be allowed at most.
#include <gtest/gtest.h>

#include <optional>

#include "backends/core/budget.h"
#include "backends/core/measurement_fields.h"
#include "report/run/calibrate.h"

namespace report {
namespace {

TEST(MostAllowed, IsWhatItsKindOfStepIsEverGranted) {
  backends::MeasureRequest request;
  request.budget_s = 2;
  const auto most = [&](probe::Stage stage, const char* name = "own:avx2") {
    auto record =
        backends::EncodeEvent(backends::MeasureStage{stage, "gemm fp32/fp32", std::nullopt, name, 1e9});
    record["allow_s"] = 1e9;
    return MostAllowed(request, record);
  };
  EXPECT_EQ(most(probe::Stage::kLaunch), request.first_launch_allowance_s);
  EXPECT_EQ(most(probe::Stage::kLaunch, "rocblas"), 30) << "a library's kernels may be on a cold disk";
  EXPECT_EQ(most(probe::Stage::kInit), 30) << "a GPU's driver may be cold";
  request.device.kind = probe::DeviceKind::kSoftware;
  EXPECT_EQ(most(probe::Stage::kInit), request.first_launch_allowance_s);
  EXPECT_EQ(most(probe::Stage::kTime), 2 + backends::kStallAllowanceSeconds);
  EXPECT_EQ(most(probe::Stage::kVerify), 2 + backends::kStallAllowanceSeconds);
  EXPECT_GE(most(probe::Stage::kCompile), request.compile_allowance_s * 8);
  EXPECT_LE(most(probe::Stage::kCompile), 30);
  EXPECT_EQ(MostAllowed(request, backends::EncodeEvent(backends::Measurement{})), 0)
      << "a measurement buys no time";
}

}  // namespace
}  // namespace report
