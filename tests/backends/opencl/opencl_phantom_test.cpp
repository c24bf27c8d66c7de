// SPDX-License-Identifier: MIT
// Intel's driver with a GPU that is not there: every call succeeds, nothing is computed, events take no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/core/workload.h"
#include "tests/backends/opencl/opencl_device.h"
#include "tests/backends/opencl/other_driver.h"

namespace {

constexpr const char* kLibrary = "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so";

TEST(OpenClPhantom, IsListedAndItsResultsAreFoundWrong) {
  if (!std::filesystem::exists(kLibrary)) GTEST_SKIP() << "the package intel-opencl-icd is not installed";
  const tests::OtherDriver driver(kLibrary);
  setenv("NEOReadDebugKeys", "1", 1);
  setenv("SetCommandStreamReceiver", "1", 1);
  setenv("ProductFamilyOverride", "adls", 1);
  const auto device = tests::FindOpenClDevice(driver.manifest());
  ASSERT_EQ(device.kind, probe::DeviceKind::kIntegrated) << device.name;
  EXPECT_EQ(device.identity.ids.value_or(probe::PciIds{}).vendor, 0x8086U);
  const auto session = tests::OpenOpenCl(device);
  ASSERT_TRUE(session.ok()) << probe::Describe(session.error());
  EXPECT_THAT((*session)->limits().features, testing::Contains("gpu"));
  const auto variants = tests::OpenClVariants((*session)->limits());
  backends::OperandWriter writer(**session, variants);
  const auto read = std::find_if(variants.begin(), variants.end(), [](const auto& variant) {
    return variant.kernel == kernels::Kernel::kRead;
  });
  ASSERT_NE(read, variants.end());
  const auto loaded = backends::Load(**session, *read);
  ASSERT_TRUE(loaded.ok()) << probe::Describe(loaded.error());
  // Small: the driver writes everything that it is given into a file.
  auto workload = backends::Workload::Create(**session, writer, *loaded, {{0, 0, 0, 4096, 0}, 1, ""});
  ASSERT_TRUE(workload.ok()) << probe::Describe(workload.error());
  ASSERT_TRUE(workload->Prepare(1, 0).ok());
  const auto timing = workload->Run(1);
  ASSERT_TRUE(timing.ok()) << probe::Describe(timing.error());
  EXPECT_EQ(timing->device_s.value_or(0), 0);
  const auto verdict = workload->Verify();
  ASSERT_TRUE(verdict.ok()) << probe::Describe(verdict.error());
  EXPECT_FALSE(verdict->right);
}

}  // namespace
