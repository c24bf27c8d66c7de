// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/core/budget.h"
#include "backends/core/measurement_fields.h"
#include "report/compare/compare.h"
#include "report/core/wording.h"
#include "report/run/calibrate.h"
#include "report/run/exclusions.h"
#include "report/run/tasks.h"
#include "report/run/trials.h"
#include "report/store/plausible.h"
#include "tests/report/machines.h"

namespace report {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;
using probe::isolate::ChildEnd;
using ::testing::HasSubstr;

Target Asked() {
  Target target;
  target.device_id = "pci:0000:01:00.0";
  target.device.runtime = "vulkan";
  target.device.driver = "honest";
  target.budget_s = 2;
  return target;
}

Target AskedForPeers() {
  Target target = Asked();
  target.peers = {{target.device_id, target.device}, {"pci:0000:02:00.0", target.device}};
  return target;
}

Measurement Figure(Kernel kernel = Kernel::kGemm, double rate = 1e12) {
  Measurement m;
  m.device_id = Asked().device_id;
  m.runtime = "vulkan";
  m.driver = "honest";
  m.kernel = kernel;
  m.implementation = "own:tile";
  m.shape.m = m.shape.n = m.shape.k = 512;
  m.rate = rate;
  m.unit = kernels::Row(kernel).unit;
  m.status = MeasurementStatus::kOk;
  m.verified = true;
  return m;
}

std::vector<Measurement> Collected(const Target& target, const std::vector<backends::MeasureEvent>& events,
                                   ChildEnd end = ChildEnd::kDone) {
  probe::isolate::ChildResult result;
  result.end = end;
  for (const auto& event : events) result.records.push_back(backends::EncodeEvent(event));
  return Collect(target, result);
}

// The first is its own and stays; the second is not taken, and the child has failed for it.
void ExpectRefused(const Target& target, const Measurement& own, const Measurement& second,
                   const std::string& why) {
  const auto found = Collected(target, {own, second});
  ASSERT_EQ(found.size(), 2U) << why;
  EXPECT_EQ(found[0].rate, own.rate);
  EXPECT_EQ(found[1].status, MeasurementStatus::kFailed);
  EXPECT_FALSE(found[1].rate);
  EXPECT_EQ(found[1].device_id, target.device_id);
  EXPECT_EQ(found[1].driver, target.device.driver);
  EXPECT_THAT(found[1].reason.value_or(""), HasSubstr(why));
}

TEST(Collect, TakesWhatAChildWasAskedFor) {
  auto of_other_shape = Figure();
  of_other_shape.shape.m = 4096;
  auto of_other_types = Figure();
  of_other_types.in_dtype = Dtype::kFp16;
  const auto found = Collected(
      Asked(), {Figure(), Figure(Kernel::kRead), of_other_shape, of_other_types, Figure(Kernel::kCopy)});
  ASSERT_EQ(found.size(), 5U);
  for (const auto& m : found) EXPECT_EQ(m.status, MeasurementStatus::kOk);
}

TEST(Collect, RefusesAnothersDeviceRuntimeOrDriver) {
  constexpr auto kWhy = "not asked to measure";
  auto second = Figure(Kernel::kRead);
  second.device_id = "cpu:0";
  ExpectRefused(Asked(), Figure(), second, kWhy);
  second = Figure(Kernel::kRead);
  second.runtime = "opencl";
  ExpectRefused(Asked(), Figure(), second, kWhy);
  second = Figure(Kernel::kRead);
  second.driver = "neighbour";
  ExpectRefused(Asked(), Figure(), second, kWhy);
}

TEST(Collect, RefusesCopiesBetweenDevicesOfAChildThatHasOne) {
  ExpectRefused(Asked(), Figure(), Figure(Kernel::kPeer), "not asked to measure");
}

TEST(Collect, OfPeersTakesTheirCopiesAndNothingElse) {
  auto copy = Figure(Kernel::kPeer);
  copy.peer_id = "pci:0000:02:00.0";
  auto back = copy;
  std::swap(back.device_id, *back.peer_id);
  auto sum = Figure(Kernel::kPeer);
  sum.implementation = "nccl";
  for (const auto& m : Collected(AskedForPeers(), {copy, back, sum}))
    EXPECT_EQ(m.status, MeasurementStatus::kOk) << m.reason.value_or("");
  auto foreign = copy;
  foreign.peer_id = "pci:0000:03:00.0";
  ExpectRefused(AskedForPeers(), copy, foreign, "not asked to measure");
  ExpectRefused(AskedForPeers(), copy, Figure(), "not asked to measure");
}

TEST(Collect, AFigureCountsOnceAndItIsTheFirst) {
  ExpectRefused(Asked(), Figure(), Figure(Kernel::kGemm, 2e12), "a second measurement");
  auto attempt = Figure();
  attempt.status = MeasurementStatus::kOverBudget;
  attempt.rate.reset();
  attempt.verified = false;
  EXPECT_EQ(Collected(Asked(), {attempt, Figure()}).back().status, MeasurementStatus::kOk)
      << "an attempt before it is no figure";
}

TEST(Supersede, WhatTheNextChildMeasuresCountsAndAllElseStays) {
  auto culprit = Figure();
  culprit.implementation = "own:culprit";
  culprit.status = MeasurementStatus::kFailed;
  auto of_other_types = culprit;
  of_other_types.in_dtype = Dtype::kFp16;
  std::vector<Measurement> known = {culprit, Figure(Kernel::kGemm, 1e12), Figure(Kernel::kRead, 3e12)};
  Supersede(known, {of_other_types, Figure(Kernel::kGemm, 2e12)});
  ASSERT_EQ(known.size(), 4U);
  EXPECT_EQ(known[0].status, MeasurementStatus::kFailed);
  EXPECT_EQ(known[1].kernel, Kernel::kRead) << "which the later child had no time for";
  EXPECT_EQ(known[2].in_dtype, Dtype::kFp16);
  EXPECT_EQ(known[3].rate, 2e12);
  auto none = Figure(Kernel::kGemm);
  none.status = MeasurementStatus::kOverBudget;
  Supersede(known, {none});
  ASSERT_EQ(known.size(), 4U);
  EXPECT_EQ(known[3].rate, 2e12) << "no figure is less than one";
}

TEST(Supersede, WantOfTimeSaysNothingOfWhatWasFoundOut) {
  for (const auto found : {MeasurementStatus::kFailed, MeasurementStatus::kUnsupported}) {
    auto first = Figure(), second = Figure();
    first.status = found;
    second.status = MeasurementStatus::kSkipped;
    std::vector<Measurement> known = {first};
    Supersede(known, {second});
    EXPECT_EQ(known.at(0).status, found);
  }
}

TEST(Supersede, FiguresAtOtherShapesStay) {
  auto large = Figure(Kernel::kGemm, 4e12), small = Figure(Kernel::kGemm, 1e12);
  large.shape.m = 4096;
  std::vector<Measurement> known = {large, small};
  auto again = small;
  again.rate = 2e12;
  Supersede(known, {again});
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].rate, 4e12);
  EXPECT_EQ(known[1].rate, 2e12);
}

