// SPDX-License-Identifier: MIT
#include "report/run/calibrate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "backends/core/shape.h"
#include "backends/core/sharing.h"
#include "backends/registry.h"
#include "probe/system/environment.h"

namespace report {
namespace {

probe::View ViewOf(const std::string& runtime, probe::DeviceKind kind) {
  probe::View view;
  view.device.runtime = runtime;
  view.device.kind = kind;
  return view;
}

std::vector<probe::PhysicalDevice> Processor() {
  std::vector<probe::PhysicalDevice> devices(1);
  devices[0].id = "cpu:0";
  devices[0].kind = probe::DeviceKind::kCpu;
  devices[0].views = {ViewOf("vulkan", probe::DeviceKind::kSoftware), ViewOf("cpu", probe::DeviceKind::kCpu),
                      ViewOf("sysfs", probe::DeviceKind::kCpu)};
  return devices;
}

TEST(PlanTargets, NativeViewsComeFirstAndViewsWithoutABackendAreLeftOut) {
  const auto targets = PlanTargets(Processor(), RunRequest{});
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].device.runtime, "cpu");
  EXPECT_DOUBLE_EQ(targets[0].budget_s, kCpuBudgetSeconds);
  EXPECT_EQ(targets[1].device.runtime, "vulkan");
  EXPECT_DOUBLE_EQ(targets[1].budget_s, kSoftwareBudgetSeconds);
}

probe::PhysicalDevice Gpu(const std::string& id) {
  probe::PhysicalDevice device;
  device.id = id;
  device.name = "Some GPU";
  device.kind = probe::DeviceKind::kDiscrete;
  device.views = {ViewOf("vulkan", probe::DeviceKind::kDiscrete),
                  ViewOf("opencl", probe::DeviceKind::kDiscrete)};
  return device;
}

double TotalSeconds(const std::vector<Target>& targets) {
  double sum = 0;
  for (const Target& target : targets) sum += target.budget_s;
  return sum;
}

TEST(PlanTargets, WhatCanBeNoAnswerIsLeftOutWhereOnlyThatIsAsked) {
  RunRequest request;
  request.only_candidates = true;
  const auto targets = PlanTargets(Processor(), request);
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_EQ(targets[0].device.runtime, "cpu");
  EXPECT_EQ(PlanTargets({Gpu("pci:0000:01:00.0")}, request).size(), 2U) << "either may be the better way";
}
TEST(PlanTargets, AGpusRuntimesShareItsBudgetAndTheFirstHasMostOfIt) {
  const auto targets = PlanTargets({Gpu("pci:0000:01:00.0")}, RunRequest{});
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_DOUBLE_EQ(TotalSeconds(targets), kGpuBudgetSeconds);
  EXPECT_DOUBLE_EQ(targets[0].budget_s, 2 * targets[1].budget_s);
  EXPECT_EQ(targets[0].scope, backends::Scope::kWhole);
  EXPECT_EQ(targets[1].scope, backends::Scope::kRepeat);
}

TEST(PlanTargets, TheProcessorLeavesTimeForAGpu) {
  auto devices = Processor();
  devices.push_back(Gpu("pci:0000:01:00.0"));
  const auto targets = PlanTargets(devices, RunRequest{});
  ASSERT_EQ(targets.size(), 4U);
  EXPECT_DOUBLE_EQ(targets[0].budget_s, kCpuBesideGpuSeconds);
  EXPECT_DOUBLE_EQ(targets[1].budget_s, kSoftwareBesideGpuSeconds);
  EXPECT_DOUBLE_EQ(targets[2].budget_s + targets[3].budget_s, kGpuBudgetSeconds);
}

