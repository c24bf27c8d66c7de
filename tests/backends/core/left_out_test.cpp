// SPDX-License-Identifier: MIT
// What is said of kernels whose turn does not come: what the device lacks it lacks however much time there
// is, and what there was no time for is named by a kernel that it has.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "backends/core/budget.h"
#include "backends/core/runner.h"
#include "tests/backends/core/fake_session.h"

namespace backends {
namespace {

// What became of each of these reads behind a product, of which the device lacks the first and a program has
// left out the second.
std::map<std::string, Measurement> ReadsOf(const FakeScript& script, double budget_s) {
  FakeSession session(script);
  auto variants = FakeVariants({"gemm"}, {"lacking", "spared", "first", "second"});
  for (auto& variant : variants) {
    if (variant.name == "lacking") variant.requires_features = {"matrix_units"};
    if (variant.name == "spared") variant.left_out = "it is too new";
  }
  std::map<std::string, Measurement> reads;
  for (const Measurement& m : MeasureFake(session, variants, Request(budget_s)).measurements) {
    if (m.kernel == kernels::Kernel::kRead) reads[m.implementation] = m;
  }
  return reads;
}

void ExpectWhatTheDeviceHas(std::map<std::string, Measurement> reads) {
  EXPECT_EQ(reads.size(), 3U) << "one speaks for all that there was no time for";
  EXPECT_EQ(reads["lacking"].status, MeasurementStatus::kUnsupported);
  EXPECT_EQ(reads["lacking"].reason, "the device lacks matrix_units");
  EXPECT_EQ(reads["spared"].status, MeasurementStatus::kSkipped);
  EXPECT_EQ(reads["spared"].reason, "it is too new");
  EXPECT_EQ(reads["first"].status, MeasurementStatus::kOverBudget);
  EXPECT_EQ(reads["first"].stage, "compile");
}

TEST(LeftOut, BeforeAnythingIsTriedItIsSaidOfWhatTheDeviceHas) {
  auto reads = ReadsOf({}, 0.1);
  ExpectWhatTheDeviceHas(reads);
  EXPECT_EQ(reads["first"].reason, "the budget has no time for it beside the kernels before it");
}

TEST(LeftOut, AfterOthersTookTheTimeLikewise) {
  FakeScript script;
  script.compile_s = kUntimedForFigures;
  auto reads = ReadsOf(script, 3);
  ExpectWhatTheDeviceHas(reads);
  EXPECT_TRUE(reads["first"].reason->starts_with("compilation and first launches before it took "))
      << *reads["first"].reason;
}

TEST(LeftOut, OfWhatTheDeviceCanNotDoAtAllNothingIsLate) {
  FakeSession session({});
  auto variants = FakeVariants({"gemm"}, {"lacking"});
  variants.back().requires_features = {"matrix_units"};
  const Outcome outcome = MeasureFake(session, variants, Request(0.1));
  EXPECT_EQ(outcome.Of("lacking").status, MeasurementStatus::kUnsupported);
}

// Variant by variant: the first compiles with the kernels that fill, and no other is begun after so long.
TEST(LeftOut, WithinATaskTheOrderOfTheTableIsThatOfTheTrials) {
  FakeScript script;
  script.compile_s = 11;
  script.speeds = {{"sure", 1.0}, {"fast", 9.0}};
  const Outcome outcome = MeasureBy(script, {"sure", "fast"});
  EXPECT_EQ(outcome.Of("sure").status, MeasurementStatus::kOk) << outcome.Of("sure").reason.value_or("");
  EXPECT_EQ(outcome.Of("fast").status, MeasurementStatus::kOverBudget);
  const Outcome equals = MeasureBy({}, {"one", "other"});
  EXPECT_EQ(equals.Of("one").status, MeasurementStatus::kOk);
  EXPECT_EQ(equals.Of("other").status, MeasurementStatus::kSkipped);
}

}  // namespace
}  // namespace backends
