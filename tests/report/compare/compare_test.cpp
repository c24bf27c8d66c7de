// SPDX-License-Identifier: MIT
#include "report/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/render/faces.h"
#include "tests/report/machines.h"

namespace report::compare {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<ComparedRow> Rows(const Report& base, const Report& other) {
  const auto read = [](const Report& report) {
    return MeasuredReport{report.schema_version, report.tool_version, report.command,
                          report.created,        report.measurements, report.probes};
  };
  return Compare(read(base), read(other));
}

std::vector<ComparedRow> With(const std::vector<ComparedRow>& rows, Verdict verdict) {
  std::vector<ComparedRow> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [&](const ComparedRow& row) { return row.verdict == verdict; });
  return found;
}

probe::ProbeReport* ProcessorsProbe(Report& report) {
  return &*std::find_if(report.probes.begin(), report.probes.end(),
                        [](const auto& probe) { return probe.module == "cpu"; });
}

std::size_t ProcessorsOwn(const std::vector<ComparedRow>& rows) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const ComparedRow& row) { return row.runtime == "cpu"; }));
}

TEST(Compare, AReportIsTheSameAsItself) {
  for (const auto& machine : testing::Machines()) {
    const auto report = machine.build();
    const auto rows = Rows(report, report);
    EXPECT_THAT(rows, Each(Field(&ComparedRow::verdict, ::testing::AnyOf(Verdict::kSame, Verdict::kNoisy))))
        << machine.name;
    EXPECT_FALSE(HasRegression(rows)) << machine.name;
  }
}

TEST(Compare, SaysWhatMakesTheTwoHardToCompare) {
  MeasuredReport base;
  base.names = {{"pci:0000:01:00.0", "GeForce RTX 4090"}, {"cpu:0", "EPYC"}};
  auto other = base;
  EXPECT_THAT(Notes(base, other), SizeIs(0));
  other.interrupted = true;
  other.names["pci:0000:01:00.0"] = "GeForce GT 710";
  other.names.erase("cpu:0");
  EXPECT_THAT(
      Notes(base, other),
      ::testing::ElementsAre("the run of the second was interrupted",
                             "pci:0000:01:00.0 is GeForce RTX 4090 in the first and GeForce GT 710 in "
                             "the second"));
}

TEST(Compare, OneFigureFifteenPercentSlowerIsTheOnlyRowReported) {
  const auto base = testing::DiscreteAndIntegrated();
  for (std::size_t i = 0; i < base.measurements.size(); ++i) {
    auto other = base;
    *other.measurements[i].rate *= 0.85;
    const auto rows = Rows(base, other);
    ASSERT_THAT(With(rows, Verdict::kSlower), SizeIs(1));
    EXPECT_NEAR(*With(rows, Verdict::kSlower).front().ratio, 0.85, 1e-9);
    EXPECT_THAT(With(rows, Verdict::kSame), SizeIs(rows.size() - 1));
    EXPECT_TRUE(HasRegression(rows));
  }
}

TEST(Compare, ATenthIsNoChange) {
  const auto base = testing::DiscreteAndIntegrated();
  auto other = base;
  for (auto& m : other.measurements) *m.rate *= 0.905;
  EXPECT_FALSE(HasRegression(Rows(base, other)));
  for (auto& m : other.measurements) *m.rate *= 1.2;
  EXPECT_THAT(Rows(base, other), Each(Field(&ComparedRow::verdict, Verdict::kSame)));
}

TEST(Compare, SpreadsThatMeetAreNoRegression) {
  const auto base = testing::Processor();
  auto other = base;
  *other.measurements[0].rate *= 0.85;
  other.measurements[0].ci95 = {0.85, 1.17};
  EXPECT_FALSE(HasRegression(Rows(base, other)));
}

TEST(Compare, NoisyFiguresAreNeverRegressions) {
  for (const bool first : {true, false}) {
    auto base = testing::Processor();
    auto other = base;
    *other.measurements[0].rate *= 0.5;
    (first ? base : other).measurements[0].quality = backends::Quality::kNoisy;
    const auto rows = Rows(base, other);
    EXPECT_EQ(rows[0].verdict, Verdict::kNoisy);
    EXPECT_THAT(*rows[0].reason, HasSubstr(first ? "first" : "second"));
    EXPECT_FALSE(HasRegression(rows));
  }
}