TEST(BudgetLeft, WhoTakesMoreThanAFifthBeyondHisTimeTakesItFromThoseAfterHim) {
  std::vector<Target> targets(3);
  for (Target& target : targets) target.budget_s = 2;
  const auto left = [&](std::size_t i, double spent_s) {
    return BudgetLeft(targets[i], std::span(targets).subspan(i + 1), 6, spent_s);
  };
  EXPECT_DOUBLE_EQ(left(0, 0), 2);
  EXPECT_DOUBLE_EQ(left(1, 2.4), 2) << "a fifth";
  EXPECT_NEAR(left(1, 4), 2 * 3.2 / 4.8, 1e-9);
  EXPECT_DOUBLE_EQ(left(1, 20), 0.8);
  EXPECT_DOUBLE_EQ(left(2, 3), 2) << "what one saved nobody needs";
}

TEST(PlanTargets, EveryRuntimeOfACardIsToldHowMuchOthersUseIt) {
  const auto told = [](const probe::PhysicalDevice& gpu) {
    std::vector<std::string> loads;
    for (Target& target : PlanTargets({gpu}, RunRequest{})) {
      if (target.utilization) target.device.facts.push_back(*target.utilization);
      loads.push_back(backends::LoadOfOthers(target.device));
    }
    return loads;
  };
  auto gpu = Gpu("pci:0000:01:00.0");
  EXPECT_EQ(told(gpu), (std::vector<std::string>{"", ""}));
  gpu.hardware.emplace().facts = {{"utilization_percent", "42"}};  // sysfs
  EXPECT_EQ(told(gpu), (std::vector<std::string>{"42 % busy", "42 % busy"}));
  gpu.hardware.reset();
  gpu.views[1].device.facts = {{"utilization_percent", "97"}};
  EXPECT_EQ(told(gpu), (std::vector<std::string>{"97 % busy", "97 % busy"}));
  gpu.hardware.emplace().facts = {{"utilization_percent", "42"}};
  EXPECT_EQ(told(gpu), (std::vector<std::string>{"42 % busy", "97 % busy"})) << "its own word comes first";
  gpu.views[0].device.kind = probe::DeviceKind::kSoftware;
  EXPECT_EQ(told(gpu), (std::vector<std::string>{"97 % busy", ""})) << "the processor's";
}

TEST(PlanTargets, DevicesOnTheProcessorOfAVirtualMachineAreKnown) {
  auto processor = Processor();
  processor.push_back(Gpu("pci:0000:01:00.0"));
  for (const Target& target : PlanTargets(processor, RunRequest{})) EXPECT_FALSE(target.in_virtual_machine);
  for (auto& device : processor) device.hardware.emplace().facts = {{"virtual_machine", "yes"}};
  for (const Target& target : PlanTargets(processor, RunRequest{}))
    EXPECT_EQ(target.in_virtual_machine, backends::OnHost(target.device)) << target.device.runtime;
}

TEST(PlanTargets, SoftwareViewsOfAMeasuredProcessorRepeat) {
  const auto targets = PlanTargets(Processor(), RunRequest{});
  EXPECT_EQ(targets[0].scope, backends::Scope::kWhole);
  EXPECT_EQ(targets[1].scope, backends::Scope::kRepeat);
}

TEST(PlanTargets, EqualGpusGetASecondAfterTheFirst) {
  std::vector<probe::PhysicalDevice> devices = {Gpu("pci:0000:01:00.0"), Gpu("pci:0000:02:00.0"),
                                                Gpu("pci:0000:03:00.0")};
  devices[2].memory.total_bytes = 1U << 30U;
  const auto targets = PlanTargets(devices, RunRequest{});
  ASSERT_EQ(targets.size(), 6U);
  EXPECT_DOUBLE_EQ(TotalSeconds(targets), 2 * kGpuBudgetSeconds + kEqualGpuBudgetSeconds);
  EXPECT_EQ(targets[2].scope, backends::Scope::kBrief);
  EXPECT_EQ(targets[4].scope, backends::Scope::kWhole) << "another size of memory";
}