TEST(Supersede, AWrongResultLeavesNoFigureOfItsImplementation) {
  auto large = Figure(Kernel::kGemm, 4e12), wrong = Figure(Kernel::kGemm, 1e12);
  large.shape.m = 4096;
  wrong.status = MeasurementStatus::kWrongResult;
  std::vector<Measurement> known = {large};
  Supersede(known, {wrong});
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].status, MeasurementStatus::kWrongResult);
}

TEST(Collect, AnImplementationThatLostTheContextHasOneRow) {
  auto culprit = Figure();
  culprit.status = MeasurementStatus::kFailed;
  culprit.reason = "illegal address (700)";
  culprit.rate.reset();
  culprit.verified = false;
  probe::isolate::ChildResult result;
  result.end = ChildEnd::kDone;
  result.records = {backends::EncodeEvent(culprit),
                    EncodeLostContext(kernels::Own(culprit.implementation, culprit.kernel, culprit.in_dtype,
                                                   culprit.acc_dtype, {}))};
  const auto found = Collect(Asked(), result);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(*found[0].reason, ::testing::AllOf(HasSubstr("(700)"), HasSubstr("whatever was to come")));
}

Measurement Trial(Kernel kernel = Kernel::kGemm, double rate = 1e12) {
  auto trial = Figure(kernel, rate);
  trial.reason = "timed only while it was verified";
  return trial;
}

