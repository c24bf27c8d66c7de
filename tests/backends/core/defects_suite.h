// SPDX-License-Identifier: MIT
// What every backend must show with a real device: nothing that is wrong passes, and events that lie are not
// believed. Included by one test of each backend, which says how its device is opened.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "backends/core/budget.h"
#include "backends/core/plan.h"
#include "backends/core/runner.h"
#include "backends/core/timing.h"
#include "probe/system/clock.h"
#include "tests/backends/core/defective_session.h"

namespace tests {

struct OpenDevice {
  probe::RuntimeDevice device;
  std::unique_ptr<backends::Session> session;
  std::vector<kernels::Variant> variants;  // the fills, and one fp32 product of a small tile
};
// nullptr session: there is no such device.
[[nodiscard]] OpenDevice OpenForDefects();

// Leaves of a backend's variants the fills and that product.
[[nodiscard]] inline std::vector<kernels::Variant> FillsAnd(std::vector<kernels::Variant> all,
                                                            const std::string& gemm) {
  std::erase_if(all, [&](const kernels::Variant& variant) {
    return variant.kernel != kernels::Kernel::kFill &&
           (variant.kernel != kernels::Kernel::kGemm || variant.name != gemm);
  });
  return all;
}

class Defects : public ::testing::Test {
 protected:
  void SetUp() override {
    open_ = OpenForDefects();
    ASSERT_NE(open_.session, nullptr) << "the software device of this runtime is not installed";
  }
  // What is said of the product, the overheads left out.
  [[nodiscard]] std::vector<backends::Measurement> Measure(Defect defect, std::uint64_t least_bytes) {
    DefectiveSession session(*open_.session, defect, least_bytes);
    backends::MeasureRequest request;
    request.device = open_.device;
    request.budget_s = 20.0;  // nothing wrong is ever timed: only a machine that stands still needs so long
    std::vector<backends::Measurement> all;
    backends::Measure(session, open_.variants, request, [&](const backends::MeasureEvent& event) {
      const auto* measurement = std::get_if<backends::Measurement>(&event);
      if (measurement != nullptr && measurement->kernel == kernels::Kernel::kGemm)
        all.push_back(*measurement);
    });
    return all;
  }
  // The square product is wrong; the prompt's, which may be too long for the budget, never right.
  void ExpectWrong(Defect defect, std::uint64_t least_bytes = 0) {
    const auto all = Measure(defect, least_bytes);
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.front().status, backends::MeasurementStatus::kWrongResult) << *all.front().reason;
    for (const auto& measurement : all) {
      EXPECT_NE(measurement.status, backends::MeasurementStatus::kOk)
          << measurement.shape.m << " x " << measurement.shape.n << " x " << measurement.shape.k;
      EXPECT_FALSE(measurement.rate);
      EXPECT_FALSE(measurement.reason.value_or("").empty());
    }
  }
  // The result of the very first problem, which is checked before anything is timed.
  [[nodiscard]] std::uint64_t BytesOfTheFirst() const {
    const auto& shape = open_.session->limits().shape;
    const kernels::Variant& gemm = open_.variants.back();
    return backends::BufferBytes(gemm, kernels::Role::kC, backends::TinyProblem(gemm, shape), shape);
  }
  void ExpectTimedByTheHost(Defect defect, const std::string& why) {
    DefectiveSession session(*open_.session, defect);
    backends::OperandWriter writer(session, open_.variants);
    const auto loaded = backends::Load(session, open_.variants.back());
    ASSERT_TRUE(loaded.ok()) << probe::Describe(loaded.error());
    auto workload =
        backends::Workload::Create(session, writer, *loaded, {.problem = {.m = 256, .n = 256, .k = 256}});
    ASSERT_TRUE(workload.ok()) << probe::Describe(workload.error());
    ASSERT_TRUE(workload->Prepare(1, 0).ok());
    backends::Series series{*std::move(workload), 0.001, 0, {}, {}, {}, false, false, {}, 0, "", 1};
    const auto start = probe::system::Now();
    backends::Budget budget(0.1, [start] { return probe::system::SecondsSince(start); });
    backends::TimeInterleaved(std::span(&series, 1), budget, 0);
    ASSERT_FALSE(series.wall_s.empty());
    const auto chosen = backends::ChooseClock(series);
    EXPECT_TRUE(chosen.host_timed);
    EXPECT_EQ(chosen.times_s, series.wall_s);
    EXPECT_THAT(chosen.reason, ::testing::HasSubstr(why));
  }

  OpenDevice open_;
};

TEST_F(Defects, OneWrongElementIsAWrongResult) { ExpectWrong(Defect::kOneWrongWord); }
TEST_F(Defects, OneNanIsAWrongResult) { ExpectWrong(Defect::kOneNan); }
TEST_F(Defects, AnUnwrittenTileIsAWrongResult) { ExpectWrong(Defect::kUnwrittenTile); }
TEST_F(Defects, OneWrongElementOfTheMeasuredProductIsAWrongResult) {
  ExpectWrong(Defect::kOneWrongWord, BytesOfTheFirst() + 1);
}
TEST_F(Defects, OneNanOfTheMeasuredProductIsAWrongResult) {
  ExpectWrong(Defect::kOneNan, BytesOfTheFirst() + 1);
}
TEST_F(Defects, AnUnwrittenTileOfTheMeasuredProductIsAWrongResult) {
  ExpectWrong(Defect::kUnwrittenTile, BytesOfTheFirst() + 1);
}
TEST_F(Defects, AStaleBufferIsAWrongResult) { ExpectWrong(Defect::kStaleBuffer); }
TEST_F(Defects, ATransposedOperandIsAWrongResult) {
  for (kernels::Variant& variant : open_.variants) {
    if (variant.kernel == kernels::Kernel::kGemm) variant.b_transposed = !variant.b_transposed;
  }
  ExpectWrong(Defect::kNone);
}
TEST_F(Defects, EventsWithoutTimeAreNotBelieved) { ExpectTimedByTheHost(Defect::kNoEventTime, "zero"); }
TEST_F(Defects, EventsAHundredTimesTooFastAreNotBelieved) {
  ExpectTimedByTheHost(Defect::kFastEvents, "under half");
}

}  // namespace tests
