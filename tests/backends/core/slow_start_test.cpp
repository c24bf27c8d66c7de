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

TEST(Runner, TheFirstKernelHasTheTimeOfACompilerThatNobodyHasUsed) {
  MeasureRequest request = Request(2.0);
  request.device.kind = probe::DeviceKind::kDiscrete;
  std::vector<double> allowed_s;
  for (const MeasureStage& stage : MeasureBy(FakeScript(), {"a", "b"}, {"read"}, request).stages) {
    if (stage.stage == probe::Stage::kCompile) allowed_s.push_back(stage.allow_s);
  }
  ASSERT_EQ(allowed_s.size(), 3U);
  EXPECT_EQ(allowed_s[0], InitAllowanceSeconds(request));
  EXPECT_GT(allowed_s[0], 3 * allowed_s[1] - 1e-9);
  EXPECT_EQ(allowed_s[1], allowed_s[2]);
}

TEST(Runner, AProcessThatFollowsAnotherHasTheUsualTimeForItsFirstKernel) {
  FakeSession session{FakeScript()};
  MeasureRequest request = Request(2.0);
  request.device.kind = probe::DeviceKind::kDiscrete;
  std::vector<double> allowed_s;
  MeasureExtras extras;
  extras.first_budget_s = request.budget_s;  // a short one is given whole again
  Measure(
      session, FakeVariants({"a", "b"}, {"read"}), request,
      [&](const MeasureEvent& event) {
        const auto* stage = std::get_if<MeasureStage>(&event);
        if (stage != nullptr && stage->stage == probe::Stage::kCompile) allowed_s.push_back(stage->allow_s);
      },
      [&session] { return session.now_s(); }, extras);
  ASSERT_EQ(allowed_s.size(), 3U);
  EXPECT_LT(allowed_s[0], InitAllowanceSeconds(request));
  EXPECT_EQ(allowed_s[0], allowed_s[1]);
}

// What was found right is told before it is timed.
TEST(Runner, ATrialThatWasRightIsToldAtOnce) {
  FakeSession session{FakeScript()};
  std::vector<std::string> told;
  MeasureExtras extras;
  extras.on_trial = [&](const Measurement& trial) {
    EXPECT_EQ(trial.status, MeasurementStatus::kOk);
    EXPECT_TRUE(trial.verified);
    EXPECT_EQ(trial.samples, 0U);
    EXPECT_GT(trial.rate.value_or(0), 0);
    told.push_back("trial of " + trial.implementation);
  };
  Measure(
      session, FakeVariants({"gemm"}, {"read"}), Request(2.0),
      [&](const MeasureEvent& event) {
        if (const auto* m = std::get_if<Measurement>(&event)) told.push_back(m->implementation);
        const auto* stage = std::get_if<MeasureStage>(&event);
        if (stage != nullptr && stage->stage == probe::Stage::kTime) told.emplace_back("timing");
      },
      [&session] { return session.now_s(); }, extras);
  const auto at = [&](const std::string& what) { return std::find(told.begin(), told.end(), what); };
  for (const char* trial : {"trial of gemm", "trial of read"}) EXPECT_LT(at(trial), at("timing")) << trial;
}

// The first that compiles may be wrong: another is in its place, however long that took.
TEST(Runner, ASlowStartCostsNoFigureForTheFirstKernelsFault) {
  FakeScript script;
  script.compile_s = (kUntimedForChoice + 1) / 3;  // with the two kernels that fill
  script.defects["a"] = Defect::kWrongElement;
  const Outcome outcome = MeasureBy(script, {"a", "b", "c"}, {}, Request(2.0));
  EXPECT_EQ(outcome.Of("a").status, MeasurementStatus::kWrongResult);
  EXPECT_EQ(outcome.Of("b").status, MeasurementStatus::kOk);
}

TEST(Runner, WrongKernelsThatStartSlowlyEndBeforeTheirProcessIsKilled) {
  FakeScript script;
  script.first_run_s = 9;
  const std::vector<std::string> many = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (const std::string& name : many) script.defects[name] = Defect::kWrongElement;
  const Outcome outcome = MeasureBy(script, many, {"read"}, Request(2.0));
  EXPECT_LT(outcome.elapsed_s, 2.0 + kUntimedSeconds);
  EXPECT_EQ(outcome.Of("h").status, MeasurementStatus::kOverBudget);
}

// A driver may compile between its events, or have none: the second launch tells.
TEST(Runner, AFirstLaunchThatIsSlowOnceIsNoSlowKernel) {
  FakeScript script;
  script.first_run_s = 2.5;
  script.event_share = std::nullopt;
  const Outcome outcome = MeasureBy(script, {"a"}, {"read"}, Request(2.0));
  for (const char* name : {"a", "read"}) EXPECT_EQ(outcome.Of(name).status, MeasurementStatus::kOk) << name;
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
  for (const double launch_s : {5.0, 9.0}) {  // too long to be done again
    script.launch_s = launch_s;
    EXPECT_LT(MeasureBy(script, many, {"read"}, request).elapsed_s, 2.0 + kUntimedSeconds) << launch_s;
  }
}