// What a child leaves of its trials, and of what it was at when it ended.
std::vector<Measurement> Settled(std::vector<probe::Json> records, ChildEnd end) {
  probe::isolate::ChildResult result;
  result.end = end;
  result.records = std::move(records);
  SettleTrials(result);
  return Collect(Asked(), result);
}

TEST(Trials, AreLeftOfWhatAChildFoundRightBeforeItEnded) {
  const backends::FigureKind bytes{Kernel::kGemm, Dtype::kInt8, Dtype::kInt32};
  const auto stage =
      backends::EncodeEvent(backends::MeasureStage{probe::Stage::kLaunch, "gemm", bytes, "own:last", 1});
  auto timed = Figure(Kernel::kRead, 2e12);
  timed.samples = 20;
  const std::vector<probe::Json> records = {EncodeTrial(Trial()), EncodeTrial(Trial(Kernel::kRead)),
                                            backends::EncodeEvent(timed), stage};
  const auto left = Settled(records, ChildEnd::kSignalled);
  ASSERT_EQ(left.size(), 3U);
  EXPECT_EQ(left[0].status, MeasurementStatus::kOk);
  EXPECT_EQ(left[0].kernel, Kernel::kGemm);
  EXPECT_EQ(left[1].rate, 2e12) << "a trial makes way for the figure";
  EXPECT_EQ(left[2].status, MeasurementStatus::kCrashed);
  EXPECT_EQ(Settled(records, ChildEnd::kDone).size(), 1U)
      << "of one that came to its end figures alone count";
}

TEST(Trials, OfWhatEndedItsChildCountNothing) {
  const backends::FigureKind floats{Kernel::kGemm, Dtype::kFp32, Dtype::kFp32};
  const auto trial = EncodeTrial(Trial());
  const auto stage =
      backends::EncodeEvent(backends::MeasureStage{probe::Stage::kTime, "gemm", floats, "own:tile", 1});
  EXPECT_EQ(Settled({trial, stage}, ChildEnd::kTimedOut).size(), 1U);
  EXPECT_EQ(Settled({trial, stage}, ChildEnd::kInterrupted).size(), 2U) << "which it did not";
  const auto lost =
      EncodeLostContext(kernels::Own("own:tile", Kernel::kGemm, Dtype::kFp32, Dtype::kFp32, {}));
  EXPECT_EQ(Settled({trial, lost}, ChildEnd::kDone).size(), 1U);
}

TEST(Supersede, ATrialTakesThePlaceOfNothingThatWasTimed) {
  auto timed = Figure(Kernel::kGemm, 2e12);
  timed.samples = 20;
  std::vector<Measurement> known = {timed};
  Supersede(known, {Trial()});
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].rate, 2e12);
  known = {Trial()};
  Supersede(known, {timed});
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].rate, 2e12);
}

TEST(Collect, ADriverThatDidNotCompileInTimeHungInNoKernel) {
  const backends::FigureKind floats{Kernel::kGemm, Dtype::kFp32, Dtype::kFp32};
  const auto reason = [&](probe::Stage stage, const char* name) {
    return *Collected(Asked(), {backends::MeasureStage{stage, "gemm", floats, name, 9}}, ChildEnd::kTimedOut)
                .front()
                .reason;
  };
  EXPECT_THAT(reason(probe::Stage::kCompile, "own:tile"),
              HasSubstr("the driver had not compiled it by then"));
  EXPECT_THAT(reason(probe::Stage::kLaunch, "own:tile"), HasSubstr("without an end"));
  EXPECT_THAT(reason(probe::Stage::kCompile, "rocblas"), HasSubstr("without an end"));
}

