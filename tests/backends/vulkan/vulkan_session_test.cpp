// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>

#include "backends/vulkan/vulkan_device.h"
#include "kernels/glsl/spirv.h"
#include "kernels/operand.h"
#include "tests/backends/vulkan/vulkan_device.h"
#include "tests/probe/system/temporary_tree.h"
#include "tests/probe/vulkan/phantom.h"

namespace {

using backends::BufferId;
using backends::Launch;
using kernels::Role;
using kernels::View;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const kernels::Step kFill = {
    .entry = "main", .code = kernels::glsl::Words("fill_u32"), .bindings = {{Role::kOut}}};
const kernels::Step kSum = {.entry = "main",
                            .code = kernels::glsl::Words("read_u32_texel"),
                            .bindings = {{Role::kIn, View::kTexelUint4}, {Role::kPartials}}};

class VulkanSession : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = tests::FindVulkanDevice();
    ASSERT_EQ(device_.driver, "llvmpipe") << "mesa-vulkan-drivers is not installed or shows no device";
    auto session = tests::OpenVulkan(device_);
    ASSERT_TRUE(session.ok()) << probe::Describe(session.error());
    session_ = *std::move(session);
  }
  [[nodiscard]] BufferId Buffer(std::uint64_t bytes, std::vector<View> views = {}) {
    const auto buffer = session_->Allocate({bytes, std::move(views)});
    EXPECT_TRUE(buffer.ok()) << probe::Describe(buffer.error());
    return *buffer;
  }
  [[nodiscard]] backends::KernelId Load(const kernels::Step& step) {
    const auto kernel = session_->Load({}, step);
    EXPECT_TRUE(kernel.ok()) << probe::Describe(kernel.error());
    return *kernel;
  }
  [[nodiscard]] std::vector<std::uint32_t> Words(BufferId buffer, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    EXPECT_TRUE(session_->Download(buffer, 0, std::as_writable_bytes(std::span(words))).ok());
    return words;
  }

  probe::RuntimeDevice device_;
  std::unique_ptr<backends::Session> session_;
};

// With a cache of its own for compiled shaders, in files.
class VulkanShaders : public VulkanSession {
 protected:
  void SetUp() override {
    setenv("MESA_SHADER_CACHE_DIR", tree_.root().c_str(), 1);
    setenv("MESA_DISK_CACHE_SINGLE_FILE", "false", 1);
    VulkanSession::SetUp();
  }
  static constexpr std::uintmax_t kLeastShaderBytes = 1024;
  // Without the functions that read one texture each, which Mesa 25 and later compile apart, in milliseconds.
  [[nodiscard]] std::size_t Compiled() const {
    namespace fs = std::filesystem;
    const auto all = fs::recursive_directory_iterator(tree_.root());
    return static_cast<std::size_t>(std::count_if(fs::begin(all), fs::end(all), [](const auto& entry) {
      return entry.is_regular_file() && entry.path().filename() != "index" &&
             entry.file_size() >= kLeastShaderBytes;
    }));
  }
  // They are written by a thread of the driver's: once there are some and no more come.
  [[nodiscard]] std::size_t Settled() const {
    constexpr int kLooks = 80;
    constexpr int kStill = 10;
    std::size_t compiled = 0;
    for (int look = 0, still = 0; look < kLooks && (compiled == 0 || still < kStill); ++look) {
      usleep(50'000);
      const std::size_t found = Compiled();
      still = found == compiled ? still + 1 : 0;
      compiled = found;
    }
    return compiled;
  }
  probe::system::TemporaryTree tree_;
};

TEST_F(VulkanShaders, AreCompiledOnceForTexelBuffersOfEverySize) {
  const auto partials = Buffer(32);
  const auto sum = Load(kSum);
  std::size_t compiled = 0;
  for (const std::uint32_t count : {16384U, 5000U, 49152U, 64U, 16U, 4U}) {
    const auto buffer = Buffer(std::uint64_t{4} * count, {View::kTexelUint4});
    const std::vector<std::uint32_t> words(count, count);
    ASSERT_TRUE(session_->Upload(buffer, 0, std::as_bytes(std::span(words))).ok());
    const Launch launch{sum, {{buffer, View::kTexelUint4}, {partials}}, {{1, 1, 1}, {8, 1, 1}, {count}}};
    ASSERT_TRUE(session_->Run({&launch, 1}, 1).ok());
    const auto sums = Words(partials, 8);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0U), count * count);
    if (compiled == 0) {
      compiled = Settled();
      if (compiled == 0) GTEST_SKIP() << "this driver keeps no compiled shaders";
    }
  }
  EXPECT_EQ(Settled(), compiled);
}