TEST(Compare, LongerTimesAreSlower) {
  auto base = testing::Processor();
  testing::Measure(base, "cpu:0", "cpu", "native", kernels::Kernel::kLaunch, 2e-6);
  auto other = base;
  *other.measurements.back().rate *= 1.3;
  const auto slower = With(Rows(base, other), Verdict::kSlower);
  ASSERT_THAT(slower, SizeIs(1));
  EXPECT_LT(*slower.front().ratio, 0.8);
  EXPECT_THAT(With(Rows(other, base), Verdict::kFaster), SizeIs(1));
}

TEST(Compare, WhatIsNotInBothIsMissing) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements[0].status = backends::MeasurementStatus::kOverBudget;
  other.measurements[0].reason = "3 s were left";
  const auto rows = Rows(base, other);
  ASSERT_THAT(With(rows, Verdict::kMissing), SizeIs(1));
  EXPECT_FALSE(HasRegression(rows));
  EXPECT_EQ(With(Rows(other, base), Verdict::kMissing).front().reason,
            "did not fit the time budget in the first: 3 s were left");
  other.measurements.erase(other.measurements.begin());
  EXPECT_EQ(With(Rows(other, base), Verdict::kMissing).front().reason, "not in the first");
}

TEST(Compare, WhatWasVerifiedAndFailsIsARegression) {
  using backends::MeasurementStatus;
  const auto base = testing::Processor();
  for (const auto status : {MeasurementStatus::kWrongResult, MeasurementStatus::kFailed,
                            MeasurementStatus::kCrashed, MeasurementStatus::kTimedOut}) {
    auto other = base;
    other.measurements[0].status = status;
    other.measurements[0].implementation = "own:another";
    const auto rows = Rows(base, other);
    ASSERT_THAT(With(rows, Verdict::kFailed), SizeIs(1)) << probe::NameOf(status);
    EXPECT_TRUE(HasRegression(rows));
    EXPECT_TRUE(IsConclusive(rows));
    EXPECT_FALSE(HasRegression(Rows(other, base)));
  }
}

TEST(Compare, AProcessThatEndedTookWhatItDidNotMeasure) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements.erase(other.measurements.begin() + 1, other.measurements.end());
  auto& end = other.measurements[0];
  end.status = backends::MeasurementStatus::kCrashed;
  end.implementation.clear();
  end.rate.reset();
  const auto same_way = [&](const auto& m) { return m.runtime == end.runtime && m.driver == end.driver; };
  EXPECT_THAT(With(Rows(base, other), Verdict::kFailed),
              SizeIs(std::count_if(base.measurements.begin(), base.measurements.end(), same_way)));
}

TEST(Compare, WhatWasTriedAndNotMeasuredIsNotBlamedOnACrashElsewhere) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements[1].status = backends::MeasurementStatus::kOverBudget;
  auto& end = other.measurements.emplace_back(base.measurements[0]);
  end.status = backends::MeasurementStatus::kCrashed;
  end.implementation.clear();
  EXPECT_THAT(With(Rows(base, other), Verdict::kMissing), SizeIs(1));
  EXPECT_FALSE(HasRegression(Rows(base, other)));
  // Nor is what is not there at all on a variant that crashed: another process measured the rest.
  end.implementation = "own:loser";
  other.measurements.erase(other.measurements.begin() + 1);
  EXPECT_FALSE(HasRegression(Rows(base, other)));
}

TEST(Compare, WhatIsFasterThanItsChipIsKnownToBeIsNoRegression) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements[0].status = backends::MeasurementStatus::kImplausible;
  EXPECT_THAT(With(Rows(base, other), Verdict::kMissing), SizeIs(1));
  EXPECT_FALSE(HasRegression(Rows(base, other)));
}

TEST(Compare, ARuntimeThatCrashesBeforeItIsMeasuredFailsAllItsFigures) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements.clear();
  auto* asked = ProcessorsProbe(other);
  EXPECT_FALSE(HasRegression(Rows(base, other)));
  asked->outcome = probe::Outcome::kCrashed;
  const auto rows = Rows(base, other);
  EXPECT_THAT(With(rows, Verdict::kFailed), SizeIs(ProcessorsOwn(rows)));
  EXPECT_THAT(*With(rows, Verdict::kFailed).front().reason, HasSubstr("cpu crashed while it was asked"));
  EXPECT_FALSE(HasRegression(Rows(other, base)));
  // Not heard for no fault of its own, or broken before.
  asked->error = probe::Own(probe::OwnError::kInterrupted, "", "interrupted");
  EXPECT_FALSE(HasRegression(Rows(base, other)));
  asked->error.reset();
  auto broken = base;
  broken.probes = other.probes;
  EXPECT_FALSE(HasRegression(Rows(broken, other)));
}

