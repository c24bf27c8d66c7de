// SPDX-License-Identifier: MIT
// The session on the fake loader: memory, launches, times, and what ends it.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/backends/core/session_rules.h"
#include "tests/backends/level_zero/machine.h"
#include "tests/backends/level_zero/spirv_rules.h"

namespace {

using backends::Launch;
using backends::Session;
using testing::HasSubstr;
using tests::FaultRules;
using tests::kTwoTiles;
using tests::NameOf;
using tests::Say;
using tests::SessionRules;
using tests::SpirvKernels;
using tests::SpirvSession;
using tests::ZeGpu;
using tests::ZeMachine;

probe::Result<backends::KernelId> LoadFill(Session& session) {
  return tests::LoadFirst(backends::level_zero::Describe(), session, kernels::Kernel::kFill);
}

const tests::RuledDevice kCard{"card", backends::level_zero::Describe(), [](const auto& body, auto keys) {
                                 return ZeMachine(ZeGpu(3, 1255, "", keys)).With(body);
                               }};
INSTANTIATE_TEST_SUITE_P(LevelZero, SessionRules, testing::Values(kCard), NameOf);
INSTANTIATE_TEST_SUITE_P(LevelZero, FaultRules, testing::Values(kCard), NameOf);

const tests::SpirvRuntime kRuntime{
    backends::level_zero::Describe(),
    [](const auto& gpus, auto more, const auto& body, const auto& change) {
      return ZeMachine(gpus, more).With(body, 0, change);
    },
    {"zeContextCreate", "zeCommandQueueCreate", "zeCommandListCreate", "zeEventPoolCreate", "zeEventCreate",
     "zeMemAllocDevice", "zeMemAllocHost", "zeModuleCreate", "zeKernelCreate"},
    "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE"};
INSTANTIATE_TEST_SUITE_P(LevelZero, SpirvSession, testing::Values(kRuntime));
INSTANTIATE_TEST_SUITE_P(LevelZero, SpirvKernels, testing::Values(kRuntime));

TEST(LevelZeroSession, SaysWhatTheDeviceAllows) {
  EXPECT_EQ(
      ZeMachine(ZeGpu(3, 1255, "", R"(, "memory_free_bytes": 200000000)")).With([](Session& session) {
        const auto& limits = session.limits();
        return fmt::format("{} {} {} {} {} {}", limits.max_buffer_bytes, limits.memory_free_bytes.value_or(0),
                           limits.cache_bytes.value_or(0), limits.shape.compute_units,
                           limits.shape.subgroup_width, fmt::join(limits.features, ","));
      }),
      "134217728 200000000 16777216 16 32 gpu,fp32,int32,fp16,int8_dot,matrix:fp16/fp32,matrix:bf16/fp32,"
      "matrix:int8/int32,subgroup:8");
}

TEST(LevelZeroSession, TimesASingleLaunch) {
  EXPECT_EQ(
      ZeMachine(ZeGpu(3, 1255, "", R"(, "slow_kernel_s": 0.02)")).With([](Session& session) -> std::string {
        const auto x = session.Allocate({4096, {}});
        const auto fill = LoadFill(session);
        const Launch launch{*fill, {{*x}}, {{1, 1, 1}, {256, 1, 1}, {1024, 1}}};
        const auto timing = session.Run({&launch, 1}, 1);
        if (!timing) return Say(timing);
        return *timing->device_s >= 0.02 && *timing->device_s < 2 ? "ok" : fmt::to_string(*timing->device_s);
      }),
      "ok");
}

TEST(LevelZeroSession, SaysWhatHoldsTheClockBackWhileItWorks) {
  const auto state = [](std::string_view attributes) {
    return ZeMachine(ZeGpu(3, 1255, attributes, R"(, "clock_mhz": 2000)"))
        .With([](Session& session) -> std::string {
          const auto x = session.Allocate({4096, {}});
          const auto fill = LoadFill(session);
          const Launch launch{*fill, {{*x}}, {{1, 1, 1}, {256, 1, 1}, {1024, 1}}};
          if (session.State().clock_share) return "of a GPU that rests";
          if (!session.Watch() || !session.Run({&launch, 1}, 1)) return "not watched";
          const auto seen = session.State();
          return fmt::format("{} {}", seen.clock_share.value_or(0), seen.throttled_by);
        });
  };
  EXPECT_EQ(state(R"(, "actual_mhz": 1500, "throttled": 10)"), "0.75 power cap, thermal");
  EXPECT_EQ(state(R"(, "actual_mhz": 2000, "throttled": 32)"), "1 ") << "a range that is set is none";
  EXPECT_EQ(state(R"(, "actual_mhz": 0)"), "0 ") << "it sleeps, or nobody tells";
}

TEST(LevelZeroSession, TellsTheClockOfItsTileAlone) {
  constexpr std::string_view kTiles =
      R"(, "clock_mhz": 2000, "partitions": [
        {"memory_total_bytes": 134217728, "compute_units": 8, "attributes": {"actual_mhz": 500, "throttled": 8}},
        {"memory_total_bytes": 134217728, "compute_units": 8, "attributes": {"actual_mhz": 1500, "throttled": 1}}])";
  const auto seen = [&](std::size_t place) {
    return ZeMachine(ZeGpu(3, 1260, "", kTiles))
        .With([](Session& session) { return session.State().throttled_by; }, place);
  };
  EXPECT_EQ(seen(0), "thermal");
  EXPECT_EQ(seen(1), "power cap");
}

TEST(LevelZeroSession, LacksTheHostsMemoryByTheNameThatTheBackendTells) {
  const auto host = ZeMachine(ZeGpu(3, 1255), R"(, "misbehave": [{"at": "allocate", "do": "error",
      "code": 1879048194}])")
                        .With([](Session& session) { return Say(session.Allocate({8192, {}})); });
  EXPECT_THAT(host, HasSubstr(std::string(backends::level_zero::Describe().memory_errors[1])));
}

TEST(LevelZeroSession, OpensTheTileThatWasAskedFor) {
  const ZeMachine machine(ZeGpu(3, 1260, "", kTwoTiles));
  const auto units = [](Session& session) { return fmt::to_string(session.limits().shape.compute_units); };
  EXPECT_EQ(machine.With(units, 1), "8");
  EXPECT_THAT(machine.With(units, 0, [](auto& device) { device.identity.partition = "tile7"; }),
              HasSubstr("not found"));
}

}  // namespace