TEST_F(VulkanSession, SaysWhatTheDeviceAllows) {
  const auto& limits = session_->limits();
  EXPECT_GT(limits.max_buffer_bytes, 1U << 20U);
  EXPECT_LE(limits.max_buffer_bytes, device_.memory_total_bytes.value_or(0));
  EXPECT_GT(limits.max_texel_elements, 0U);
  EXPECT_GT(limits.shape.max_work_group_size, 0U);
  EXPECT_EQ(limits.shape.subgroup_width, device_.subgroup_width);
  EXPECT_THAT(limits.features, Contains("cpu"));
  EXPECT_THAT(limits.features, Not(Contains("gpu")));
}

TEST_F(VulkanSession, KeepsWhatIsUploadedAtAnyOffset) {
  const auto buffer = Buffer(4096);
  std::array<std::uint32_t, 1024> words{};
  std::iota(words.begin(), words.end(), 7U);
  ASSERT_TRUE(session_->Upload(buffer, 0, std::as_bytes(std::span(words))).ok());
  const std::array<std::uint32_t, 2> patch = {1, 2};
  ASSERT_TRUE(session_->Upload(buffer, 400, std::as_bytes(std::span(patch))).ok());
  words[100] = 1;
  words[101] = 2;
  EXPECT_EQ(Words(buffer, 1024), std::vector(words.begin(), words.end()));
  std::array<std::uint32_t, 1> one{};
  ASSERT_TRUE(session_->Download(buffer, 404, std::as_writable_bytes(std::span(one))).ok());
  EXPECT_EQ(one[0], 2U);
}

TEST_F(VulkanSession, CopiesFromAndToMemoryOfTheHosts) {
  const BufferId buffer = Buffer(8192);
  for (int round = 0; round < 2; ++round) {  // the first is freed by then
    const auto pinned = session_->AllocateHost(8192);
    ASSERT_TRUE(pinned.ok()) << probe::Describe(pinned.error());
    ASSERT_EQ(pinned->bytes.size(), 8192U);
    const auto out = pinned->bytes.first(4096), back = pinned->bytes.last(4096);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i * 7 + 1);
    std::fill(back.begin(), back.end(), std::byte{});
    ASSERT_TRUE(session_->Upload(buffer, 100, out).ok());
    ASSERT_TRUE(session_->Download(buffer, 100, back).ok());
    EXPECT_TRUE(std::equal(out.begin(), out.end(), back.begin()));
    EXPECT_FALSE(session_->Upload(buffer, 4097, out).ok());
  }
}

TEST_F(VulkanSession, RunsLaunchesInOrderAndRepeats) {
  constexpr std::uint32_t kCount = 4096;
  const auto buffer = Buffer(std::uint64_t{4} * kCount, {View::kTexelUint4});
  const auto partials = Buffer(32);
  const auto fill = Load(kFill);
  const auto sum = Load(kSum);
  const std::array launches = {
      Launch{fill, {{buffer}}, {{1, 1, 1}, {64, 1, 1}, {kCount, 1}}},
      Launch{fill, {{buffer}}, {{1, 1, 1}, {64, 1, 1}, {kCount, 2}}},
      Launch{sum, {{buffer, View::kTexelUint4}, {partials}}, {{1, 1, 1}, {8, 1, 1}, {kCount}}}};
  const auto timing = session_->Run(launches, 3);
  ASSERT_TRUE(timing.ok()) << probe::Describe(timing.error());
  EXPECT_GT(timing->wall_s, 0);
  ASSERT_TRUE(timing->device_s);
  EXPECT_GT(*timing->device_s, 0);
  EXPECT_LE(*timing->device_s, timing->wall_s);
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) expected += kernels::OperandBits(2, i);
  const auto sums = Words(partials, 8);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0U), expected);
}

