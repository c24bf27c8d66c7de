// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/backends/core/session_rules.h"
#include "tests/backends/opencl/opencl_device.h"

namespace {

using backends::BufferId;
using backends::Launch;
using testing::Contains;
using testing::HasSubstr;
using tests::NameOf;
using tests::SessionRules;

constexpr std::string_view kSource = R"(
__kernel void add(__global uint* x, uint amount) { x[get_global_id(0)] += amount; }
__kernel void twice(__global uint* x) { x[get_global_id(0)] *= 2; }
)";

constexpr std::string_view kWrite = "__kernel void f(__global uint* x) { *x = VALUE; }";

class OpenClSession : public testing::Test {
 protected:
  void SetUp() override {
    device_ = tests::FindOpenClDevice();
    ASSERT_FALSE(device_.name.empty()) << "PoCL is not installed or shows no device";
    auto session = tests::OpenOpenCl(device_);
    ASSERT_TRUE(session.ok()) << probe::Describe(session.error());
    session_ = *std::move(session);
  }

  [[nodiscard]] probe::Result<backends::KernelId> Load(std::string_view entry,
                                                       std::string_view source = kSource,
                                                       std::string_view options = "") {
    return session_->Load({}, {.entry = entry, .source = source, .options = options});
  }
  [[nodiscard]] BufferId Words(std::span<const std::uint32_t> words) {
    const auto buffer = session_->Allocate({words.size_bytes(), {}});
    EXPECT_TRUE(buffer.ok());
    EXPECT_TRUE(session_->Upload(*buffer, 0, std::as_bytes(words)).ok());
    return *buffer;
  }

  probe::RuntimeDevice device_;
  std::unique_ptr<backends::Session> session_;
};

const tests::RuledDevice kPocl{"pocl", backends::opencl::Describe(),
                               [](const auto& body, auto) -> std::string {
                                 const auto session = tests::OpenOpenCl(tests::FindOpenClDevice());
                                 return session ? body(**session) : tests::Say(session);
                               }};
INSTANTIATE_TEST_SUITE_P(OpenCl, SessionRules, testing::Values(kPocl), NameOf);

TEST_F(OpenClSession, SaysWhatTheDeviceAllows) {
  const auto& limits = session_->limits();
  EXPECT_GT(limits.max_buffer_bytes, 0U);
  EXPECT_LE(limits.max_buffer_bytes, device_.memory_total_bytes.value_or(0));
  EXPECT_EQ(limits.max_texel_elements, 0U);
  EXPECT_EQ(limits.shape.compute_units, device_.compute_units);
  EXPECT_GT(limits.shape.max_work_group_size, 0U);
  EXPECT_THAT(limits.features, Contains("cpu"));
}

TEST_F(OpenClSession, RunsLaunchesInOrderAndRepeats) {
  const std::array<std::uint32_t, 4> start = {0, 1, 2, 3};
  const BufferId x = Words(start);
  const auto add = Load("add");
  const auto twice = Load("twice");
  ASSERT_TRUE(add.ok() && twice.ok());
  const std::array<Launch, 2> launches = {Launch{*add, {{x}}, {{4, 1, 1}, {1, 1, 1}, {5}}},
                                          Launch{*twice, {{x}}, {{2, 1, 1}, {2, 1, 1}, {}}}};
  const auto timing = session_->Run(launches, 2);
  ASSERT_TRUE(timing.ok()) << probe::Describe(timing.error());
  EXPECT_GT(timing->wall_s, 0);
  EXPECT_GT(timing->device_s.value_or(0), 0);
  std::array<std::uint32_t, 4> got{};
  ASSERT_TRUE(session_->Download(x, 0, std::as_writable_bytes(std::span(got))).ok());
  EXPECT_EQ(got, (std::array<std::uint32_t, 4>{30, 34, 38, 42}));
}

TEST_F(OpenClSession, GivesTheCompilersWords) {
  const auto broken = Load("f", "__kernel void f(__global int* x) { *x = nonsense_name; }");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().name, "CL_BUILD_PROGRAM_FAILURE");
  EXPECT_THAT(broken.error().text, HasSubstr("nonsense_name"));
  const auto missing = Load("no_such_entry");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().name, "CL_INVALID_KERNEL_NAME");
}