// Filling and running outlast the budget twice, and running does so again: no other kernel is begun.
TEST(Runner, ADeviceThatIsHopelesslySlowIsGivenUpAfterItsFirstTrial) {
  FakeScript script;
  script.launch_s = 4.5;
  const std::vector<std::string> many = {"a", "b", "c", "d", "e", "f", "g", "h"};
  MeasureRequest request = Request(2.0);
  request.device.kind = probe::DeviceKind::kDiscrete;
  const double alone_s = MeasureBy(script, {"a"}, {"read"}, request).elapsed_s;
  const Outcome outcome = MeasureBy(script, many, {"read"}, request);
  EXPECT_LT(outcome.elapsed_s, alone_s + 2 * script.launch_s);
  for (const char* name : {"b", "h", "read"})
    EXPECT_EQ(outcome.Of(name).status, MeasurementStatus::kOverBudget) << name;
  for (const std::string& name : many) script.defects[name] = Defect::kWrongElement;
  EXPECT_LT(MeasureBy(script, many, {"read"}, request).elapsed_s, alone_s + 2 * script.launch_s);
}

// What readies a kernel is given back from the budget, of which a software view keeps little for timing.
TEST(Runner, ASoftwareViewThatIsGivenUpBeginsNothingElse) {
  FakeScript script;
  script.launch_s = 4.5;
  MeasureRequest request = Request(2.0);
  request.scope = Scope::kRepeat;
  request.device.kind = probe::DeviceKind::kSoftware;
  const Outcome outcome = MeasureBy(script, {"a", "b"}, {"read"}, request);
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOverBudget);
  EXPECT_EQ(outcome.Of("read").stage, "compile") << "before it was loaded";
}

// A driver that compiles late, whatever is launched first, has time to do so.
TEST(Runner, ADriverThatCompilesLateIsNotGivenUp) {
  FakeScript script;
  script.first_run_s = 4.0;
  const Outcome outcome = MeasureBy(script, {"a"}, {"read"}, Request(1.0));
  for (const char* name : {"a", "read"}) EXPECT_EQ(outcome.Of(name).status, MeasurementStatus::kOk) << name;
}

// An H200 reads 4 GiB in less than a millisecond: words of which there were more than 32 bits count were
// none, read in no time, so that larger ones were looked for without an end.
TEST(Runner, AMemoryOfAnySpeedIsRatedOnArraysThatThePlanHasUseFor) {
  FakeScript script;
  script.bytes_per_s = 5e12;
  script.launch_s = 1e-9;
  script.free_bytes = std::uint64_t{1} << 40U;
  FakeSession session(script);
  session.mutable_limits().max_buffer_bytes = std::uint64_t{1} << 40U;
  const Outcome outcome = MeasureFake(session, FakeVariants({}, {"read"}), Request(0.3));
  EXPECT_EQ(outcome.Of("read").status, MeasurementStatus::kOk) << outcome.Of("read").reason.value_or("");
  EXPECT_LE(session.peak_bytes(), 128U << 20U) << "64 MiB are sent; the cache has 64 KiB";
}

// Whose process is ended where a stage outlasts what it is allowed: a device that is as slow with everything
// is none that hangs, and says of the rest that it was given up.
TEST(Runner, AnEvenlySlowDeviceKeepsWithinWhatEachOfItsStagesMayTake) {
  for (const auto& [launch_s, budget_s, is_given_up] : {std::tuple(0.3, 4.0, false),
                                                        {1.0, 4.0, false},
                                                        {6.0, 4.0, false},
                                                        {9.0, 4.0, true},
                                                        {4.0, 1.0, true}}) {
    FakeScript script;
    script.launch_s = launch_s;
    MeasureRequest request = Request(budget_s);
    request.device.kind = probe::DeviceKind::kDiscrete;
    const Outcome outcome = MeasureBy(script, {"gemm", "other"}, {"read"}, request);
    for (std::size_t i = 0; i < outcome.stages.size(); ++i) {
      const bool is_last = i + 1 == outcome.stages.size();
      const double end_s = is_last ? outcome.elapsed_s : outcome.stage_s[i + 1];
      EXPECT_LE(end_s - outcome.stage_s[i], outcome.stages[i].allow_s)
          << launch_s << " s a launch: stage " << i << ", " << outcome.stages[i].title;
    }
    EXPECT_LT(outcome.elapsed_s, kUntimedSeconds) << launch_s;
    for (const char* name : {"other", "read"}) {
      if (!is_given_up) continue;
      EXPECT_EQ(outcome.Of(name).status, MeasurementStatus::kOverBudget) << name;
      EXPECT_THAT(outcome.Of(name).reason.value_or(""),
                  ::testing::HasSubstr("given up: the smallest problem took"))
          << launch_s << " s a launch: " << name;
    }
  }
}

}  // namespace
}  // namespace backends