TEST_F(VulkanSession, RefusesWhatIsOutOfBounds) {
  const auto buffer = Buffer(256);
  std::array<std::byte, 64> data{};
  EXPECT_FALSE(session_->Upload(buffer, 193, data).ok());
  EXPECT_FALSE(session_->Upload(buffer, std::numeric_limits<std::uint64_t>::max(), data).ok());
  EXPECT_FALSE(session_->Download(buffer, 257, data).ok());
  EXPECT_FALSE(session_->Upload(static_cast<BufferId>(99), 0, data).ok());
  EXPECT_FALSE(session_->Allocate({session_->limits().max_buffer_bytes + 1, {}}).ok());
  EXPECT_FALSE(session_->Allocate({0, {}}).ok());
}

TEST_F(VulkanSession, RefusesLaunchesThatDoNotFitTheKernel) {
  const auto buffer = Buffer(256);
  const auto released = Buffer(256);
  session_->Release(released);
  const auto fill = Load(kFill);
  const auto run = [&](Launch launch) { return session_->Run({&launch, 1}, 1).ok(); };
  EXPECT_TRUE(run({fill, {{buffer}}, {{1, 1, 1}, {64, 1, 1}, {64, 1}}}));
  EXPECT_FALSE(run({fill, {}, {{1, 1, 1}, {64, 1, 1}, {64, 1}}}));
  EXPECT_FALSE(run({fill, {{buffer, View::kTexelUint4}}, {{1, 1, 1}, {64, 1, 1}, {64, 1}}}));
  EXPECT_FALSE(run({fill, {{released}}, {{1, 1, 1}, {64, 1, 1}, {64, 1}}}));
  EXPECT_FALSE(run({fill, {{buffer}}, {{0, 1, 1}, {64, 1, 1}, {64, 1}}}));
  EXPECT_FALSE(run({fill, {{buffer}}, {{1, 1, 1}, {64, 1, 1}, std::vector<std::uint32_t>(33)}}));
  EXPECT_FALSE(run({static_cast<backends::KernelId>(9), {{buffer}}, {{1, 1, 1}, {64, 1, 1}, {64, 1}}}));
}

TEST_F(VulkanSession, OpensExactlyTheDeviceAskedFor) {
  auto other = device_;
  other.name = "llvmpipe of another day";
  EXPECT_THAT(probe::Describe(tests::OpenVulkan(other).error()), HasSubstr("its name is llvmpipe"));
  other = device_;
  other.identity.uuid = probe::Uuid{1};
  EXPECT_THAT(probe::Describe(tests::OpenVulkan(other).error()), HasSubstr("UUID"));
  other = device_;
  other.identity.pci = probe::PciAddress{0, 1, 0, 0};
  EXPECT_THAT(probe::Describe(tests::OpenVulkan(other).error()), HasSubstr("PCI"));
  other = device_;
  other.ordinal = 7;
  other.identity = {};
  EXPECT_FALSE(tests::OpenVulkan(other).ok());
  other.manifest = "/nowhere/icd.json";
  EXPECT_FALSE(tests::OpenVulkan(other).ok());
  other.manifest.reset();
  EXPECT_FALSE(tests::OpenVulkan(other).ok());
}

TEST(PhantomGpu, IsListedAndCanNotBeOpened) {
  for (const char* family : {"navi21", "vega20", "navi10"}) {
    setenv("RADV_FORCE_FAMILY", family, 1);
    const auto phantom = tests::FindVulkanDevice("RADV");
    if (phantom.name.empty() && tests::RadvImaginesNoGpus()) GTEST_SKIP() << tests::kImaginesNoGpus;
    ASSERT_FALSE(phantom.name.empty()) << family;
    const auto session = tests::OpenVulkan(phantom);
    ASSERT_FALSE(session.ok());
    EXPECT_THAT(probe::Describe(session.error()), HasSubstr("without any memory"));
  }
}