probe::Json PeerStage(const PeerTurn& turn) {
  auto record = backends::EncodeEvent(
      backends::MeasureStage{probe::Stage::kInit, "p2p", backends::FigureKind{Kernel::kPeer}, "", 1});
  record["turn"] = probe::Encode(turn);
  return record;
}

TEST(Collect, OfSeveralDevicesTheOneIsNamedWhoseTurnItWas) {
  const auto named = [](const PeerTurn& turn, ChildEnd end) {
    probe::isolate::ChildResult result;
    result.end = end;
    result.records = {PeerStage(turn)};
    const auto failure = Collect(AskedForPeers(), result).front();
    EXPECT_EQ(failure.kernel, Kernel::kPeer);
    EXPECT_EQ(OddMeasurement("m", failure), std::nullopt);
    return failure.device_id + ">" + failure.peer_id.value_or("");
  };
  for (const auto end : {ChildEnd::kSignalled, ChildEnd::kTimedOut}) {
    EXPECT_EQ(named({"pci:0000:02:00.0", std::nullopt}, end), "pci:0000:02:00.0>");
    EXPECT_EQ(named({"pci:0000:02:00.0", "pci:0000:01:00.0"}, end), "pci:0000:02:00.0>pci:0000:01:00.0");
    EXPECT_EQ(named({"pci:0000:09:00.0", "pci:0000:08:00.0"}, end), "pci:0000:01:00.0>") << "none of them";
  }
}

// Before anything is known of whose turn it is, too.
TEST(Collect, WhatStandsForATaskOfSeveralDevicesIsOfNoneAlone) {
  probe::isolate::ChildResult result;
  result.end = ChildEnd::kNotStarted;
  EXPECT_EQ(Collect(AskedForPeers(), result).front().kernel, Kernel::kPeer);
}

TEST(Collect, RefusesUnitsAndRatesThatAreNone) {
  auto odd = Figure(Kernel::kRead);
  odd.unit = "flop_per_s";
  ExpectRefused(Asked(), Figure(), odd, "unit");
  odd = Figure(Kernel::kRead, 1e30);
  ExpectRefused(Asked(), Figure(), odd, "rate");
  odd = Figure(Kernel::kRead, -5);
  ExpectRefused(Asked(), Figure(), odd, "rate");
}

// What stands for a child is kept in records and caches: it must be what these take.
TEST(Collect, WhatStandsForADeadChildIsAPlausibleMeasurementOfItsKernel) {
  using backends::FigureKind;
  struct Case {
    std::optional<FigureKind> kind;
    FigureKind expected;
    const char* unit;
  };
  const FigureKind bytes{Kernel::kGemm, Dtype::kInt8, Dtype::kInt32};
  const FigureKind read{Kernel::kRead, Dtype::kU32, Dtype::kU32};
  const FigureKind fill{Kernel::kFill, Dtype::kFp16, Dtype::kFp16};
  for (const auto& [kind, expected, unit] :
       {Case{bytes, bytes, "op_per_s"}, Case{read, read, "bytes_per_s"}, Case{fill, {}, "flop_per_s"},
        Case{std::nullopt, {}, "flop_per_s"}}) {
    const auto found =
        Collected(Asked(), {backends::MeasureStage{probe::Stage::kLaunch, "any title", kind, "own", 1}},
                  ChildEnd::kSignalled);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ((FigureKind{found[0].kernel, found[0].in_dtype, found[0].acc_dtype}), expected) << unit;
    EXPECT_EQ(found[0].unit, unit);
    EXPECT_EQ(OddMeasurement("m", found[0]), std::nullopt) << unit;
  }
}

