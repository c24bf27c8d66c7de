// SPDX-License-Identifier: MIT
#include "report/store/plausible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace report {
namespace {

using backends::Measurement;
using ::testing::HasSubstr;

// 2 * 1024^3 operations in a millisecond.
Measurement Product() {
  Measurement m;
  m.device_id = "pci:0000:01:00.0";
  m.runtime = "r";
  m.driver = "d";
  m.implementation = "own:x";
  m.status = backends::MeasurementStatus::kOk;
  m.unit = "flop_per_s";
  m.shape = {.m = 1024, .n = 1024, .k = 1024};
  m.time_s = 1e-3;
  m.rate = 2.147483648e12;
  m.best_rate = 2.2e12;
  m.p10_rate = 2.2e12;
  m.ci95 = std::array{0.98, 1.01};
  m.samples = 3;
  m.batch_times_s = {1e-3, 1e-3, 1.1e-3};
  m.verified = true;
  return m;
}

template <class Change>
std::string After(Change change) {
  Measurement m = Product();
  change(m);
  return OddMeasurement("m", m).value_or("");
}

TEST(Plausible, WhatARunWritesIs) {
  EXPECT_EQ(After([](Measurement&) {}), "");
  EXPECT_EQ(After([](Measurement& m) { m.batch_times_s.clear(); }), "") << "a cache keeps none";
  EXPECT_EQ(After([](Measurement& m) { m.samples = 0; }), "") << "verified and not timed";
  EXPECT_EQ(After([](Measurement& m) { m.ci95 = std::array{1.0, 1.0}; }), "");
  EXPECT_EQ(After([](Measurement& m) { m.p10_rate = 1e12; }), "");
}

TEST(Plausible, PartsOfAFigureAgree) {
  EXPECT_THAT(After([](Measurement& m) { m.ci95 = std::array{1.5, 2.0}; }), HasSubstr("m.ci95: expected"));
  EXPECT_THAT(After([](Measurement& m) { m.ci95 = std::array{0.2, 0.9}; }), HasSubstr("m.ci95: expected"));
  EXPECT_THAT(After([](Measurement& m) { m.samples = 4; }), HasSubstr("m.samples: expected"));
  EXPECT_THAT(After([](Measurement& m) { m.time_s = 2e-3; }), HasSubstr("m.rate: expected"));
  EXPECT_THAT(After([](Measurement& m) { m.time_s = 0; }), HasSubstr("m.rate: expected"));
}

probe::PhysicalDevice Card(std::size_t ways) {
  probe::PhysicalDevice card;
  card.id = "pci:0000:01:00.0";
  card.views.resize(ways);
  for (auto& view : card.views) {
    view.device.runtime = "r";
    view.device.driver = "d";
  }
  return card;
}

TEST(Plausible, EachWayHasAFigureOnce) {
  const std::vector once = {Product()};
  const std::vector twice = {Product(), Product()};
  auto failed = twice;
  failed[1].status = backends::MeasurementStatus::kFailed;
  auto elsewhere = once;
  elsewhere[0].device_id = "pci:0000:02:00.0";
  const std::vector one = {Card(1)};
  const std::vector of_one_name = {Card(2)};
  EXPECT_EQ(OddPlaces(one, once), std::nullopt);
  EXPECT_EQ(OddPlaces(one, failed), std::nullopt);
  EXPECT_EQ(OddPlaces(of_one_name, twice), std::nullopt) << "two drivers of one name";
  EXPECT_THAT(OddPlaces(one, twice).value_or(""), HasSubstr("measurements[1]: a second measurement"));
  EXPECT_THAT(OddPlaces(one, elsewhere).value_or(""),
              HasSubstr("measurements[0]: no device pci:0000:02:00.0"));
}

}  // namespace
}  // namespace report