TEST(Features, ListWhatADriverClaims) {
  probe::vulkan::PhysicalFacts facts;
  facts.properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  facts.properties.limits.maxComputeWorkGroupInvocations = 1024;
  facts.api_version = VK_API_VERSION_1_3;
  facts.memory_model.vulkanMemoryModel = VK_TRUE;
  facts.float16_int8.shaderFloat16 = VK_TRUE;
  probe::vulkan::CooperativeMatrixProperties shape;
  shape.m = shape.n = 16;
  shape.k = 8;
  shape.scope = probe::vulkan::kScopeSubgroup;
  shape.c = shape.result = probe::vulkan::ComponentType::kFloat32;
  auto of_device = shape;
  of_device.scope = 1;
  of_device.m = 64;
  facts.cooperative_shapes = {shape, of_device};
  const auto features = backends::vulkan::FeaturesOf(facts);
  EXPECT_THAT(features, Contains("gpu"));
  EXPECT_THAT(features, Contains("group256"));
  EXPECT_THAT(features, Contains("coopmat:fp16/fp32:16x16x8"));
  EXPECT_THAT(features, Not(Contains(HasSubstr("64"))));
  EXPECT_THAT(features, Not(Contains("fp16"))) << "without 16-bit storage there is nothing to load it from";
}

// llvmpipe reads its variable once: a process of its own, as every test under ctest is.
TEST_F(VulkanSession, StaysWithinTheThreadsAndMemoryOfThisProcess) {
  unsetenv("LP_NUM_THREADS");
  probe::Processor processor;
  processor.usable_threads = 64;
  processor.quota_cores = 3.5;
  processor.memory_limit_bytes = 256U << 20U;
  const auto session = tests::OpenVulkan(device_, processor);
  ASSERT_TRUE(session.ok()) << probe::Describe(session.error());
  EXPECT_STREQ(getenv("LP_NUM_THREADS"), "3");
  EXPECT_EQ((*session)->limits().shape.compute_units, 3U);
  EXPECT_EQ((*session)->limits().threads, 3U);
  EXPECT_EQ((*session)->limits().memory_free_bytes, *processor.memory_limit_bytes);
}

TEST_F(VulkanSession, TakesLittleOfADeviceThatOthersUse) {
  device_.memory_free_bytes = 20U << 20U;
  device_.facts.push_back({"utilization_percent", "60"});
  const auto opened = tests::OpenVulkan(device_);
  ASSERT_TRUE(opened.ok()) << probe::Describe(opened.error());
  backends::Session& session = **opened;
  EXPECT_EQ(session.limits().shared_with, "60 % busy");
  EXPECT_TRUE(session.limits().disturbed);
  EXPECT_EQ(session.limits().max_buffer_bytes, 1U << 20U);
  const auto first = session.Allocate({1U << 20U, {}});
  ASSERT_TRUE(first.ok()) << probe::Describe(first.error());
  EXPECT_FALSE(session.Allocate({16, {}}).ok());
  session.Release(*first);
  EXPECT_TRUE(session.Allocate({16, {}}).ok());
}

// A fake card, whose memory the host does not see.
std::vector<probe::RuntimeDevice> FakeCards(const probe::system::TemporaryTree& tree,
                                            std::string_view scenario = "{}") {
  std::filesystem::copy_file(FAKE_VULKAN_LIBRARY, tree.At("/libfake.so"));
  tree.Write("/libfake.so.scenario.json", scenario);
  return tests::VulkanDevices(
      tree.Write("/fake.json", R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" +
                                   tree.At("/libfake.so") + R"(", "api_version": "1.3.0"}})"));
}

