// SPDX-License-Identifier: MIT
// A question is settled without a way only where nothing that measuring it might show changes the answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "report/decide/decide.h"
#include "tests/report/machines.h"

namespace report {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// A machine of which one way was not measured.
struct Unmeasured {
  Record record;
  Asked asked;
  WayKey way;
};

Unmeasured Without(Report machine, const WayKey& way) {
  Record record;
  record.calibrated = true;
  record.probes = std::move(machine.probes);
  record.measurements = std::move(machine.measurements);
  std::erase_if(record.measurements, [&](const auto& m) {
    return m.device_id == way.device_id && m.runtime == way.runtime && m.driver == way.driver;
  });
  return {std::move(record), {std::move(machine.devices), {}}, way};
}

WayKey ProcessorOf(const Report& machine) {
  for (const auto& device : machine.devices) {
    for (const auto& view : device.views) {
      if (view.device.runtime == "cpu") return {device.id, "cpu", view.device.driver};
    }
  }
  return {};
}

RunRequest Asking(Use use = Use::kInference) {
  RunRequest request;
  request.uses = {use};
  return request;
}

bool IsSettled(const Unmeasured& here, const RunRequest& request) {
  return IsSettledWithout(here.way, request, testing::TestTables(), here.record, here.asked);
}

// The processor's device with this number of threads.
Report WithThreads(Report machine, std::uint32_t threads) {
  for (auto& device : machine.devices) {
    if (device.kind == probe::DeviceKind::kCpu) device.hardware->processor->threads = threads;
  }
  return machine;
}

TEST(Settled, AProcessorBesideALargeCardNeedNotBeMeasured) {
  const auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  EXPECT_TRUE(IsSettled(Without(machine, ProcessorOf(machine)), Asking()));
  const auto slow = testing::SlowIntegrated();
  EXPECT_FALSE(IsSettled(Without(slow, ProcessorOf(slow)), Asking())) << "it is the faster one";
}

TEST(Settled, AProcessorWhoseMemoryMayBeFastIsMeasured) {
  const auto server = WithThreads(testing::DiscreteAndIntegrated(), 192);
  EXPECT_FALSE(IsSettled(Without(server, ProcessorOf(server)), Asking(Use::kDecode)));
  const auto few = WithThreads(testing::DiscreteAndIntegrated(), 4);
  EXPECT_TRUE(IsSettled(Without(few, ProcessorOf(few)), Asking(Use::kDecode)));
}

TEST(Settled, ACardOfWhichNothingIsKnownIsMeasured) {
  auto machine = testing::TwoCards();
  auto& second = machine.devices[1];
  second.name = "A card of next year";
  second.hardware->identity.ids = probe::PciIds{0x10de, 0xfffe, {}, {}, {}};
  second.views.front().device.architecture = "sm_150";
  EXPECT_FALSE(IsSettled(Without(machine, {second.id, "cuda", "NVIDIA"}), Asking()));
}

TEST(Settled, ARivalOnTheSameCardIsMeasured) {
  const auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  const auto card = machine.devices.front().id;
  EXPECT_FALSE(IsSettled(Without(machine, {card, "vulkan", "NVIDIA"}), Asking()));
}

// As SYCL's way to a card that Level Zero reaches, too.
TEST(Settled, WhatStandsOnAWayThatWasMeasuredNeedNotBe) {
  auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  const auto card = machine.devices.front().id;
  auto& view = machine.devices.front().views.at(1).device;
  view.runtime = "sycl";
  view.facts.push_back({"backend", "cuda"});
  auto tables = testing::TestTables();
  const auto sycl = std::find_if(tables.runtimes.begin(), tables.runtimes.end(),
                                 [](const RuntimeFacts& facts) { return facts.name == "sycl"; });
  ASSERT_NE(sycl, tables.runtimes.end());
  sycl->stands_on->runtimes.emplace_back("cuda");
  auto here = Without(machine, {card, "sycl", "NVIDIA"});
  const auto is_settled = [&](const RunRequest& request) {
    return IsSettledWithout(here.way, request, tables, here.record, here.asked);
  };
  EXPECT_TRUE(is_settled(Asking()));
  auto request = Asking();
  request.terms.among = {"sycl"};
  EXPECT_FALSE(is_settled(request));
  request.terms = {};
  request.terms.exclude = {"cuda"};
  EXPECT_FALSE(is_settled(request));

  here.record.settled_without = {here.way};
  const auto report = Decide(Asking(), tables, here.record, here.asked);
  ASSERT_EQ(report.recommendations.size(), 1U);
  const auto& rejected = report.recommendations.front().rejected;
  EXPECT_TRUE(std::any_of(rejected.begin(), rejected.end(), [](const Rejected& option) {
    return option.runtime == "sycl" && option.reason.find("not measured beside") != std::string::npos;
  }));

  for (auto& m : here.record.measurements) {
    if (m.runtime == "cuda") m.status = backends::MeasurementStatus::kFailed;
  }
  EXPECT_FALSE(is_settled(Asking())) << "what it stands on does not work";
}

TEST(Settled, NothingIsBeforeAnythingWasMeasured) {
  const auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  auto here = Without(machine, ProcessorOf(machine));
  here.record.measurements.clear();
  EXPECT_FALSE(IsSettled(here, Asking()));
}

TEST(Settled, WhatTheCallerNarrowsTheChoiceToIsMeasured) {
  const auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  const auto here = Without(machine, ProcessorOf(machine));
  auto request = Asking();
  request.terms.among = {"cpu"};
  EXPECT_FALSE(IsSettled(here, request));
  request.terms.among = {"cuda", "cpu"};
  EXPECT_TRUE(IsSettled(here, request));
  request.terms.among = {"cpu"};
  request.terms.can = true;
  EXPECT_FALSE(IsSettled(here, request)) << "an estimate shows nothing";
}

// What a run keeps answers those that exclude nothing, too.
TEST(Settled, ACardThatTheCallerExcludesCountsForOthers) {
  auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  auto here = Without(machine, ProcessorOf(machine));
  auto twin = machine.devices.front();
  twin.id = "pci:0000:c1:00.0";
  for (auto m : machine.measurements) {
    if (m.device_id != machine.devices.front().id) continue;
    m.device_id = twin.id;
    m.quality = backends::Quality::kNoisy;
    m.ci95 = {0.4, 1.6};
    here.record.measurements.push_back(m);
  }
  here.asked.devices.push_back(twin);
  here.asked.excluded = {twin.id};
  auto request = Asking();
  request.terms.exclude = {twin.id};
  EXPECT_FALSE(IsSettled(here, Asking())) << "nobody knows which of the cards is the faster";
  EXPECT_FALSE(IsSettled(here, request));
}

TEST(Settled, NoisyFiguresSettleNothing) {
  const auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  auto here = Without(machine, ProcessorOf(machine));
  for (auto& m : here.record.measurements) m.quality = backends::Quality::kNoisy;
  EXPECT_FALSE(IsSettled(here, Asking()));
}

TEST(Settled, AModelThatAlsoNeedsTheProcessorMeasuresIt) {
  auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  machine.devices.front().memory.usable_bytes = std::uint64_t{3} << 30U;
  EXPECT_FALSE(IsSettled(Without(machine, ProcessorOf(machine)), Asking()));
}

TEST(Settled, WhatWasNotMeasuredIsSaidToBeEstimated) {
  const auto machine = WithThreads(testing::DiscreteAndIntegrated(), 4);
  auto here = Without(machine, ProcessorOf(machine));
  here.record.settled_without = {here.way};
  const auto report = Decide(Asking(), testing::TestTables(), here.record, here.asked);
  ASSERT_EQ(report.recommendations.size(), 1U);
  const auto& answer = report.recommendations.front();
  EXPECT_EQ(answer.backend, "cuda");
  EXPECT_EQ(answer.basis, Basis::kMeasured);
  EXPECT_NE(answer.confidence, Confidence::kLow);
  const auto rejected = std::find_if(answer.rejected.begin(), answer.rejected.end(),
                                     [](const Rejected& option) { return option.runtime == "cpu"; });
  ASSERT_NE(rejected, answer.rejected.end());
  EXPECT_THAT(rejected->reason, HasSubstr("it is estimated at"));
  EXPECT_THAT(rejected->reason, HasSubstr("not measured, as facts alone tell that it is far behind"));
}

}  // namespace
}  // namespace report