// Seven partitions of one card, as CUDA (which names the partition) and HIP (which does not) show them.
std::vector<probe::PhysicalDevice> Partitions(bool named) {
  std::vector<probe::PhysicalDevice> devices;
  for (int number = 1; number <= 7; ++number) {
    const std::string partition = "part-" + std::to_string(number);
    devices.push_back(Gpu("pci:0000:01:00.0#" + partition));
    auto& device = devices.back();
    if (named) device.name += " " + partition;
    device.parent_id = "pci:0000:01:00.0";
    device.memory.total_bytes = 10U << 20U;
    for (auto& view : device.views) {
      view.device.identity.partition = partition;
      view.device.compute_units = 14;
    }
  }
  return devices;
}

TEST(PlanTargets, EqualPartitionsOfACardShareTheTimeOfOneGpu) {
  for (const bool named : {false, true}) {
    const auto targets = PlanTargets(Partitions(named), RunRequest{});
    ASSERT_EQ(targets.size(), 14U);
    EXPECT_EQ(targets[0].scope, backends::Scope::kWhole);
    for (std::size_t i = 2; i < targets.size(); ++i) EXPECT_EQ(targets[i].scope, backends::Scope::kBrief);
    EXPECT_NEAR(TotalSeconds(targets), kGpuBudgetSeconds, 1e-9);
    EXPECT_DOUBLE_EQ(targets[12].budget_s + targets[13].budget_s, kEqualPartitionBudgetSeconds);
  }
}

TEST(PlanTargets, TheFirstOfManyPartitionsKeepsHalfOfAGpusTime) {
  auto devices = Partitions(false);
  for (int card = 2; card <= 4; ++card) {
    for (auto device : Partitions(false)) {
      if (card < 4) device.parent_id = "pci:0000:0" + std::to_string(card) + ":00.0";
      devices.push_back(std::move(device));
    }
  }
  const auto targets = PlanTargets(devices, RunRequest{});  // fourteen of the first card, seven of two others
  ASSERT_EQ(targets.size(), 56U);
  EXPECT_DOUBLE_EQ(targets[0].budget_s + targets[1].budget_s, kGpuBudgetSeconds / 2);
  EXPECT_NEAR(TotalSeconds(targets), kGpuBudgetSeconds / 2 + 27 * kEqualPartitionBudgetSeconds, 1e-9);
}

TEST(PlanTargets, PartitionsThatDifferEachHaveTheWholePlan) {
  const auto whole_of = [](auto change) {
    auto devices = Partitions(true);
    devices.resize(2);
    change(devices[1]);
    return PlanTargets(devices, RunRequest{})[2].scope == backends::Scope::kWhole;
  };
  EXPECT_FALSE(whole_of([](auto&) {}));
  EXPECT_TRUE(whole_of([](auto& device) { device.memory.total_bytes = 20U << 20U; }));
  EXPECT_TRUE(whole_of([](auto& device) { device.views[0].device.compute_units = 28; }));
  EXPECT_TRUE(whole_of([](auto& device) { device.views[0].device.driver_version = "535"; }));
  EXPECT_TRUE(whole_of([](auto& device) { device.views[1].device.runtime = "cuda"; }));
  EXPECT_TRUE(whole_of([](auto& device) { device.views.pop_back(); }));
  EXPECT_TRUE(whole_of([](auto& device) {
    for (auto& view : device.views) view.device.identity.partition.reset();
  })) << "a whole card is no partition's equal";
}

