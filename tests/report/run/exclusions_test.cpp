// SPDX-License-Identifier: MIT
#include "report/run/exclusions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/core/measurement_fields.h"
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

Variant Of(const std::string& name, const FigureKind& kind) {
  return kernels::Own(name, kind.kernel, kind.in, kind.acc, {});
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
  std::vector<Variant> variants = {Of(name, kind)};
  LeaveOut(exclusions, variants);
  return variants.empty() ? "gone" : variants[0].left_out;
}
bool Excludes(const Restarts& restarts, const std::string& name, const FigureKind& kind) {
  return !WhyNot(restarts.exclusions(), name, kind).empty();
}

TEST(FamilyOf, IsTheNameWithoutItsTile) {
  EXPECT_EQ(FamilyOf("own:wgmma_tma_128x256"), "own:wgmma_tma");
  EXPECT_EQ(FamilyOf("own:avx512_vnni"), "own:avx512_vnni");
  EXPECT_EQ(FamilyOf("own:vec4"), "own:vec4");
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
    EXPECT_FALSE(Excludes(restarts, "own:mma_64x64", {Kernel::kChain, Dtype::kFp16, Dtype::kFp32}));
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

TEST(Restarts, AHangTakesItsFamilyAlongAndIsWaitedForOnce) {
  Restarts restarts;
  auto first = DiedAt("own:mma_64x64", kHalves, ChildEnd::kTimedOut);
  ASSERT_TRUE(restarts.After(first, 60));
  EXPECT_TRUE(Excludes(restarts, "own:mma_128x128", kBytes));
  auto second = DiedAt("own:simt_64x64", kHalves, ChildEnd::kTimedOut);
  EXPECT_FALSE(restarts.After(second, 60));
}

TEST(Restarts, NothingFollowsADriverThatDiesAtItsFirstLaunchOrInOneAfterAnother) {
  Restarts restarts;
  auto first = DiedAt("own:first", kHalves, ChildEnd::kSignalled);
  EXPECT_FALSE(restarts.After(first, 60)) << "no other was launched before";
  auto one = DiedAt("own:mma_64x64", kHalves, ChildEnd::kSignalled);
  EXPECT_TRUE(restarts.After(one, 60));
  auto another = DiedAt("own:simt_64x64", kHalves, ChildEnd::kSignalled);
  EXPECT_FALSE(restarts.After(another, 60));
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

TEST(Restarts, AreFew) {
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
  }
  EXPECT_EQ(count, kMostRestarts);
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
  const std::vector<Exclusion> sent = {{"own:mma_64x64", kHalves, false}, {"own:simt_8x8", kBytes, true}};
  const auto got = probe::Decode<std::vector<Exclusion>>(probe::Encode(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(WhyNot(*got, "own:mma_64x64", kHalves), "gone");
  EXPECT_EQ(WhyNot(*got, "own:mma_64x64", kBytes), "");
  EXPECT_EQ(WhyNot(*got, "own:simt_8x8", kBytes), "gone");
  EXPECT_THAT(WhyNot(*got, "own:simt_16x16", kHalves), testing::HasSubstr("own:simt_8x8"));
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
