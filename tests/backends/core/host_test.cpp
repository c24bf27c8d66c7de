// SPDX-License-Identifier: MIT
#include "backends/core/host.h"

#include <gtest/gtest.h>

#include "probe/system/clock.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "tests/backends/core/fake_session.h"

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

TEST(Host, AQuotaBindsWhereItIsLessThanTheThreads) {
  const auto files = probe::system::FileSystem::Open("/");
  const probe::system::Environment environment;
  probe::Processor processor;
  processor.usable_threads = 4;
  OpenRequest request{{}, processor, *files, environment};
  request.device.kind = probe::DeviceKind::kSoftware;
  EXPECT_EQ(BindingQuota(request, 1), std::nullopt) << "there is none";
  request.processor->quota_cores = 1.2;
  EXPECT_EQ(BindingQuota(request, 1), std::nullopt);
  EXPECT_EQ(BindingQuota(request, 2), 1.2);
  EXPECT_EQ(BindingQuota(request, 0), 1.2) << "four, as nobody tells";
  request.device.kind = probe::DeviceKind::kDiscrete;
  EXPECT_EQ(BindingQuota(request, 2), std::nullopt) << "it computes by itself";
}

TEST(Host, WhatAQuotaHandsOutLaterCounts) {
  const Timing burst = Sustained({0.0039, 0.004}, 0.004, 0.2);
  EXPECT_DOUBLE_EQ(burst.wall_s, 0.020);
  EXPECT_FALSE(burst.device_s) << "events do not know";
  EXPECT_DOUBLE_EQ(Sustained({std::nullopt, 0.004}, 0.008, 0.5).wall_s, 0.016) << "of two threads";
  const Timing stopped = Sustained({0.29, 0.300}, 0.050, 0.2);
  EXPECT_DOUBLE_EQ(stopped.wall_s, 0.300) << "others took part of it";
  EXPECT_EQ(stopped.device_s, 0.29);
}

// Uses processor time, of which its own clock knows nothing.
class Burst final : public FakeSession {
 public:
  using FakeSession::FakeSession;
  probe::Result<Timing> Run(std::span<const Launch>, std::uint32_t) override {
    const double start_s = probe::system::ProcessorSeconds();
    while (probe::system::ProcessorSeconds() - start_s < kSeconds) {
    }
    return Timing{kSeconds, kSeconds};
  }
  static constexpr double kSeconds = 0.002;
};

TEST(Host, ASessionsQuotaIsInItsTimes) {
  Burst session{FakeScript()};
  EXPECT_EQ(RunSustained(session, {}, 1)->wall_s, Burst::kSeconds);
  session.mutable_limits().quota_cores = 0.1;
  EXPECT_GE(RunSustained(session, {}, 1)->wall_s, 10 * Burst::kSeconds);
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
