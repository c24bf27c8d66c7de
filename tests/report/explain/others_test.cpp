// SPDX-License-Identifier: MIT
// What is said of a device of whose memory others leave too little.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "report/explain/explain.h"
#include "tests/report/explain/findings.h"
#include "tests/report/machines.h"

namespace report::explain {
namespace {

using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCard = "pci:0000:01:00.0";

// Nothing was measured, and what was found says why nothing could be.
TEST(Others, MemoryThatIsFullIsToldWithoutMeasuring) {
  for (const bool is_full : {false, true}) {
    auto machine = testing::DiscreteAndIntegrated();
    machine.measurements.clear();
    for (auto& device : machine.devices) {
      if (device.id != kCard) continue;
      device.memory.usable_bytes.reset();
      device.memory.free_bytes = is_full ? 40U << 20U : *device.memory.total_bytes;
      for (auto& view : device.views) view.device.memory_free_bytes = device.memory.free_bytes;
    }
    const auto report = testing::Decided(machine);
    const auto* finding = FindById(report, "memory.others.pci-0000-01-00-0");
    ASSERT_EQ(finding != nullptr, is_full);
    if (!is_full) continue;
    EXPECT_THAT(finding->summary, HasSubstr(": 40 MiB of its "));
    EXPECT_THAT(TextsOf(*finding), HasSubstr("end the programs that hold the device's memory"));
  }
}

// What others leave too little memory for is no fault of a driver, a library or a kernel: it was not tried.
TEST(Others, MemoryThatOthersHoldIsTheirs) {
  constexpr const char* kReason =
      "430 MiB are free, of which 107 MiB (25 %) are used at most beside others (1 other process on it), and "
      "128 MiB are needed";
  for (const bool is_all : {false, true}) {
    auto machine = testing::DiscreteAndIntegrated();
    if (is_all) std::erase_if(machine.measurements, [](const auto& m) { return m.device_id == kCard; });
    auto& late = testing::Measure(machine, kCard, "cuda", "NVIDIA", Kernel::kGemm, 1, Dtype::kFp8);
    late.status = MeasurementStatus::kOverBudget;
    late.verified = false;
    late.rate.reset();
    for (const Kernel kernel : {Kernel::kGemm, Kernel::kGemm, Kernel::kRead}) {
      const Dtype dtype = kernel == Kernel::kGemm ? Dtype::kBf16 : Dtype::kU32;
      auto& left = testing::Measure(machine, kCard, "cuda", "NVIDIA", kernel, 1, dtype);
      left.status = MeasurementStatus::kOverBudget;
      left.verified = false;
      left.rate.reset();
      left.reason = kReason;
      left.needed_bytes = 128U << 20U;
      left.holder_unseen = false;
    }
    const auto report = testing::Decided(machine);
    EXPECT_THAT(
        report.findings,
        Not(::testing::Contains(::testing::Field(&Finding::id, ::testing::StartsWith("measure.cuda")))));
    const auto* finding = FindById(report, "memory.others.pci-0000-01-00-0");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->severity, is_all ? Severity::kDegraded : Severity::kNote);
    EXPECT_THAT(finding->summary, HasSubstr(is_all ? "it was not measured for want of free memory: 430 MiB"
                                                   : "a part of it was not measured for want"));
    EXPECT_THAT(TextsOf(*finding), HasSubstr("end the programs that hold the device's memory"));
    EXPECT_THAT(TextsOf(*finding), Not(HasSubstr("update")));
    EXPECT_THAT(TextsOf(*finding), Not(HasSubstr("seen")));
    for (const std::optional<bool> told : {std::optional(true), std::optional<bool>()}) {
      auto unseen = machine;
      for (auto& m : unseen.measurements) {
        if (m.needed_bytes) m.holder_unseen = told;
      }
      const auto of_unseen = testing::Decided(unseen);
      EXPECT_THAT(TextsOf(*FindById(of_unseen, finding->id)), HasSubstr("who holds it can not be seen"))
          << "of a record from before, too, by the device";
    }
    for (const auto& evidence : finding->evidence) EXPECT_THAT(evidence.value, HasSubstr("was not measured"));
    for (const Score& score : report.scores) {
      if (score.device_id != kCard || !is_all || score.runtime != "cuda") continue;
      ASSERT_FALSE(score.reasons.empty());
      EXPECT_THAT(score.reasons.front(), HasSubstr(kReason));
      EXPECT_THAT(score.reasons.front(), Not(HasSubstr("time budget")));
    }
  }
}

}  // namespace
}  // namespace report::explain