TEST(Compare, ADriverThatCrashesFailsWhatIsNotOfOneThatAnswers) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements.clear();
  auto* asked = ProcessorsProbe(other);
  probe::DriverReport driver;
  driver.manifest = "/etc/broken.json";
  driver.outcome = probe::Outcome::kCrashed;
  asked->drivers = {driver};
  const auto rows = Rows(base, other);
  EXPECT_THAT(With(rows, Verdict::kFailed), SizeIs(ProcessorsOwn(rows)));
  EXPECT_THAT(*With(rows, Verdict::kFailed).front().reason, HasSubstr("cpu's driver broken.json crashed"));
  asked->drivers.emplace_back().name = base.measurements[0].driver;
  EXPECT_FALSE(HasRegression(Rows(base, other)));
}

TEST(Compare, ADriverThatCanNotBeTheFiguresIsNotBlamed) {
  auto base = testing::Processor();
  auto other = base;
  other.measurements.clear();
  probe::DriverReport another;
  another.manifest = "/etc/another.json";
  probe::DriverReport own;
  own.manifest = "/etc/own.json";
  own.name = base.measurements[0].driver;
  another.outcome = probe::Outcome::kNoDevice;
  ProcessorsProbe(base)->drivers = {another, own};
  another.outcome = probe::Outcome::kCrashed;
  ProcessorsProbe(other)->drivers = {another};
  EXPECT_FALSE(HasRegression(Rows(base, other))) << "the figure's own is not asked any more";
  ProcessorsProbe(base)->drivers = {};
  EXPECT_TRUE(HasRegression(Rows(base, other))) << "nobody knows the figure's manifest";
  for (auto& m : base.measurements) m.manifest = own.manifest;
  EXPECT_FALSE(HasRegression(Rows(base, other)));
  for (auto& m : base.measurements) m.manifest.reset();
  ProcessorsProbe(base)->drivers = {own};
  ProcessorsProbe(other)->drivers[0].manifest.reset();
  ProcessorsProbe(other)->drivers[0].name = "a part";
  EXPECT_TRUE(HasRegression(Rows(base, other))) << "it may be of the figure's own";
  own.outcome = probe::Outcome::kCrashed;
  own.name.reset();
  for (auto& m : base.measurements) m.manifest = own.manifest;
  ProcessorsProbe(other)->drivers = {another, own};
  EXPECT_THAT(*With(Rows(base, other), Verdict::kFailed).front().reason, HasSubstr("own.json crashed"));
}

TEST(Compare, ADriverThatWasWrongWithANameIsNotNewWithoutOne) {
  auto base = testing::Processor();
  auto other = base;
  other.measurements.clear();
  probe::DriverReport driver;
  driver.manifest = "/etc/broken.json";
  driver.outcome = probe::Outcome::kCrashed;
  ProcessorsProbe(other)->drivers = {driver};
  EXPECT_TRUE(HasRegression(Rows(base, other)));
  driver.name = "broken";
  ProcessorsProbe(base)->drivers = {driver};
  EXPECT_FALSE(HasRegression(Rows(base, other)));
}

TEST(Compare, WhatFailedBeforeTooIsNoRegression) {
  auto base = testing::Processor();
  auto other = base;
  auto loser = base.measurements[0];
  loser.implementation = "own:loser";
  loser.status = backends::MeasurementStatus::kFailed;
  base.measurements.push_back(loser);
  other.measurements[0] = loser;
  EXPECT_THAT(With(Rows(base, other), Verdict::kMissing), SizeIs(1));
  EXPECT_FALSE(HasRegression(Rows(base, other)));
}

TEST(Compare, AnotherVariantThatWonIsTheSameFigure) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements[0].implementation = "own:other";
  EXPECT_THAT(Rows(base, other), Each(Field(&ComparedRow::verdict, Verdict::kSame)));
  other.measurements[0].implementation = "openblas";
  EXPECT_THAT(With(Rows(base, other), Verdict::kMissing), SizeIs(2));
}

