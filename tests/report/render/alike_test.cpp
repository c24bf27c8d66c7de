// SPDX-License-Identifier: MIT
// What the text says of machines with several devices of one kind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "report/render/faces.h"
#include "tests/report/machines.h"

namespace report::render {
namespace {

using kernels::Dtype;
using kernels::Kernel;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A processor and so many equal partitions of a card; the first has been measured in full.
Report Divided(int partitions) {
  Report report = testing::Processor();
  for (int number = 1; number <= partitions; ++number) {
    const auto part = fmt::format("MIG-{}-0", number);
    auto card = testing::Gpu("0000:01:00.0", "NVIDIA A100 " + part, probe::DeviceKind::kDiscrete, 10);
    card.id += "#" + part;
    card.parent_id = "pci:0000:01:00.0";
    testing::AddView(card, "cuda", "NVIDIA", probe::DeviceKind::kDiscrete).device.identity.partition = part;
    const auto measure = [&](Kernel kernel, double rate, Dtype dtype) {
      testing::Measure(report, card.id, "cuda", "NVIDIA", kernel, rate, dtype);
    };
    measure(Kernel::kGemm, 4e13, Dtype::kFp16);
    measure(Kernel::kRead, 2e11, Dtype::kFp32);
    if (number == 1) measure(Kernel::kGemm, 1e13, Dtype::kFp32);
    report.devices.insert(report.devices.end() - 1, card);
  }
  return report;
}

std::string Rendered(const Report& report) {
  return Text(testing::TestTables(), report, {160, false, true, false});
}

TEST(AlikeText, APartOfThePlanIsSaidWhereAnEqualDeviceHadMore) {
  const auto text = Rendered(testing::Decided(Divided(3)));
  const std::string told =
      "equal to pci:0000:01:00.0#MIG-1-0, which has the whole plan: here fp16 matrix product and memory";
  const auto first = text.find(told);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_GT(first, text.find("NVIDIA A100 MIG-2-0\n"));
  EXPECT_NE(text.find(told, first + 1), std::string::npos) << "of the third, too";
}

TEST(AlikeText, ThePlanMayBeThatOfALaterOne) {
  Report report = Divided(2);
  std::swap(report.devices[0], report.devices[1]);
  EXPECT_THAT(Rendered(testing::Decided(report)),
              HasSubstr("equal to pci:0000:01:00.0#MIG-1-0, which has the whole plan"));
}

TEST(AlikeText, DevicesThatWereMeasuredAlikeOrAreNotEqualHaveNoSuchLine) {
  Report same = Divided(2);
  testing::Measure(same, "pci:0000:01:00.0#MIG-2-0", "cuda", "NVIDIA", Kernel::kGemm, 1e13);
  EXPECT_THAT(Rendered(testing::Decided(same)), Not(HasSubstr("equal to")));
  Report larger = Divided(2);
  larger.devices[1].memory.total_bytes = 20ULL << 30U;
  EXPECT_THAT(Rendered(testing::Decided(larger)), Not(HasSubstr("equal to")));
}

TEST(AlikeText, CopiesToOthersAreMeasuredToo) {
  EXPECT_THAT(Rendered(testing::Decided(testing::TwoCards())),
              HasSubstr("which has the whole plan: here copy to a GPU and fp16 matrix product"));
}

TEST(AlikeText, EqualNamesOfWhichDifferentThingsAreToldHaveTheirIds) {
  Report report = testing::TwoCards();
  report.measurements.clear();
  const auto untold = Rendered(testing::Decided(report));
  EXPECT_THAT(untold, HasSubstr("cuda on NVIDIA H100 PCIe  it was not measured; 1 more alike"));
  testing::Measure(report, "pci:0000:c1:00.0", "cuda", "NVIDIA", Kernel::kGemm, 1e12).status =
      backends::MeasurementStatus::kUnsupported;
  const auto text = Rendered(testing::Decided(report));
  EXPECT_THAT(text, HasSubstr("cuda on NVIDIA H100 PCIe (pci:0000:01:00.0)  it was not measured"));
  EXPECT_THAT(text, HasSubstr("cuda on NVIDIA H100 PCIe (pci:0000:c1:00.0)  "));
}

int CountOf(const std::string& text, std::string_view part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// A processor that was measured and eight cards of one kind; what is wrong with each is `wrong`'s to say.
Report Eight(const std::function<void(Report&, probe::PhysicalDevice&)>& wrong) {
  Report report = testing::Processor();
  for (int number = 1; number <= 8; ++number) {
    auto card =
        testing::Gpu(fmt::format("0000:0{}:00.0", number), "Radeon Pro X", probe::DeviceKind::kDiscrete, 16);
    wrong(report, card);
    report.devices.insert(report.devices.end() - 1, card);
  }
  return report;
}

TEST(AlikeText, WhatIsWrongWithEqualDevicesIsSaidOnce) {
  const auto text = Rendered(testing::Decided(Eight([](auto&, auto&) {})));
  EXPECT_EQ(CountOf(text, "is in this machine and no runtime reaches it"), 1) << text;
  EXPECT_THAT(text, HasSubstr("7 more alike"));
  EXPECT_EQ(CountOf(text, "more alike"), 1);
  const auto verbose =
      Text(testing::TestTables(), testing::Decided(Eight([](auto&, auto&) {})), {160, false, true, true});
  EXPECT_EQ(CountOf(verbose, "is in this machine and no runtime reaches it"), 8) << "with --verbose each";
}

// Of one device by one runtime.
TEST(AlikeText, WhyTwoDriversAreNotUsedNamesBoth) {
  const auto told = [](const char* first, const char* second) {
    Report report = testing::Decided(testing::Processor());
    report.recommendations.resize(1);
    auto& rejected = report.recommendations.front().rejected;
    rejected.clear();
    for (const auto& [driver, reason] : {std::pair("Driver A", first), std::pair("Driver B", second)}) {
      rejected.push_back({"cpu:0", "opencl", driver, reason, ""});
    }
    for (Score& score : report.scores) score.eligible = false;
    report.findings.clear();
    return Rendered(report);
  };
  EXPECT_THAT(told("it is slow", "it is slow"), HasSubstr("opencl (Driver A, Driver B)"));
  EXPECT_THAT(told("it is slow", "it crashed"),
              AllOf(HasSubstr("opencl (Driver A)  it is slow"), HasSubstr("opencl (Driver B)  it crashed")));
}

TEST(AlikeText, WhyEqualDevicesAreNotUsedIsOneLineWhateverTheirFigures) {
  Report report = testing::Decided(Eight(
      [](auto&, auto& card) { testing::AddView(card, "vulkan", "RADV", probe::DeviceKind::kDiscrete); }));
  int mib = 100;
  for (auto& answer : report.recommendations) {
    for (auto& option : answer.rejected) {
      if (option.device_id != "cpu:0") option.reason = fmt::format("{} MiB of it are free", mib += 7);
    }
  }
  const auto text = Rendered(report);
  EXPECT_EQ(CountOf(text, "MiB of it are free"), 1) << text;
  EXPECT_THAT(text, HasSubstr("107 MiB of it are free; 7 more alike"));
}

TEST(AlikeText, DifferentDevicesAreToldOneByOne) {
  double gib = 4;
  const auto text = Rendered(testing::Decided(Eight(
      [&](auto&, auto& card) { card.memory.total_bytes = static_cast<std::uint64_t>(gib += 1) << 30U; })));
  EXPECT_EQ(CountOf(text, "is in this machine and no runtime reaches it"), 8);
  EXPECT_EQ(CountOf(text, "more alike"), 0);
}

TEST(AlikeText, WhatFailsOnDifferentDevicesIsToldOfEach) {
  double gib = 4;
  Report report = testing::Decided(Eight(
      [&](auto&, auto& card) { card.memory.total_bytes = static_cast<std::uint64_t>(gib += 1) << 30U; }));
  for (Finding& finding : report.findings) finding.layer = "programming_interface";
  EXPECT_EQ(CountOf(Rendered(report), "is in this machine and no runtime reaches it"), 8);
}

}  // namespace
}  // namespace report::render