TEST(Collect, AllKernelsTogetherMayHaveTakenTooLong) {
  probe::isolate::ChildResult result;
  result.end = ChildEnd::kTimedOut;
  result.elapsed_s = 62;
  EXPECT_EQ(Collect(Asked(), result, 62).front().reason,
            "killed after 62.0 s: compilation and first launches of all kernels together took too long");
}

TEST(Collect, AHangLastedAsLongAsItsStepAndNotAsItsProcess) {
  probe::isolate::ChildResult result;
  result.end = ChildEnd::kTimedOut;
  result.elapsed_s = 62;
  result.step_s = 10;
  EXPECT_EQ(Collect(Asked(), result, 90).front().reason, "killed after 10.0 s without an end");
  const backends::FigureKind floats{Kernel::kGemm, Dtype::kFp32, Dtype::kFp32};
  result.records = {
      backends::EncodeEvent(backends::MeasureStage{probe::Stage::kCompile, "gemm", floats, "own:tile", 9})};
  EXPECT_EQ(Collect(Asked(), result, 90).front().reason,
            "killed after 10.0 s: the driver had not compiled it by then");
}

// The card's way by CUDA as a child leaves it that was killed at `deadline_s` or before in a launch of fp16.
Report KilledAfter62Seconds(double deadline_s, std::initializer_list<Measurement> measured) {
  auto machine = testing::DiscreteAndIntegrated();
  std::erase_if(machine.measurements, [](const Measurement& m) { return m.runtime == "cuda"; });
  const auto& card = machine.devices.front();
  Target target;
  target.device_id = card.id;
  target.device = card.views.front().device;
  probe::isolate::ChildResult result;
  result.end = ChildEnd::kTimedOut;
  result.elapsed_s = 62;
  for (auto m : measured) {
    std::tie(m.device_id, m.runtime, m.driver) =
        std::tie(card.id, target.device.runtime, target.device.driver);
    result.records.push_back(backends::EncodeEvent(m));
  }
  const backends::FigureKind halves{Kernel::kGemm, Dtype::kFp16, Dtype::kFp32};
  result.records.push_back(
      backends::EncodeEvent(backends::MeasureStage{probe::Stage::kLaunch, "gemm", halves, "own:last", 10}));
  for (auto& m : Collect(target, result, deadline_s)) machine.measurements.push_back(std::move(m));
  return testing::Decided(std::move(machine));
}

const Score& ByCuda(const Report& report) {
  return *std::find_if(report.scores.begin(), report.scores.end(),
                       [](const Score& score) { return score.runtime == "cuda"; });
}

bool TellsOfAHang(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [](const Finding& finding) { return finding.id.ends_with("timed_out"); });
}

MeasuredReport Measured(const Report& report) {
  MeasuredReport measured;
  measured.measurements = report.measurements;
  measured.probes = report.probes;
  return measured;
}

bool IsRegression(const Report& before, const Report& after) {
  return compare::HasRegression(compare::Compare(Measured(before), Measured(after)));
}

TEST(Collect, NoKernelHangsWhereAllOfThemTogetherTookTooLong) {
  const auto before = testing::Decided(testing::DiscreteAndIntegrated());
  const auto late = KilledAfter62Seconds(62, {});
  const auto& last = late.measurements.back();
  EXPECT_EQ(last.status, MeasurementStatus::kOverBudget);
  EXPECT_EQ(last.implementation, "");
  EXPECT_EQ(last.stage, std::nullopt);
  EXPECT_EQ(OddMeasurement("m", last), std::nullopt);
  EXPECT_FALSE(TellsOfAHang(late));
  EXPECT_FALSE(IsRegression(before, late));
  EXPECT_FALSE(ByCuda(late).eligible);
  EXPECT_THAT(Joined(ByCuda(late).reasons),
              HasSubstr("its matrix and memory speed was not measured: killed after 62.0 s"));

  const auto hung = KilledAfter62Seconds(90, {});
  EXPECT_EQ(hung.measurements.back().implementation, "own:last");
  EXPECT_TRUE(TellsOfAHang(hung));
  EXPECT_TRUE(IsRegression(before, hung));
}