TEST(Compare, PromptsOfDifferentSizesSayNothing) {
  auto base = testing::Processor();
  base.measurements[0].shape = {512, 4096, 4096, 0, 0};
  auto other = base;
  other.measurements[0].shape.m = 128;
  *other.measurements[0].rate *= 0.6;
  const auto rows = Rows(base, other);
  EXPECT_EQ(rows[0].verdict, Verdict::kNoisy);
  EXPECT_EQ(rows[0].reason, "measured at 512x4096x4096 and 128x4096x4096");
}

TEST(ComparisonText, NothingButNoiseCannotTell) {
  auto base = testing::Processor();
  for (auto& m : base.measurements) m.quality = backends::Quality::kNoisy;
  Comparison comparison;
  comparison.rows = Rows(base, base);
  EXPECT_FALSE(IsConclusive(comparison.rows));
  EXPECT_FALSE(HasRegression(comparison.rows));
  comparison.conclusive = false;
  EXPECT_THAT(render::ComparisonText(comparison, {100, false, false, false}),
              ::testing::StartsWith("Cannot tell: all 6 figures are too noisy\n"));
  base.measurements[0].quality = backends::Quality::kGood;
  EXPECT_TRUE(IsConclusive(Rows(base, base)));
}

TEST(ComparisonText, CountsTheFiguresThatBothReportsHold) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements[0].status = backends::MeasurementStatus::kOverBudget;
  other.measurements[0].reason = "3 s were left";
  Comparison comparison;
  comparison.rows = Rows(base, other);
  const render::TerminalOptions options{100, false, false, false};
  EXPECT_THAT(
      render::ComparisonText(comparison, options),
      AllOf(::testing::StartsWith("No regression in 5 figures; 1 of the first is not in the second\n"),
            HasSubstr("did not fit the time budget in the second: 3 s were left")));
  *other.measurements[1].rate *= 0.85;
  comparison.rows = Rows(base, other);
  EXPECT_THAT(render::ComparisonText(comparison, options), ::testing::StartsWith("1 of 5 figures is slower"));
  other.measurements[0].status = backends::MeasurementStatus::kWrongResult;
  comparison.rows = Rows(base, other);
  const auto text = render::ComparisonText(comparison, options);
  EXPECT_THAT(text,
              ::testing::StartsWith("1 figure verified in the first fails in the second; 1 of 5 figures"));
  EXPECT_THAT(text, HasSubstr("gave a wrong result"));
}

TEST(ComparisonText, WhatTheSecondAloneHasIsNewAndNotMissing) {
  const auto base = testing::Processor();
  auto other = base;
  other.measurements[0].status = backends::MeasurementStatus::kOverBudget;
  other.measurements[0].reason = "3 s were left";
  const auto text = [](const Report& one, const Report& two) {
    Comparison comparison;
    comparison.rows = Rows(one, two);
    return render::ComparisonText(comparison, {100, false, false, false});
  };
  EXPECT_THAT(text(base, other), ::testing::AllOf(HasSubstr("\nMissing\n"), Not(HasSubstr("\nNew\n"))));
  EXPECT_THAT(text(other, base), ::testing::AllOf(HasSubstr("\nNew\n"), Not(HasSubstr("\nMissing\n"))));
}

TEST(ComparisonText, NamesTheRegressionFirstAndFitsEveryWidth) {
  const auto base = testing::Processor();
  auto other = base;
  *other.measurements[0].rate *= 0.85;
  Comparison comparison;
  comparison.base = {"a.json", "0.1.0", "2026-11-21T12:00:00Z"};
  comparison.other = {"b\x1b[31m.json", "0.1.0", "2026-11-21T13:00:00Z"};
  comparison.rows = Rows(base, other);
  for (int width = render::kMinWidth; width <= 160; width += 17) {
    const auto text = render::ComparisonText(comparison, {width, false, false, true});
    EXPECT_THAT(text, ::testing::StartsWith("1 of 6 figures"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
  }
  const auto text = render::ComparisonText(comparison, {100, false, false, false});
  EXPECT_THAT(text, HasSubstr("cpu on cpu:0: fp32 matrix product"));
  EXPECT_THAT(text, HasSubstr("-15 %"));
  EXPECT_THAT(text, Not(HasSubstr("The same")));
}

}  // namespace
}  // namespace report::compare