// Every runtime that joins devices, on machines of its GPUs.
TEST(PlanTargets, SeveralGpusOfARuntimeThatJoinsThemAreATaskOfTheirOwn) {
  for (const auto& backend : backends::Backends()) {
    if (backend.open_peers == nullptr) continue;
    std::vector<probe::PhysicalDevice> devices;
    for (const char* id : {"pci:0000:01:00.0", "pci:0000:02:00.0", "pci:0000:03:00.0"}) {
      devices.push_back(Gpu(id));
      devices.back().name = id;
      devices.back().views = {ViewOf(std::string(backend.runtime), probe::DeviceKind::kDiscrete)};
    }
    devices[2].views[0].device.identity.partition = "MIG-1-0";
    const auto targets = PlanTargets(devices, RunRequest{});
    ASSERT_EQ(targets.size(), 4U);
    ASSERT_EQ(targets.back().peers.size(), 2U) << "a partition is not joined";
    EXPECT_EQ(targets.back().peers[1].device_id, "pci:0000:02:00.0");
    EXPECT_DOUBLE_EQ(TotalSeconds(targets), 3 * kGpuBudgetSeconds);
    EXPECT_DOUBLE_EQ(targets.back().budget_s, kPeerBudgetShare * 3 * kGpuBudgetSeconds);
    devices.erase(devices.begin() + 1);
    EXPECT_EQ(PlanTargets(devices, RunRequest{}).size(), 2U) << "one alone has nobody to be joined with";
  }
}

TEST(PlanTargets, EffortAndBudgetScaleEverything) {
  RunRequest quick;
  quick.effort = Effort::kQuick;
  EXPECT_DOUBLE_EQ(PlanTargets(Processor(), quick)[0].budget_s, kCpuBudgetSeconds / 3);
  RunRequest bounded;
  bounded.budget_s = 1.0;
  const auto targets = PlanTargets(Processor(), bounded);
  EXPECT_DOUBLE_EQ(targets[0].budget_s + targets[1].budget_s, 1.0);
}

TEST(Calibrate, WhatIsNeedlessIsNotMeasuredAndNobodyElseHasItsTime) {
  const auto targets = PlanTargets(Processor(), RunRequest{});
  auto supervisor = probe::isolate::Supervisor::Create({}, probe::system::Environment::OfProcess());
  ASSERT_TRUE(supervisor);
  CalibrationHooks hooks;
  hooks.is_needless = [](const Target&, const auto&) { return true; };
  const auto done = Calibrate(targets, std::nullopt, *supervisor, hooks);
  EXPECT_TRUE(done.measurements.empty());
  ASSERT_EQ(done.needless.size(), 2U);
  EXPECT_EQ(done.needless.front(), (WayKey{"cpu:0", "cpu", ""}));
  EXPECT_DOUBLE_EQ(done.spent_s, TotalSeconds(targets));
}

// Of a runtime that can join devices.
std::vector<probe::PhysicalDevice> EqualCards(int count) {
  std::vector<probe::PhysicalDevice> devices;
  for (int i = 1; i <= count; ++i) {
    devices.push_back(Gpu("pci:0000:0" + std::to_string(i) + ":00.0"));
    devices.back().views = {ViewOf("cuda", probe::DeviceKind::kDiscrete)};
  }
  return devices;
}

// Which of three equal cards has the whole plan; it comes first, and the others are known to be its equals.
std::string WholeOf(const std::vector<probe::PhysicalDevice>& devices) {
  const auto targets = PlanTargets(devices, RunRequest{});
  EXPECT_EQ(targets.size(), devices.size() + 1);
  EXPECT_EQ(targets.back().peers.size(), devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_EQ(targets[i].scope, i == 0 ? backends::Scope::kWhole : backends::Scope::kBrief);
    EXPECT_EQ(targets[i].equal_to, i == 0 ? std::nullopt : std::optional(targets[0].device_id));
  }
  return targets.front().device_id;
}

