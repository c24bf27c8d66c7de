// SPDX-License-Identifier: MIT
// oclgrind: a device that is slow, correct and checks every access.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/core/plan.h"
#include "backends/core/tasks.h"
#include "backends/core/workload.h"
#include "tests/backends/opencl/opencl_device.h"
#include "tests/backends/opencl/other_driver.h"

namespace {

constexpr const char* kLibrary = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

TEST(OpenClSimulator, ComputesEveryKernelOnItsTinyProblem) {
  if (!std::filesystem::exists(kLibrary)) GTEST_SKIP() << "the package oclgrind is not installed";
  const tests::OtherDriver driver(kLibrary);
  const auto device = tests::FindOpenClDevice(driver.manifest());
  ASSERT_EQ(device.driver, "Oclgrind");
  EXPECT_EQ(device.kind, probe::DeviceKind::kSoftware);
  const auto session = tests::OpenOpenCl(device);
  ASSERT_TRUE(session.ok()) << probe::Describe(session.error());
  const auto variants = tests::OpenClVariants((*session)->limits());
  backends::OperandWriter writer(**session, variants);
  for (const auto& task : backends::GroupVariants(variants)) {
    for (const auto* variant : task.variants) {
      const auto loaded = backends::Load(**session, *variant);
      ASSERT_TRUE(loaded.ok()) << variant->name << ": " << probe::Describe(loaded.error());
      const backends::Shape shape{backends::TinyProblem(*variant, (*session)->limits().shape), 1, ""};
      auto workload = backends::Workload::Create(**session, writer, *loaded, shape);
      ASSERT_TRUE(workload.ok()) << probe::Describe(workload.error());
      ASSERT_TRUE(workload->Prepare(1, 0).ok());
      ASSERT_TRUE(workload->Run(1).ok());
      const auto verdict = workload->Verify();
      ASSERT_TRUE(verdict.ok()) << probe::Describe(verdict.error());
      EXPECT_TRUE(verdict->right) << variant->name << ": " << verdict->reason;
    }
  }
}

}  // namespace
