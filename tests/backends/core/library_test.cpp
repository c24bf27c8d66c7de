// SPDX-License-Identifier: MIT
// Libraries of products: they load kernels for each size, and look for their fastest way where it counts.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/core/runner.h"
#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

std::vector<kernels::Variant> Library() {
  auto variants = FakeVariants({"lib"}, {});
  variants.back().steps[0].library = "lib";
  return variants;
}

MeasureRequest Libraries() {
  MeasureRequest request = Request(1.0);
  request.scope = Scope::kLibraries;
  return request;
}

TEST(Libraries, LookForTheirFastestWayAtTheSizeOfTheFigureAlone) {
  FakeSession session{FakeScript()};
  const Measurement found = MeasureFake(session, Library(), Libraries()).Of("lib");
  ASSERT_EQ(found.status, MeasurementStatus::kOk) << found.reason.value_or("");
  int rough = 0;
  for (const auto& [rows, is_rough] : session.products()) {
    rough += is_rough ? 1 : 0;
    EXPECT_TRUE(is_rough || rows == found.shape.m) << rows;
  }
  EXPECT_GT(rough, 3) << "of small problems";
}

TEST(Libraries, LoadTheirKernelsWithoutSpendingTheBudget) {
  FakeScript script;
  script.first_size_s = 5;
  FakeSession session(script);
  const Outcome outcome = MeasureFake(session, Library(), Libraries());
  EXPECT_EQ(outcome.Of("lib").status, MeasurementStatus::kOk) << outcome.Of("lib").reason.value_or("");
  EXPECT_GT(outcome.Of("lib").samples, 20U);
  EXPECT_GT(outcome.elapsed_s, 3 * script.first_size_s);
}

TEST(Libraries, WithoutSuchAKernelHaveNotFailed) {
  FakeScript script;
  script.unimplemented = {"gemm"};
  const Outcome outcome = MeasureBy(script, {"gemm"}, {"read"});
  EXPECT_EQ(outcome.Of("gemm").status, MeasurementStatus::kUnsupported);
  EXPECT_NE(outcome.Of("gemm").reason->find("not on this device"), std::string::npos);
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOk);
}

TEST(Libraries, WithoutSuchAKernelForThatSizeHaveNotFailed) {
  FakeScript script;
  script.flop_per_s = 2e10;
  const std::uint32_t rows = MeasureBy(script).Of("gemm").shape.m;
  ASSERT_GT(rows, 256U) << "beyond the small problems";
  script.unimplemented_rows = rows;
  EXPECT_EQ(MeasureBy(script).Of("gemm").status, MeasurementStatus::kUnsupported);
}

TEST(Libraries, AreBegunOnlyWhileTheirAllowanceIsLeft) {
  const auto status = [](double ends_within_s) {
    FakeSession session{FakeScript()};
    MeasureRequest request = Libraries();
    request.device.kind = probe::DeviceKind::kDiscrete;
    std::vector<Measurement> found;
    Measure(
        session, Library(), request,
        [&](const MeasureEvent& event) {
          if (const auto* m = std::get_if<Measurement>(&event)) found.push_back(*m);
        },
        [&session] { return session.now_s(); }, MeasureExtras{{}, ends_within_s});
    return found.size() == 1 ? found[0].status : MeasurementStatus::kInterrupted;
  };
  EXPECT_EQ(status(40), MeasurementStatus::kOk);
  EXPECT_EQ(status(29), MeasurementStatus::kOverBudget);
}

TEST(Libraries, HaveTimeToReadThemFromAColdDisk) {
  const auto allowed_s = [](std::vector<kernels::Variant> variants, probe::DeviceKind kind) {
    FakeSession session{FakeScript()};
    MeasureRequest request = Libraries();
    request.device.kind = kind;
    double least_s = 1e9;
    for (const MeasureStage& stage : MeasureFake(session, variants, request).stages) {
      const bool readies = stage.stage == probe::Stage::kCompile || stage.stage == probe::Stage::kLaunch;
      if (readies && stage.implementation == "lib") least_s = std::min(least_s, stage.allow_s);
    }
    return least_s;
  };
  EXPECT_EQ(allowed_s(Library(), probe::DeviceKind::kIntegrated), 30);
  EXPECT_EQ(allowed_s(Library(), probe::DeviceKind::kCpu), Request().first_launch_allowance_s);
  EXPECT_LE(allowed_s(FakeVariants({"lib"}, {}), probe::DeviceKind::kIntegrated),
            Request().first_launch_allowance_s);
}

}  // namespace
}  // namespace backends
