// SPDX-License-Identifier: MIT
// The session on the fake loader: memory, launches, times, and what ends it.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "kernels/operand.h"
#include "kernels/spirv/variants.h"
#include "tests/backends/level_zero/machine.h"

namespace {

using backends::BufferId;
using backends::Launch;
using backends::Session;
using testing::HasSubstr;
using tests::kTwoTiles;
using tests::ZeGpu;
using tests::ZeMachine;

const kernels::Variant& VariantOf(std::string_view entry) {
  static const std::vector<std::string> features = {"gpu", "fp16"};
  static const auto all = kernels::spirv::Variants(features);
  for (const auto& variant : all) {
    if (variant.steps[0].entry == entry) return variant;
  }
  throw std::runtime_error("no such entry");
}
probe::Result<backends::KernelId> Load(Session& session, std::string_view entry) {
  return session.Load(VariantOf(entry), VariantOf(entry).steps[0]);
}

// "ok", or the error's own words.
template <class T>
std::string Say(const probe::Result<T>& result) {
  return result ? "ok" : probe::Describe(result.error());
}

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

TEST(LevelZeroSession, TransfersPartsAndNothingBeyond) {
  EXPECT_EQ(ZeMachine(ZeGpu(3, 1255)).With([](Session& session) -> std::string {
    const std::array<std::uint32_t, 4> words = {1, 2, 3, 4};
    const auto x = session.Allocate({16, {}});
    if (!x || !session.Upload(*x, 0, std::as_bytes(std::span(words)))) return "upload";
    std::array<std::uint32_t, 2> part{};
    const auto bytes = std::as_writable_bytes(std::span(part));
    if (!session.Download(*x, 4, bytes) || part != std::array<std::uint32_t, 2>{2, 3}) return "part";
    if (session.Download(*x, 12, bytes) || session.Upload(*x, UINT64_MAX, bytes)) return "beyond";
    if (session.Allocate({0, {}}) || session.Allocate({UINT64_MAX, {}})) return "sizes";
    session.Release(*x);
    return session.Download(*x, 0, bytes) ? "after release" : "ok";
  }),
            "ok");
}

// More than a list holds, so that several are sent.
TEST(LevelZeroSession, RunsLaunchesInOrderAndTimesThem) {
  EXPECT_EQ(ZeMachine(ZeGpu(3, 1255)).With([](Session& session) -> std::string {
    const auto x = session.Allocate({4096, {}});
    const auto fill = Load(session, "fill_u32");
    if (!x || !fill) return Say(fill);
    const std::array<Launch, 2> launches = {Launch{*fill, {{*x}}, {{1, 1, 1}, {256, 1, 1}, {1024, 1}}},
                                            Launch{*fill, {{*x}}, {{1, 1, 1}, {256, 1, 1}, {1024, 2}}}};
    for (const std::uint32_t repeats : {1U, 2U, 300U}) {
      const auto timing = session.Run(launches, repeats);
      if (!timing) return Say(timing);
      if (!(timing->device_s.value_or(0) > 0) || timing->wall_s < *timing->device_s) return "no time";
    }
    std::uint32_t first = 0;
    (void)session.Download(*x, 0, std::as_writable_bytes(std::span(&first, 1)));
    return first == kernels::OperandBits(2, 0) ? "ok" : "order";
  }),
            "ok");
}

TEST(LevelZeroSession, TimesASingleLaunch) {
  EXPECT_EQ(
      ZeMachine(ZeGpu(3, 1255, "", R"(, "slow_kernel_s": 0.02)")).With([](Session& session) -> std::string {
        const auto x = session.Allocate({4096, {}});
        const auto fill = Load(session, "fill_u32");
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
          const auto fill = Load(session, "fill_u32");
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

// A success that makes nothing, of each call that makes something.
TEST(LevelZeroSession, NamesTheCallThatMadeNothing) {
  constexpr std::array kCalls = {"zeContextCreate",   "zeCommandQueueCreate", "zeCommandListCreate",
                                 "zeEventPoolCreate", "zeEventCreate",        "zeMemAllocDevice",
                                 "zeMemAllocHost",    "zeModuleCreate",       "zeKernelCreate"};
  for (std::size_t i = 0; i < kCalls.size(); ++i) {
    const auto more = fmt::format(R"(, "attributes": {{"gives_nothing": {}}})", i + 1);
    const auto said = ZeMachine(ZeGpu(3, 1255), more).With([](Session& session) -> std::string {
      const auto host = session.AllocateHost(4096);
      if (!host) return Say(host);
      const auto x = session.Allocate({4096, {}});
      if (!x) return Say(x);
      const auto fill = Load(session, "fill_u32");
      return fill ? Say(session.Upload(*x, 0, host->bytes)) : Say(fill);
    });
    EXPECT_THAT(said, HasSubstr(kCalls.at(i)));
    EXPECT_THAT(said, HasSubstr("gives none"));
  }
}

TEST(LevelZeroSession, RefusesImpossibleLaunches) {
  EXPECT_EQ(ZeMachine(ZeGpu(3, 1255)).With([](Session& session) -> std::string {
    const auto x = session.Allocate({4096, {}});
    const auto fill = Load(session, "fill_u32");
    const auto run = [&](const Launch& launch) { return session.Run({&launch, 1}, 1).ok(); };
    if (run({*fill, {{*x}}, {{1, 1, 1}, {2048, 1, 1}, {1, 1}}})) return "work-group too large";
    if (run({*fill, {{BufferId{99}}}, {{1, 1, 1}, {32, 1, 1}, {1, 1}}})) return "no such buffer";
    if (run({*fill, {{*x}}, {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}}})) return "too many arguments";
    if (run({backends::KernelId{99}, {{*x}}, {{1, 1, 1}, {32, 1, 1}, {1, 1}}})) return "no kernel";
    return run({*fill, {{*x}}, {{1, 1, 1}, {32, 1, 1}, {1, 1}}}) ? "ok" : "unusable after errors";
  }),
            "ok");
}

TEST(LevelZeroSession, KnowsTheKernelThatEndedTheContext) {
  EXPECT_EQ(ZeMachine(ZeGpu(3, 1255, "", R"(, "faulting_kernels": "read_")"))
                .With([](Session& session) -> std::string {
                  const auto x = session.Allocate({4096, {}});
                  const auto fill = Load(session, "fill_u32"), read = Load(session, "read_u32");
                  if (!x || !fill || !read) return Say(read);
                  const Launch fills{*fill, {{*x}}, {{1, 1, 1}, {256, 1, 1}, {1, 1}}};
                  const Launch reads{*read, {{*x}, {*x}}, {{1, 1, 1}, {256, 1, 1}, {4}}};
                  if (!session.Run({&fills, 1}, 1) || session.BroughtDownBy() != nullptr)
                    return "down too early";
                  if (session.Run({&reads, 1}, 1)) return "not down";
                  return session.BroughtDownBy() == nullptr ? "nobody" : session.BroughtDownBy()->name;
                }),
            "own:coalesced");
}

TEST(LevelZeroSession, HandsOnTheCompilersLog) {
  const auto said = ZeMachine(ZeGpu(3, 1255, R"(, "build_fails": 1)")).With([](Session& session) {
    return Say(Load(session, "fill_u32"));
  });
  EXPECT_THAT(said, HasSubstr("ZE_RESULT_ERROR_MODULE_BUILD_FAILURE"));
  EXPECT_THAT(said, HasSubstr("undefined reference"));
}

TEST(LevelZeroSession, LacksMemoryByTheNameThatTheBackendTells) {
  const auto said =
      ZeMachine(ZeGpu(3, 1255, "", R"(, "allocation_limit_bytes": 4096)")).With([](Session& session) {
        return Say(session.Allocate({8192, {}}));
      });
  EXPECT_THAT(said, HasSubstr(std::string(backends::level_zero::Describe().memory_errors[0])));
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

TEST(LevelZeroSession, OpensNoOtherDeviceInItsPlace) {
  const ZeMachine machine(ZeGpu(3, 1255));
  EXPECT_THAT(machine.With([](Session&) { return std::string("open"); }, 0,
                           [](auto& device) { device.identity.pci->bus = 9; }),
              HasSubstr("is not among the devices now"));
}

TEST(LevelZeroSession, GivesHostMemory) {
  EXPECT_EQ(ZeMachine(ZeGpu(3, 1255)).With([](Session& session) -> std::string {
    const auto host = session.AllocateHost(8192);
    const auto x = session.Allocate({8192, {}});
    if (!host || !x) return Say(host);
    return session.Upload(*x, 0, host->bytes) && session.Download(*x, 0, host->bytes) ? "ok" : "no copies";
  }),
            "ok");
}

}  // namespace
