// SPDX-License-Identifier: MIT
#include "report/run/exclusions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/core/measurement_fields.h"
#include "backends/core/reporter.h"
#include "report/run/calibrate.h"

namespace report {
namespace {

using backends::FigureKind;
using kernels::Dtype;
using kernels::Kernel;
using kernels::Variant;
using probe::isolate::ChildEnd;
using probe::isolate::ChildResult;

constexpr FigureKind kHalves{Kernel::kGemm, Dtype::kFp16, Dtype::kFp32};
constexpr FigureKind kBytes{Kernel::kGemm, Dtype::kInt8, Dtype::kInt32};
constexpr FigureKind kChain{Kernel::kChain, Dtype::kFp16, Dtype::kFp32};
constexpr FigureKind kRead{Kernel::kRead, Dtype::kU32, Dtype::kU32};

Variant Of(const std::string& name, const FigureKind& kind) {
  return kernels::Own(name, kind.kernel, kind.in, kind.acc, {});
}

// As kernels have them: tiles of two families in two types, and others.
std::vector<Variant> Variants() {
  std::vector<Variant> all;
  for (const FigureKind& kind : {kHalves, kBytes}) {
    for (const std::string family : {"own:mma", "own:simt"}) {
      for (const char* tile : {"_64x64", "_128x128", "_32x32"}) {
        all.push_back(Of(family + tile, kind));
        all.back().family = family;
      }
    }
    for (const char* name : {"own:a", "own:b", "own:c", "own:d", "own:e", "own:innocent"})
      all.push_back(Of(name, kind));
  }
  all.push_back(Of("own:mma_64x64", kChain));
  all.push_back(Of("own:coalesced", kRead));
  return all;
}

ChildResult DiedAt(const std::string& name, const std::optional<FigureKind>& kind, ChildEnd end) {
  ChildResult result;
  result.end = end;
  for (const std::string& at : {std::string("own:first"), name})
    result.records.push_back(
        backends::EncodeEvent(backends::MeasureStage{probe::Stage::kLaunch, "any", kind, at, 1}));
  return result;
}

ChildResult LostTo(const std::string& name, const FigureKind& kind) {
  ChildResult result;
  result.end = ChildEnd::kDone;
  result.records = {EncodeLostContext(Of(name, kind))};
  return result;
}

// Why it is not run; "" where it is, "gone" where nothing more is said of it.
std::string WhyNot(const std::vector<Exclusion>& exclusions, const std::string& name,
                   const FigureKind& kind) {
  std::vector<Variant> variants = Variants();
  LeaveOut(exclusions, variants);
  for (const Variant& variant : variants) {
    if (variant.name == name && backends::KindOf(variant) == kind) return variant.left_out;
  }
  return "gone";
}
bool Excludes(const Restarts& restarts, const std::string& name, const FigureKind& kind) {
  return !WhyNot(restarts.exclusions(), name, kind).empty();
}

TEST(Restarts, OneKernelCostsItselfInItsTypes) {
  for (const bool lost : {true, false}) {
    Restarts restarts;
    auto child =
        lost ? LostTo("own:mma_64x64", kHalves) : DiedAt("own:mma_64x64", kHalves, ChildEnd::kSignalled);
    ASSERT_TRUE(restarts.After(child, 60));
    EXPECT_EQ(child.records.empty(), lost) << "its word of it is taken, as another child goes on";
    EXPECT_TRUE(Excludes(restarts, "own:mma_64x64", kHalves));
    EXPECT_FALSE(Excludes(restarts, "own:mma_64x64", kBytes));
    EXPECT_FALSE(Excludes(restarts, "own:mma_128x128", kHalves));
    EXPECT_FALSE(Excludes(restarts, "own:mma_64x64", kChain));
  }
}

TEST(Restarts, TheSecondOfAFamilyTakesItAlong) {
  Restarts restarts;
  auto first = LostTo("own:mma_64x64", kHalves), second = LostTo("own:mma_128x128", kBytes);
  ASSERT_TRUE(restarts.After(first, 60));
  ASSERT_TRUE(restarts.After(second, 60));
  EXPECT_TRUE(Excludes(restarts, "own:mma_32x32", kBytes));
  EXPECT_FALSE(Excludes(restarts, "own:simt_64x64", kBytes));
}

// One child goes on with the rest of its kernel, and after a second hang one without that kernel.
TEST(Restarts, AHangTakesItsFamilyAlongAndASecondOneItsKernel) {
  Restarts restarts;
  auto first = DiedAt("own:mma_64x64", kHalves, ChildEnd::kTimedOut);
  ASSERT_TRUE(restarts.After(first, 60));
  EXPECT_TRUE(Excludes(restarts, "own:mma_128x128", kBytes));
  EXPECT_FALSE(Excludes(restarts, "own:simt_64x64", kHalves));
  auto second = DiedAt("own:simt_64x64", kHalves, ChildEnd::kTimedOut);
  ASSERT_TRUE(restarts.After(second, 60));
  EXPECT_TRUE(Excludes(restarts, "own:a", kBytes)) << "of no family that hung";
  EXPECT_FALSE(Excludes(restarts, "own:coalesced", kRead));
  auto third = DiedAt("own:coalesced", kRead, ChildEnd::kTimedOut);
  EXPECT_FALSE(restarts.After(third, 60));
}

// ROCm ends the process where another driver returns an error.
TEST(Restarts, ACrashCostsWhatALostContextDoes) {
  Restarts restarts;
  for (const char* name : {"own:a", "own:b", "own:mma_64x64"}) {
    auto child = DiedAt(name, kHalves, ChildEnd::kSignalled);
    ASSERT_TRUE(restarts.After(child, 60)) << name;
  }
  EXPECT_FALSE(Excludes(restarts, "own:simt_64x64", kHalves));
  EXPECT_FALSE(Excludes(restarts, "own:a", kBytes));
  // What dies first in a child is to blame where others were launched in one before it.
  auto last = DiedAt("own:first", kBytes, ChildEnd::kSignalled);
  ASSERT_TRUE(restarts.After(last, 60));
}

ChildResult DiedFirst(const std::string& name, probe::Stage stage, ChildEnd end) {
  ChildResult result;
  result.end = end;
  result.records = {backends::EncodeEvent(backends::MeasureStage{stage, "any", kHalves, name, 1})};
  return result;
}

// It may be the kernel, or what compiles it: without its family one child finds out.
TEST(Restarts, TheFirstKernelOfAllCostsItsFamilyAndOneMoreChild) {
  for (const auto end : {ChildEnd::kSignalled, ChildEnd::kTimedOut}) {
    for (const auto stage : {probe::Stage::kCompile, probe::Stage::kLaunch}) {
      Restarts restarts;
      auto first = DiedFirst("own:mma_64x64", stage, end);
      ASSERT_TRUE(restarts.After(first, 60));
      EXPECT_TRUE(Excludes(restarts, "own:mma_128x128", kHalves));
      EXPECT_FALSE(Excludes(restarts, "own:simt_64x64", kHalves));
      auto second = DiedFirst("own:simt_64x64", stage, end);
      EXPECT_FALSE(restarts.After(second, 60)) << "a driver that dies at whatever it is given first";
    }
  }
}

ChildResult LostToNone(bool after_work) {
  ChildResult result;
  result.end = ChildEnd::kDone;
  result.records = {EncodeUnexplainedLoss({"the device is gone", after_work})};
  return result;
}

TEST(Restarts, ALossThatNoKernelExplainsIsWorthOneMoreChildWhereKernelsHadRun) {
  Restarts restarts;
  auto first = LostToNone(true), second = LostToNone(true), at_once = LostToNone(false);
  ASSERT_TRUE(restarts.After(first, 60));
  EXPECT_TRUE(restarts.exclusions().empty()) << "nothing to go without";
  EXPECT_TRUE(first.records.empty());
  EXPECT_FALSE(restarts.After(second, 60));
  EXPECT_FALSE(second.records.empty()) << "where none follows it stands";
  EXPECT_FALSE(Restarts().After(at_once, 60));
}

TEST(Restarts, NothingFollowsADriverThatIsTooSlow) {
  auto slow = DiedAt("own:mma_64x64", kHalves, ChildEnd::kTimedOut);
  slow.elapsed_s = 60;
  EXPECT_FALSE(Restarts().After(slow, 60)) << "all of it was too slow";
}

TEST(Restarts, TheChildsWordOfALostContextCountsHoweverItEnded) {
  for (const ChildEnd end : {ChildEnd::kDone, ChildEnd::kSignalled, ChildEnd::kTimedOut}) {
    auto child = DiedAt("own:innocent", kBytes, end);
    child.records.push_back(EncodeLostContext(Of("own:mma_64x64", kHalves)));
    Restarts restarts;
    ASSERT_TRUE(restarts.After(child, 60));
    EXPECT_TRUE(Excludes(restarts, "own:mma_64x64", kHalves));
    EXPECT_FALSE(Excludes(restarts, "own:innocent", kBytes));
  }
  auto foreign = LostTo("cublaslt", kHalves);
  EXPECT_FALSE(Restarts().After(foreign, 60)) << "no kernel of ours";
}

// The last of them measures what the kernels that ended the others have nothing to do with.
TEST(Restarts, AreFewAndTheLastGoesWithoutTheKernelsThatEndedTheOthers) {
  Restarts restarts;
  std::size_t count = 0;
  for (const char* name : {"own:a", "own:b", "own:c", "own:d", "own:e"}) {
    auto child = LostTo(name, kHalves);
    if (!restarts.After(child, 60)) {
      EXPECT_FALSE(child.records.empty()) << "where none follows it stands";
      const auto failure = Collect(Target{}, child).back();
      EXPECT_EQ(failure.status, backends::MeasurementStatus::kFailed);
      EXPECT_EQ(failure.implementation, name);
      break;
    }
    ++count;
    EXPECT_EQ(Excludes(restarts, "own:simt_64x64", kBytes), count > kMostRestarts) << name;
    EXPECT_FALSE(Excludes(restarts, "own:coalesced", kRead)) << name;
  }
  EXPECT_EQ(count, kMostRestarts + 1);
}

TEST(Restarts, NothingFollowsWhereLeavingOutWouldNotHelp) {
  const FigureKind fill{Kernel::kFill, Dtype::kFp16, Dtype::kFp16};
  for (auto child :
       {DiedAt("cublaslt", kHalves, ChildEnd::kSignalled), DiedAt("own:fill", fill, ChildEnd::kTimedOut),
        DiedAt("", std::nullopt, ChildEnd::kSignalled), DiedAt("own:a", kHalves, ChildEnd::kDone),
        DiedAt("own:a", kHalves, ChildEnd::kInterrupted), DiedAt("own:a", kHalves, ChildEnd::kAbandoned),
        DiedAt("own:a", kHalves, ChildEnd::kOutOfMemory), ChildResult{}}) {
    Restarts restarts;
    EXPECT_FALSE(restarts.After(child, 60));
    EXPECT_TRUE(restarts.exclusions().empty());
  }
}

TEST(Exclusions, SurviveTheWayToTheChildWhichTellsOfTheRestOfAFamily) {
  const std::vector<Exclusion> sent = {{"own:mma_64x64", kHalves}, {"own:simt_64x64", kBytes, true}};
  const auto got = probe::Decode<std::vector<Exclusion>>(probe::Encode(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(WhyNot(*got, "own:mma_64x64", kHalves), "gone");
  EXPECT_EQ(WhyNot(*got, "own:mma_64x64", kBytes), "");
  EXPECT_EQ(WhyNot(*got, "own:simt_64x64", kBytes), "gone");
  EXPECT_THAT(WhyNot(*got, "own:simt_32x32", kHalves), testing::HasSubstr("own:simt_64x64"));
  const auto last = probe::Decode<std::vector<Exclusion>>(
      probe::Encode(std::vector<Exclusion>{{"own:mma_64x64", kHalves, false, true}}));
  ASSERT_TRUE(last);
  EXPECT_THAT(WhyNot(*last, "own:simt_32x32", kBytes), testing::HasSubstr("one process after another"));
}

TEST(Restarts, WhatWasLeftOutCanNotHaveEndedAChild) {
  Restarts restarts;
  auto first = LostTo("own:mma_64x64", kHalves);
  auto again = first;
  ASSERT_TRUE(restarts.After(first, 60));
  EXPECT_FALSE(restarts.After(again, 60));
}

}  // namespace
}  // namespace report
