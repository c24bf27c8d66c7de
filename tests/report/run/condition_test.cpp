// SPDX-License-Identifier: MIT
#include "report/run/condition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace report {
namespace {

using backends::Measurement;
using backends::MeasurementStatus;
using kernels::Dtype;
using kernels::Kernel;

constexpr const char* kCard = "pci:0000:01:00.0";

Measurement Of(Kernel kernel, MeasurementStatus status, Dtype dtype = Dtype::kFp32) {
  Measurement m;
  m.device_id = kCard;
  m.runtime = "some";
  m.kernel = kernel;
  m.in_dtype = dtype;
  m.implementation = "own:kernel";
  m.status = status;
  m.stage = "launch";
  if (status == MeasurementStatus::kOk) {
    m.verified = true;
    m.rate = 1e9;
    m.stage.reset();
  }
  return m;
}

Condition After(const std::vector<Measurement>& known) {
  probe::RuntimeDevice device;
  device.runtime = "some";
  return ConditionOf(known, kCard, device);
}

TEST(Condition, OneWhoseProductsOrReadsAreNeverRightIsWrong) {
  using enum MeasurementStatus;
  const auto right = Of(Kernel::kGemm, kOk), read = Of(Kernel::kRead, kOk);
  EXPECT_EQ(After({right, read}), Condition::kWhole);
  EXPECT_EQ(After({right, Of(Kernel::kRead, kWrongResult)}), Condition::kWrong);
  EXPECT_EQ(After({Of(Kernel::kGemm, kWrongResult), read}), Condition::kWrong);
  EXPECT_EQ(After({Of(Kernel::kGemm, kWrongResult), right, read}), Condition::kWhole) << "one kernel";
  EXPECT_EQ(After({right, read, Of(Kernel::kGemv, kWrongResult)}), Condition::kWhole);
  EXPECT_EQ(After({right, read, Of(Kernel::kGemm, kWrongResult, Dtype::kInt8)}), Condition::kWhole);
  EXPECT_EQ(After({Of(Kernel::kGemm, kWrongResult, Dtype::kInt8)}), Condition::kWhole)
      << "no score rests on it";
  EXPECT_FALSE(WhyLeftOut(Condition::kWrong).empty());
}

TEST(Condition, ADeadAFullAndAnEndedOneAreToldApart) {
  using enum MeasurementStatus;
  EXPECT_EQ(After({Of(Kernel::kGemm, kCrashed)}), Condition::kDead);
  auto none = Of(Kernel::kGemm, kCrashed);
  none.implementation.clear();
  EXPECT_EQ(After({Of(Kernel::kGemm, kOk), none}), Condition::kEnded);
  auto full = Of(Kernel::kRead, kOverBudget);
  full.needed_bytes = 1U << 20U;
  EXPECT_EQ(After({Of(Kernel::kGemm, kOk), full}), Condition::kFull);
  EXPECT_EQ(After({Of(Kernel::kGemm, kOk), Of(Kernel::kRead, kOk), full}), Condition::kWhole);
  auto failed = Of(Kernel::kGemm, kFailed);
  EXPECT_EQ(After({failed}), Condition::kDead);
  failed.lacked_memory = true;
  EXPECT_EQ(After({failed}), Condition::kFull);
  EXPECT_EQ(After({failed, Of(Kernel::kRead, kCrashed)}), Condition::kDead);
  EXPECT_EQ(After({}), Condition::kWhole);
}

}  // namespace
}  // namespace report
