// SPDX-License-Identifier: MIT
#include "backends/core/host.h"

#include <gtest/gtest.h>

#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace backends {
namespace {

TEST(Host, QuotasAreRoundedDownToOneThreadAtLeast) {
  EXPECT_EQ(ThreadsAtOnce(8, std::nullopt), 8U);
  EXPECT_EQ(ThreadsAtOnce(8, 16.0), 8U);
  EXPECT_EQ(ThreadsAtOnce(8, 8.0), 8U);
  EXPECT_EQ(ThreadsAtOnce(8, 2.9), 2U);
  EXPECT_EQ(ThreadsAtOnce(8, 0.25), 1U);
}

TEST(Host, ThreadsAreThoseOfTheMaskWithinTheQuota) {
  EXPECT_EQ(UsableThreads(std::nullopt), std::nullopt);
  probe::Processor processor;
  EXPECT_EQ(UsableThreads(processor), std::nullopt);
  processor.usable_threads = 4;
  EXPECT_EQ(UsableThreads(processor), 4U);
  processor.quota_cores = 1.5;
  EXPECT_EQ(UsableThreads(processor), 1U);
}

TEST(Host, TheUsersNumberOfThreadsIsTheDrivers) {
  const auto files = probe::system::FileSystem::Open("/");
  probe::system::Environment environment;
  probe::Processor processor;
  processor.usable_threads = 4;
  const OpenRequest request{{}, processor, *files, environment};
  EXPECT_EQ(DriverThreads(request, "LP_NUM_THREADS"), 4U);
  environment.Set("LP_NUM_THREADS", "2");
  EXPECT_EQ(DriverThreads(request, "LP_NUM_THREADS"), 2U);
  for (const char* none : {"", "0", "-1", "2x", "99999999999"}) {
    environment.Set("LP_NUM_THREADS", none);
    EXPECT_EQ(DriverThreads(request, "LP_NUM_THREADS"), std::nullopt) << none;
  }
}

TEST(Host, AMemoryLimitBindsDevicesOnTheProcessorAlone) {
  probe::Processor processor;
  processor.memory_limit_bytes = 100;
  probe::RuntimeDevice device;
  device.memory_total_bytes = 300;
  device.memory_free_bytes = 200;
  device.kind = probe::DeviceKind::kDiscrete;
  EXPECT_EQ(WithinHost(device, processor), device);
  device.kind = probe::DeviceKind::kSoftware;
  EXPECT_EQ(WithinHost(device, std::nullopt), device);
  EXPECT_EQ(WithinHost(device, processor).memory_total_bytes, 100U);
  EXPECT_EQ(WithinHost(device, processor).memory_free_bytes, 100U);
  device.memory_free_bytes = 50;
  EXPECT_EQ(WithinHost(device, processor).memory_free_bytes, 50U);
}

}  // namespace
}  // namespace backends