TEST_F(OpenClSession, OptionsTellProgramsApart) {
  const std::array<std::uint32_t, 1> zero = {0};
  const BufferId x = Words(zero);
  for (const auto& [options, value] : {std::pair("-DVALUE=7", 7U), std::pair("-DVALUE=9", 9U)}) {
    const auto kernel = Load("f", kWrite, options);
    ASSERT_TRUE(kernel.ok());
    const Launch launch{*kernel, {{x}}, {}};
    ASSERT_TRUE(session_->Run({&launch, 1}, 1).ok());
    std::uint32_t got = 0;
    ASSERT_TRUE(session_->Download(x, 0, std::as_writable_bytes(std::span(&got, 1))).ok());
    EXPECT_EQ(got, value);
  }
}

TEST(OpenClBackend, OpensExactlyTheDeviceAskedFor) {
  auto device = tests::FindOpenClDevice();
  ASSERT_FALSE(device.name.empty()) << "PoCL is not installed or shows no device";
  auto other = device;
  other.name = "another device";
  auto opened = tests::OpenOpenCl(other);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().name, "not found");
  EXPECT_THAT(opened.error().text, HasSubstr(device.name));
  other = device;
  other.ordinal = 7;
  EXPECT_FALSE(tests::OpenOpenCl(other).ok());
  other = device;
  other.identity.uuid = probe::Uuid{1};
  EXPECT_FALSE(tests::OpenOpenCl(other).ok());
  EXPECT_TRUE(tests::OpenOpenCl(device).ok());
}

// PoCL reads its variables once: a process of its own, as every test under ctest is.
TEST(OpenClBackendLimits, StayWithinTheThreadsAndMemoryOfThisProcess) {
  probe::RuntimeDevice device;
  device.driver = "Portable Computing Language";
  probe::Processor processor;
  processor.usable_threads = 64;
  processor.quota_cores = 0.5;
  processor.memory_limit_bytes = 256U << 20U;
  EXPECT_FALSE(tests::OpenOpenCl(device, probe::system::Environment::OfProcess(), processor).ok());
  ASSERT_STREQ(getenv("POCL_MAX_PTHREAD_COUNT"), "1");
  const auto session =
      tests::OpenOpenCl(tests::FindOpenClDevice(), probe::system::Environment::OfProcess(), processor);
  ASSERT_TRUE(session.ok()) << probe::Describe(session.error());
  EXPECT_EQ((*session)->limits().memory_free_bytes, *processor.memory_limit_bytes);
  EXPECT_LE((*session)->limits().max_buffer_bytes, *processor.memory_limit_bytes);
}

TEST(OpenClBackendLimits, TakeLittleOfADeviceThatOthersUse) {
  auto device = tests::FindOpenClDevice();
  device.facts.push_back({"utilization_percent", "60"});
  const auto opened = tests::OpenOpenCl(device);
  ASSERT_TRUE(opened.ok()) << probe::Describe(opened.error());
  backends::Session& session = **opened;
  EXPECT_EQ(session.limits().shared_with, "60 % busy");
  EXPECT_TRUE(session.limits().disturbed);
  const std::uint64_t share = *session.limits().memory_free_bytes;
  const auto all = *tests::OpenOpenCl(tests::FindOpenClDevice());
  EXPECT_LE(share, *all->limits().memory_free_bytes / 20);
  const std::uint64_t half = share / 2 + 1;
  ASSERT_LE(half, session.limits().max_buffer_bytes);
  const auto first = session.Allocate({half, {}});
  ASSERT_TRUE(first.ok()) << probe::Describe(first.error());
  EXPECT_FALSE(session.Allocate({half, {}}).ok()) << "more than the share";
  session.Release(*first);
  EXPECT_TRUE(session.Allocate({half, {}}).ok());
}

TEST(OpenClBackend, DoesNotOpenThroughAnotherManifest) {
  auto device = tests::FindOpenClDevice();
  device.manifest = "/nowhere/other.icd";
  EXPECT_FALSE(tests::OpenOpenCl(device).ok());
}

TEST(OpenClBackend, SaysThatPoclLacksItsLinkerInsteadOfDying) {
  auto environment = probe::system::Environment::OfProcess();
  environment.Set("PATH", "/nowhere:relative:");
  const auto opened = tests::OpenOpenCl(tests::FindOpenClDevice(), environment);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text, HasSubstr("binutils"));
}

}  // namespace
