// SPDX-License-Identifier: MIT
// The session on the fake loader of each release: memory, launches, times, and what ends it.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/backends/core/session_rules.h"
#include "tests/backends/level_zero/spirv_rules.h"
#include "tests/backends/sycl/machine.h"

namespace {

using backends::Session;
using testing::HasSubstr;
using tests::FaultRules;
using tests::NameOf;
using tests::SessionRules;
using tests::SpirvKernels;
using tests::SpirvSession;
using tests::SyclMachine;
using tests::ZeGpu;

// Each release takes platforms and launches in its own way.
tests::RuledDevice CardOf(const std::string& release, const char* library) {
  return {release, backends::sycl::Describe(), [library](const auto& body, auto keys) {
            return SyclMachine(ZeGpu(3, 1255, "", keys), "", library).With(body);
          }};
}
const auto kReleases =
    testing::Values(CardOf("newest", FAKE_SYCL_LIBRARY), CardOf("2025_1", FAKE_SYCL_2025_1_LIBRARY),
                    CardOf("2025_2", FAKE_SYCL_2025_2_LIBRARY), CardOf("2025_3", FAKE_SYCL_2025_3_LIBRARY));
INSTANTIATE_TEST_SUITE_P(Sycl, SessionRules, kReleases, NameOf);
INSTANTIATE_TEST_SUITE_P(Sycl, FaultRules, kReleases, NameOf);

const tests::SpirvRuntime kRuntime{backends::sycl::Describe(),
                                   [](const auto& gpus, auto more, const auto& body, const auto& change) {
                                     return SyclMachine(gpus, more).With(body, 0, change);
                                   },
                                   {"urContextCreate", "urQueueCreate", "urUSMDeviceAlloc", "urUSMHostAlloc",
                                    "urProgramCreateWithIL", "urKernelCreate"},
                                   "UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE"};
INSTANTIATE_TEST_SUITE_P(Sycl, SpirvSession, testing::Values(kRuntime));
INSTANTIATE_TEST_SUITE_P(Sycl, SpirvKernels, testing::Values(kRuntime));

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

TEST(SyclSession, OpensADeviceThatTheSelectorHides) {
  SyclMachine machine(ZeGpu(3, 1255));
  machine.Set("ONEAPI_DEVICE_SELECTOR", "opencl:cpu");
  EXPECT_EQ(machine.With([](Session&) { return std::string("open"); }), "open");
}

}  // namespace