TEST(PlanTargets, OfEqualGpusTheFirstThatNobodyUsesHasTheWholePlan) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
  constexpr const char* kFirst = "pci:0000:01:00.0";
  constexpr const char* kSecond = "pci:0000:02:00.0";
  auto devices = EqualCards(3);
  EXPECT_EQ(WholeOf(devices), kFirst) << "nobody tells";
  for (auto& device : devices) {
    device.memory.total_bytes = 80 * kGiB;
    device.memory.free_bytes = 79 * kGiB;
    device.views[0].device.facts = {{"processes", "0"}, {"utilization_percent", "3"}};
  }
  devices[1].memory.free_bytes = 80 * kGiB;
  EXPECT_EQ(WholeOf(devices), kFirst) << "a little more memory is no reason";
  auto& first = devices[0].views[0].device.facts;
  first = {{"processes", "1"}};
  EXPECT_EQ(WholeOf(devices), kSecond);
  first = {{"utilization_percent", "42"}};
  EXPECT_EQ(WholeOf(devices), kSecond);
  first.clear();
  devices[0].memory.free_bytes = kGiB;
  EXPECT_EQ(WholeOf(devices), kSecond) << "somebody holds its memory";
  for (std::size_t i : {1U, 2U}) {
    devices[i].views[0].device.facts = {{"processes", "1"}};
    devices[i].memory.free_bytes = i * 20 * kGiB;
  }
  EXPECT_EQ(WholeOf(devices), "pci:0000:03:00.0") << "all are in use";
}

struct Tried {
  std::vector<Target> targets;
  Calibration done;
};
// As where earlier tries speak against every device.
Tried TryAll(const std::vector<probe::PhysicalDevice>& devices) {
  Tried tried;
  auto supervisor = probe::isolate::Supervisor::Create({}, probe::system::Environment::OfProcess());
  EXPECT_TRUE(supervisor);
  CalibrationHooks hooks;
  hooks.refuse = [&](const Target& target) {
    tried.targets.push_back(target);
    return std::optional<std::string>("it is dead");
  };
  tried.done = Calibrate(PlanTargets(devices, RunRequest{}), std::nullopt, *supervisor, hooks);
  return tried;
}

