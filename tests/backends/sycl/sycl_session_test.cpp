// SPDX-License-Identifier: MIT
// The session on the fake loader of each release: memory, launches, times, and what ends it.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "kernels/operand.h"
#include "kernels/spirv/variants.h"
#include "tests/backends/sycl/machine.h"

namespace {

using backends::BufferId;
using backends::Launch;
using backends::Session;
using testing::HasSubstr;
using tests::SyclMachine;
using tests::ZeGpu;

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

TEST(SyclSession, SaysWhatTheDeviceAllows) {
  EXPECT_EQ(SyclMachine(ZeGpu(3, 1255, "", R"(, "memory_free_bytes": 200000000)")).With([](Session& session) {
    const auto& limits = session.limits();
    return fmt::format("{} {} {} {} {} {}", limits.max_buffer_bytes, limits.memory_free_bytes.value_or(0),
                       limits.cache_bytes.value_or(0), limits.shape.compute_units,
                       limits.shape.subgroup_width, fmt::join(limits.features, ","));
  }),
            "134217728 200000000 16777216 16 32 gpu,fp32,int32,fp16,matrix:fp16/fp32,matrix:bf16/fp32,"
            "matrix:int8/int32,subgroup:8");
}

TEST(SyclSession, OffersAProcessorItsOwnKernels) {
  const auto said = SyclMachine(R"({"name": "Some CPU", "type": "cpu", "memory_total_bytes": 4294967296})")
                        .With([](Session& session) {
                          std::string entries;
                          for (const auto& variant : backends::sycl::Describe().variants(session.limits()))
                            entries.append(variant.steps.back().entry).append(" ");
                          return fmt::format("{}: {}", fmt::join(session.limits().features, ","), entries);
                        });
  EXPECT_THAT(said, HasSubstr("cpu,"));
  EXPECT_THAT(said, HasSubstr("lanes:16"));
  EXPECT_THAT(said, HasSubstr("gemm_fp32"));
  EXPECT_THAT(said, HasSubstr("read_u32"));
}

TEST(SyclSession, TransfersPartsAndNothingBeyond) {
  EXPECT_EQ(SyclMachine(ZeGpu(3, 1255)).With([](Session& session) -> std::string {
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

// Each release takes platforms and launches in its own way.
class SyclReleases : public testing::TestWithParam<const char*> {};

TEST_P(SyclReleases, RunsLaunchesInOrderAndTimesThem) {
  EXPECT_EQ(SyclMachine(ZeGpu(3, 1255), "", GetParam()).With([](Session& session) -> std::string {
    const auto x = session.Allocate({4096, {}});
    const auto fill = Load(session, "fill_u32");
    if (!x || !fill) return Say(fill);
    const std::array<Launch, 2> launches = {Launch{*fill, {{*x}}, {{1, 1, 1}, {256, 1, 1}, {1024, 1}}},
                                            Launch{*fill, {{*x}}, {{1, 1, 1}, {256, 1, 1}, {1024, 2}}}};
    for (const std::uint32_t repeats : {1U, 2U, 100U}) {
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
INSTANTIATE_TEST_SUITE_P(OfOneApi, SyclReleases,
                         testing::Values(FAKE_SYCL_LIBRARY, FAKE_SYCL_2025_1_LIBRARY,
                                         FAKE_SYCL_2025_2_LIBRARY, FAKE_SYCL_2025_3_LIBRARY));

// A success that makes nothing, of each call that makes something.
TEST(SyclSession, NamesTheCallThatMadeNothing) {
  constexpr std::array kCalls = {"urContextCreate", "urQueueCreate",         "urUSMDeviceAlloc",
                                 "urUSMHostAlloc",  "urProgramCreateWithIL", "urKernelCreate"};
  for (std::size_t i = 0; i < kCalls.size(); ++i) {
    const auto more = fmt::format(R"(, "attributes": {{"gives_nothing": {}}})", i + 1);
    const auto said = SyclMachine(ZeGpu(3, 1255), more).With([](Session& session) -> std::string {
      const auto host = session.AllocateHost(4096);
      if (!host) return Say(host);
      const auto x = session.Allocate({4096, {}});
      return x ? Say(Load(session, "fill_u32")) : Say(x);
    });
    EXPECT_THAT(said, HasSubstr(kCalls.at(i)));
    EXPECT_THAT(said, HasSubstr("gives none"));
  }
}

TEST(SyclSession, RefusesImpossibleLaunches) {
  EXPECT_EQ(SyclMachine(ZeGpu(3, 1255)).With([](Session& session) -> std::string {
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

TEST(SyclSession, KnowsTheKernelThatEndedTheContext) {
  EXPECT_EQ(SyclMachine(ZeGpu(3, 1255, "", R"(, "faulting_kernels": "read_")"))
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

TEST(SyclSession, HandsOnTheCompilersLog) {
  const auto said = SyclMachine(ZeGpu(3, 1255, R"(, "build_fails": 1)")).With([](Session& session) {
    return Say(Load(session, "fill_u32"));
  });
  EXPECT_THAT(said, HasSubstr("UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE"));
  EXPECT_THAT(said, HasSubstr("undefined reference"));
}

TEST(SyclSession, LacksMemoryByTheNameThatTheBackendTells) {
  const auto said =
      SyclMachine(ZeGpu(3, 1255, "", R"(, "allocation_limit_bytes": 4096)")).With([](Session& session) {
        return Say(session.Allocate({8192, {}}));
      });
  EXPECT_THAT(said, HasSubstr(std::string(backends::sycl::Describe().memory_errors[0])));
}

TEST(SyclSession, OpensADeviceThatTheSelectorHides) {
  SyclMachine machine(ZeGpu(3, 1255));
  machine.Set("ONEAPI_DEVICE_SELECTOR", "opencl:cpu");
  EXPECT_EQ(machine.With([](Session&) { return std::string("open"); }), "open");
}

TEST(SyclSession, OpensNoOtherDeviceInItsPlace) {
  const SyclMachine machine(ZeGpu(3, 1255));
  EXPECT_THAT(machine.With([](Session&) { return std::string("open"); }, 0,
                           [](auto& device) { device.identity.pci->bus = 9; }),
              HasSubstr("is not among the devices now"));
}

}  // namespace