TEST(Collect, CopiesThatTookTooLongLeaveTheirFirstDeviceItsFigures) {
  probe::isolate::ChildResult result;
  result.end = ChildEnd::kTimedOut;
  result.elapsed_s = 62;
  const auto late = Collect(AskedForPeers(), result, 62).front();
  EXPECT_EQ(late.kernel, Kernel::kPeer);
  EXPECT_EQ(OddMeasurement("m", late), std::nullopt);
}

// Of what was measured before the end the rest is estimated, as where the budget ends.
TEST(Collect, WhatAllKernelsTogetherLeftNoTimeForIsNamed) {
  const auto reasons = Joined(ByCuda(KilledAfter62Seconds(62, {Figure()})).reasons);
  EXPECT_THAT(reasons, HasSubstr("its memory speed was not measured: killed after 62.0 s"));
}

// A device that is lost between kernels: what was found right counts, and of the rest it is said what
// happened.
TEST(Collect, WhatTheLossOfADeviceLeftUnmeasuredIsToldWithItsReason) {
  auto machine = testing::DiscreteAndIntegrated();
  std::erase_if(machine.measurements, [](const Measurement& m) { return m.runtime == "cuda"; });
  const auto& card = machine.devices.front();
  Target target;
  target.device_id = card.id;
  target.device = card.views.front().device;
  auto trial = Trial();
  std::tie(trial.device_id, trial.runtime, trial.driver) =
      std::tie(card.id, target.device.runtime, target.device.driver);
  probe::isolate::ChildResult result;
  result.end = ChildEnd::kDone;
  result.records = {
      EncodeTrial(trial),
      backends::EncodeEvent(backends::MeasureStage{probe::Stage::kTime, "transfers",
                                                   backends::FigureKind{Kernel::kHostToDevice}, "", 1}),
      EncodeUnexplainedLoss({std::string("cuMemcpyHtoD: LAUNCH_FAILED (719)").append(kAndWithIt), true})};
  SettleTrials(result);
  for (auto& m : Collect(target, result)) machine.measurements.push_back(std::move(m));
  const auto& lost = machine.measurements.back();
  EXPECT_EQ(lost.status, MeasurementStatus::kFailed);
  EXPECT_EQ(lost.implementation, "");
  EXPECT_EQ(lost.kernel, Kernel::kGemm);
  EXPECT_EQ(OddMeasurement("m", lost), std::nullopt);
  const auto report = testing::Decided(std::move(machine));
  EXPECT_FALSE(ByCuda(report).eligible);
  EXPECT_THAT(
      Joined(ByCuda(report).reasons),
      HasSubstr("its memory speed was not measured: the device was lost while it was measured (cuMemcpy"));
}

TEST(Collect, ADriverThatCouldNotLoadWhatItCompiledIsExplained) {
  probe::isolate::ChildResult result;
  result.end = ChildEnd::kSignalled;
  result.exit.signal = 6;
  result.stderr_tail =
      "dlopen(\"/x/gemm.so\") failed with 'gemm.so: failed to map segment from shared object'.";
  EXPECT_THAT(Collect(Asked(), result).front().reason.value_or(""), HasSubstr("noexec"));
  result.stderr_tail = "out of luck";
  EXPECT_EQ(Collect(Asked(), result).front().reason, "its process was killed by signal 6");
}

TEST(Plausible, TheUnitIsHeldAgainstTheKernelWhereThereIsARate) {
  auto m = Figure();
  m.in_dtype = Dtype::kInt8;
  EXPECT_THAT(OddMeasurement("m", m).value_or(""), HasSubstr("m.unit: expected op_per_s"));
  m.status = MeasurementStatus::kCrashed;
  m.rate.reset();
  m.verified = false;
  EXPECT_EQ(OddMeasurement("m", m), std::nullopt) << "earlier versions wrote it so of a child that died";
  m.unit = "parsecs";
  EXPECT_THAT(OddMeasurement("m", m).value_or(""), HasSubstr("m.unit"));
}

}  // namespace
}  // namespace report
