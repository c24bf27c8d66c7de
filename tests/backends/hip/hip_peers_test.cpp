// SPDX-License-Identifier: MIT
// Copies between devices and the sum over them, on a runtime whose memory is the host's.
#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>

#include "backends/hip/hip_runtime.h"
#include "backends/stream/stream_peers.h"
#include "tests/probe/system/temporary_tree.h"

namespace {

namespace rt = probe::hip;
using backends::PeerGroup;
using testing::HasSubstr;

constexpr std::size_t kFree = 1U << 20U;
int current = 0;  // the device that is set
std::size_t free_bytes = kFree;
int refused = -1;  // what it does not let itself be reached by

rt::Api FakeRuntime() {
  rt::Api api;
  api.hipSetDevice = [](int device) -> int { return current = device, 0; };
  api.hipMemGetInfo = [](std::size_t* free, std::size_t* total) -> int {
    return *free = *total = free_bytes, 0;
  };
  api.hipMalloc = [](void** pointer, std::size_t bytes) -> int { return *pointer = std::malloc(bytes), 0; };
  api.hipMemcpy = [](void* to, const void* from, std::size_t bytes, rt::HipCopyKind) -> int {
    return std::memcpy(to, from, bytes), 0;
  };
  api.hipMemcpyPeer = [](void* to, int, const void* from, int, std::size_t bytes) -> int {
    return std::memcpy(to, from, bytes), 0;
  };
  api.hipDeviceSynchronize = []() -> int { return 0; };
  api.hipDeviceCanAccessPeer = [](int* can, int, int) -> int { return *can = 1, 0; };
  api.hipDeviceEnablePeerAccess = [](int peer, unsigned) -> int { return peer == refused ? 217 : 704; };
  api.hipStreamCreateWithFlags = [](rt::HipStream* stream, unsigned) -> int {
    return *stream = reinterpret_cast<rt::HipStream>(&current), 0;
  };
  api.hipStreamSynchronize = [](rt::HipStream) -> int { return 0; };
  return api;
}

class HipPeers : public testing::Test {
 protected:
  HipPeers() { environment_.Set("WHICHGPU_LIBRARY_PATH", tree_.Directory("/lib")); }
  [[nodiscard]] probe::Result<std::unique_ptr<PeerGroup>> Join(bool shared = false,
                                                               const rt::Api& api = FakeRuntime()) const {
    auto runtime =
        std::make_unique<backends::hip::HipRuntime>(api, std::vector{0, 2, 5}, *files_, environment_);
    auto group = backends::stream::JoinDevices(std::move(runtime), {false, shared, false});
    if (group) {
      if (const auto opened = backends::OpenAll(**group, 3); !opened) return opened.error();
    }
    return group;
  }
  // Device i's source holds words of i + 1.
  static void Fill(PeerGroup& group) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::vector<std::uint32_t> words(group.bytes() / 4, i + 1);
      EXPECT_TRUE(group.Write(i, PeerGroup::Array::kSource, std::as_bytes(std::span(words))));
    }
  }
  static std::uint32_t LastOf(PeerGroup& group, std::size_t device) {
    std::vector<std::uint32_t> words(group.bytes() / 4);
    EXPECT_TRUE(group.ReadTarget(device, std::as_writable_bytes(std::span(words))));
    return words.back();
  }

  probe::system::TemporaryTree tree_;
  probe::Result<probe::system::FileSystem> files_ = probe::system::FileSystem::Open("/");
  probe::system::Environment environment_;
};

TEST_F(HipPeers, CopyFromEachToEach) {
  auto group = Join();
  ASSERT_TRUE(group);
  EXPECT_EQ((*group)->bytes(), kFree / 8);
  Fill(**group);
  EXPECT_TRUE((*group)->Copy(2, 0, 3));
  EXPECT_TRUE((*group)->Copy(0, 1, 1));
  EXPECT_EQ(LastOf(**group, 0), 3U);
  EXPECT_EQ(LastOf(**group, 1), 1U);
}

TEST_F(HipPeers, TakeLittleOfADeviceThatOthersUse) {
  auto group = Join(true);
  ASSERT_TRUE(group);
  EXPECT_EQ((*group)->bytes(), kFree / 40 / 4096 * 4096);
}

TEST_F(HipPeers, AreDirectWhereTheRuntimeKeepsItsWord) {
  refused = 5;
  auto group = Join();
  refused = -1;
  ASSERT_TRUE(group);
  EXPECT_TRUE((*group)->IsDirect(0, 1));
  EXPECT_FALSE((*group)->IsDirect(0, 2));
  EXPECT_TRUE((*group)->IsDirect(2, 0));
}

TEST_F(HipPeers, SayWhetherAnEngineOrAKernelCopies) {
  free_bytes = 1U << 30U;
  const auto copier = [&](std::string_view name, const std::string& value) {
    probe::system::Environment before = environment_;
    environment_.Set(name, value);
    const auto group = Join();
    const std::string found(group ? (*group)->Copier() : "not joined");
    environment_ = before;
    return found;
  };
  EXPECT_EQ(copier("HSA_ENABLE_SDMA", "1"), "sdma");
  EXPECT_EQ(copier("HSA_ENABLE_SDMA", "0"), "kernel");
  EXPECT_EQ(copier("HSA_ENABLE_PEER_SDMA", "0"), "kernel");
  EXPECT_EQ(copier("ROC_P2P_SDMA_SIZE", "65537"), "kernel");
  EXPECT_EQ(copier("ROC_P2P_SDMA_SIZE", "65536"), "sdma");
  free_bytes = kFree;
  EXPECT_EQ(copier("HSA_ENABLE_SDMA", "1"), "kernel") << "of 128 KiB";
}

TEST_F(HipPeers, SumByTheLibraryThatIsInstalled) {
  std::filesystem::copy_file(WHICHGPU_FAKE_RCCL, tree_.At("/lib/librccl.so.1"));
  auto group = Join();
  ASSERT_TRUE(group);
  Fill(**group);
  const auto sum = (*group)->OpenAllReduce();
  ASSERT_TRUE(sum) << probe::Describe(sum.error());
  EXPECT_EQ(*sum, "rccl:all_reduce");
  EXPECT_TRUE((*group)->AllReduce(2));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(LastOf(**group, i), 6U);
}

TEST_F(HipPeers, SayThatThereIsNoLibrary) {
  auto group = Join();
  ASSERT_TRUE(group);
  const auto sum = (*group)->OpenAllReduce();
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().name, "absent");
}

TEST_F(HipPeers, NeedARuntimeThatCopiesBetweenDevices) {
  rt::Api api = FakeRuntime();
  api.hipMemcpyPeer = nullptr;
  const auto group = Join(false, api);
  ASSERT_FALSE(group);
  EXPECT_THAT(group.error().call, HasSubstr("hipMemcpyPeer"));
}

}  // namespace