TEST(VulkanCard, OfWhichOneKernelTakesTheDeviceDownNamesThatOne) {
  const probe::system::TemporaryTree tree;
  const auto devices = FakeCards(tree, R"({"devices": [{"name": "Fake", "lost_after_launches": 2}]})");
  ASSERT_EQ(devices.size(), 1U);
  const auto opened = tests::OpenVulkan(devices.front());
  ASSERT_TRUE(opened.ok()) << probe::Describe(opened.error());
  backends::Session& session = **opened;
  const auto buffer = session.Allocate({4096, {}});
  ASSERT_TRUE(buffer.ok());
  const auto run = [&](const char* name) {
    const auto kernel = session.Load(
        kernels::Own(name, kernels::Kernel::kFill, kernels::Dtype::kU32, kernels::Dtype::kU32, kFill), kFill);
    if (!kernel) return false;
    const Launch launch{*kernel, {{*buffer}}, {{1, 1, 1}, {64, 1, 1}, {64, 1}}};
    return session.Run({&launch, 1}, 1).ok();
  };
  EXPECT_TRUE(run("harmless"));
  EXPECT_EQ(session.BroughtDownBy(), nullptr);
  EXPECT_FALSE(run("culprit"));
  ASSERT_NE(session.BroughtDownBy(), nullptr);
  EXPECT_EQ(session.BroughtDownBy()->name, "culprit");
  EXPECT_FALSE(run("victim"));
  EXPECT_EQ(session.BroughtDownBy()->name, "culprit") << "the first one";
}

// Through staging, or from and to the host's own memory.
TEST(VulkanCard, IsCopiedToAndFromByEveryWay) {
  const probe::system::TemporaryTree tree;
  const auto devices = FakeCards(tree);
  ASSERT_EQ(devices.size(), 1U);
  const auto opened = tests::OpenVulkan(devices.front());
  ASSERT_TRUE(opened.ok()) << probe::Describe(opened.error());
  backends::Session& session = **opened;
  constexpr std::size_t kBytes = (17U << 20U) + 12;  // more than staging holds
  const auto buffer = session.Allocate({kBytes, {}});
  ASSERT_TRUE(buffer.ok());
  const auto pinned = session.AllocateHost(kBytes);
  ASSERT_TRUE(pinned.ok()) << probe::Describe(pinned.error());
  std::vector<std::byte> pageable(kBytes);
  const std::array<std::span<std::byte>, 2> places = {std::span(pageable), pinned->bytes};
  for (const auto& out : places) {
    for (const auto& back : places) {
      const auto value = [&](std::size_t i) { return static_cast<std::byte>(i * 31 + (i >> 16U)); };
      for (std::size_t i = 0; i < kBytes; ++i) out[i] = value(i);
      ASSERT_TRUE(session.Upload(*buffer, 0, out).ok());
      std::fill(back.begin(), back.end(), std::byte{});
      ASSERT_TRUE(session.Download(*buffer, 8, back.subspan(8)).ok());
      bool right = true;
      for (std::size_t i = 8; i < kBytes; ++i) right = right && back[i] == value(i);
      EXPECT_TRUE(right) << (out.data() == pageable.data()) << (back.data() == pageable.data());
    }
  }
}

TEST(Limits, AreTheTightestOfAll) {
  probe::vulkan::PhysicalFacts facts;
  facts.properties.limits.maxStorageBufferRange = UINT32_MAX;
  facts.memory.memoryHeapCount = 1;
  facts.memory.memoryHeaps[0] = {std::uint64_t{8} << 30U, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  const auto files = probe::system::FileSystem::Open("/");
  const probe::system::Environment environment;
  const backends::OpenRequest request{{}, {}, *files, environment};
  EXPECT_EQ(backends::vulkan::LimitsOf(facts, request).max_buffer_bytes, UINT32_MAX);
  facts.maintenance3.maxMemoryAllocationSize = std::uint64_t{1} << 30U;
  EXPECT_EQ(backends::vulkan::LimitsOf(facts, request).max_buffer_bytes, std::uint64_t{1} << 30U);
  facts.maintenance4.maxBufferSize = 1U << 20U;
  EXPECT_EQ(backends::vulkan::LimitsOf(facts, request).max_buffer_bytes, 1U << 20U);
}

}  // namespace
