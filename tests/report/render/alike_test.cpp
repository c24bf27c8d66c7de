// SPDX-License-Identifier: MIT
// What the text says of machines with several devices of one kind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/render/text.h"
#include "tests/report/machines.h"

namespace report::render {
namespace {

using kernels::Dtype;
using kernels::Kernel;
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
      "equal to pci:0000:01:00.0#MIG-1-0, which has the whole plan: here fp16 gemm and read alone";
  const auto first = text.find(told);
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_GT(first, text.find("NVIDIA A100 MIG-2-0\n"));
  EXPECT_NE(text.find(told, first + 1), std::string::npos) << "of the third, too";
}

TEST(AlikeText, DevicesThatWereMeasuredAlikeOrAreNotEqualHaveNoSuchLine) {
  Report same = Divided(2);
  testing::Measure(same, "pci:0000:01:00.0#MIG-2-0", "cuda", "NVIDIA", Kernel::kGemm, 1e13);
  EXPECT_THAT(Rendered(testing::Decided(same)), Not(HasSubstr("equal to")));
  Report larger = Divided(2);
  larger.devices[1].memory.total_bytes = 20ULL << 30U;
  EXPECT_THAT(Rendered(testing::Decided(larger)), Not(HasSubstr("equal to")));
}

}  // namespace
}  // namespace report::render