TEST(Calibrate, WhereTheFirstOfEqualGpusIsDeadTheNextHasItsPlanAndItsTime) {
  const auto planned = PlanTargets(EqualCards(3), RunRequest{});
  const auto tried = TryAll(EqualCards(3)).targets;
  ASSERT_EQ(tried.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(tried[i].scope, backends::Scope::kWhole) << i;
  EXPECT_DOUBLE_EQ(tried[1].budget_s, planned[0].budget_s + planned[1].budget_s);
  EXPECT_DOUBLE_EQ(tried[2].budget_s, TotalSeconds(planned) - planned[3].budget_s) << "and no more than that";
}

TEST(Calibrate, AChildThatFollowsHasTimeForTheFirstFigures) {
  Target target = PlanTargets(EqualCards(2), RunRequest{})[1];
  target.budget_s = 0.9;
  EXPECT_DOUBLE_EQ(RestartBudgetSeconds(target, 0.1, {}), 0.8);
  EXPECT_DOUBLE_EQ(RestartBudgetSeconds(target, 9, {}), kLeastFirstFiguresSeconds);
  const auto crashed = StandIn(target, backends::MeasurementStatus::kCrashed, "signal 6");
  EXPECT_DOUBLE_EQ(RestartBudgetSeconds(target, 9, {crashed}), kLeastFirstFiguresSeconds);
  auto figure = crashed;
  figure.status = backends::MeasurementStatus::kOk;
  figure.verified = true;
  figure.rate = 1e12;
  EXPECT_DOUBLE_EQ(RestartBudgetSeconds(target, 9, {figure}), 0.9 / 4);
  target.budget_s = 0.3;
  EXPECT_DOUBLE_EQ(RestartBudgetSeconds(target, 9, {}), 0.3) << "no more than it has";
}

// Two ways of each of `count` equal devices.
std::vector<Target> EqualWays(int count) {
  auto devices = EqualCards(count);
  for (auto& device : devices) device.views.push_back(ViewOf("opencl", probe::DeviceKind::kDiscrete));
  RunRequest request;
  request.only_candidates = true;  // nothing between them
  return PlanTargets(devices, request);
}

void Hang(HungEquals& hung, const std::vector<Target>& ways, std::size_t way, const std::string& stage) {
  auto end = StandIn(ways[way], backends::MeasurementStatus::kTimedOut, "killed");
  end.stage = stage;
  hung.Note(way, {end});
}

TEST(HungEquals, AfterTwoThatHungAlikeTheOthersAreNotWaitedFor) {
  const auto ways = EqualWays(4);
  ASSERT_EQ(ways.size(), 8U);
  HungEquals hung(ways);
  Hang(hung, ways, 0, "init");
  EXPECT_EQ(hung.WhyNot(2), std::nullopt) << "one alone may be broken";
  Hang(hung, ways, 2, "init");
  EXPECT_EQ(hung.WhyNot(3), std::nullopt) << "another runtime";
  const std::string why =
      "left out: pci:0000:01:00.0 and pci:0000:02:00.0, which equal it, hung at init before anything was "
      "measured";
  EXPECT_EQ(hung.WhyNot(4), why);
  EXPECT_EQ(hung.WhyNot(6), why);
}

TEST(HungEquals, OthersAndThoseThatEndedOtherwiseSayNothing) {
  auto ways = EqualWays(4);
  ways[6].equal_to.reset();  // another model
  HungEquals hung(ways);
  Hang(hung, ways, 0, "init");
  Hang(hung, ways, 2, "launch");
  EXPECT_EQ(hung.WhyNot(4), std::nullopt) << "at another stage";
  auto crashed = StandIn(ways[2], backends::MeasurementStatus::kCrashed, "signal 6");
  crashed.stage = "init";
  hung.Note(2, {crashed});
  EXPECT_EQ(hung.WhyNot(4), std::nullopt);
  Hang(hung, ways, 2, "init");
  EXPECT_NE(hung.WhyNot(4), std::nullopt);
  EXPECT_EQ(hung.WhyNot(6), std::nullopt);
}

// Along a chain of heirs no second is spent twice.
TEST(Calibrate, ADeviceThatDiesLateHandsOnWhatIsLeftOfItsTime) {
  auto targets = PlanTargets(EqualCards(3), RunRequest{});
  const auto planned = targets;
  const double spent_s = planned[0].budget_s - 0.5;
  HandOver(targets[0], spent_s, std::span(targets).subspan(1));
  EXPECT_EQ(targets[1].scope, backends::Scope::kWhole);
  EXPECT_DOUBLE_EQ(targets[1].budget_s, planned[1].budget_s + 0.5);
  const double longer_s = targets[1].budget_s + 10;  // what it compiled counts, too
  HandOver(targets[1], longer_s, std::span(targets).subspan(2));
  EXPECT_EQ(targets[2].scope, backends::Scope::kWhole);
  EXPECT_DOUBLE_EQ(targets[2].budget_s, planned[2].budget_s);
}

TEST(Calibrate, OfDeadDevicesNothingIsTriedBetweenThem) {
  const auto tried = TryAll(EqualCards(2));
  ASSERT_EQ(tried.targets.size(), 2U) << "not the group";
  std::vector<std::string> left_out;
  for (const auto& m : tried.done.measurements) {
    if (m.kernel != kernels::Kernel::kPeer) continue;
    EXPECT_EQ(m.status, backends::MeasurementStatus::kSkipped);
    left_out.push_back(m.device_id);
  }
  EXPECT_EQ(left_out, (std::vector<std::string>{"pci:0000:01:00.0", "pci:0000:02:00.0"}));
}

TEST(PlanTargets, WhatIsBetweenCardsDecidesNothing) {
  RunRequest request;
  request.only_candidates = true;
  auto devices = std::vector{Gpu("pci:0000:01:00.0"), Gpu("pci:0000:02:00.0")};
  for (auto& device : devices) device.views = {ViewOf("cuda", probe::DeviceKind::kDiscrete)};
  const auto joined = [&](const RunRequest& asked) {
    const auto targets = PlanTargets(devices, asked);
    return std::any_of(targets.begin(), targets.end(),
                       [](const Target& target) { return !target.peers.empty(); });
  };
  EXPECT_TRUE(joined(RunRequest{}));
  EXPECT_FALSE(joined(request));
}

}  // namespace
}  // namespace report
