// SPDX-License-Identifier: MIT
// Several fake devices at once: copies between them, and the sum that the fake NCCL really computes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "backends/core/peers.h"
#include "backends/cuda/cuda_runtime.h"
#include "backends/stream/stream_peers.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "tests/backends/cuda/opened.h"

namespace {

using backends::Measurement;
using testing::HasSubstr;
using tests::CudaMachine;
namespace machines = tests::machines;

// "<from>><to> <implementation>: <status>" a line, the all-reduce's without a place; with the reason of a
// failure.
std::string Matrix(const CudaMachine& machine) {
  const auto report = machine.Survey();
  return machine.Run([&](const auto& files, const auto& environment) -> std::string {
    backends::MeasureRequest request;
    request.budget_s = 0.1;
    for (std::size_t i = 0; i < report.devices.size(); ++i)
      request.peers.push_back({std::to_string(i), report.devices[i]});
    const backends::OpenRequest open{report.devices[0], std::nullopt, files, environment};
    const auto group = backends::cuda::Describe().open_peers(report.devices, open);
    if (!group) return probe::Describe(group.error());
    std::string out;
    backends::MeasurePeers(
        request, **group,
        [&](const backends::MeasureEvent& event) {
          const auto* m = std::get_if<Measurement>(&event);
          if (m == nullptr) return;
          out += fmt::format("{}>{} {}: {}\n", m->device_id, m->peer_id.value_or("all"), m->implementation,
                             m->status == backends::MeasurementStatus::kOk ? "ok" : m->reason.value_or("?"));
        },
        [now_s = 0.0]() mutable { return now_s += 0.002; });  // whatever this machine is busy with
    return out;
  });
}

std::string Gpu(int number, std::string_view attributes) {
  return fmt::format(R"({{"name": "A100", "pci": "0000:{0:02x}:00.0", "uuid": "{0:032x}",
      "memory_total_bytes": 16777216, "attributes": {{"capability": 80{1}}}}})",
                     number, attributes);
}
std::string Pair(std::string_view of_second = "", std::string_view driver = "") {
  const std::string links = R"(, "nvlinks": 4)";
  return machines::Of(Gpu(1, links) + "," + Gpu(2, links + std::string(of_second)),
                      driver.empty() ? "" : fmt::format(R"(, "attributes": {{{}}})", driver));
}

TEST(CudaPeers, CopyBetweenEachOtherAndAddUp) {
  EXPECT_EQ(Matrix(CudaMachine(Pair())),
            "0>1 own:direct: ok\n1>0 own:direct: ok\n0>all nccl:all_reduce: ok\n");
}

TEST(CudaPeers, WithoutALinkOrWithARefusedOneCopyThroughTheHost) {
  EXPECT_EQ(
      Matrix(CudaMachine(machines::Of(Gpu(1, "") + "," + Gpu(2, "") + "," + Gpu(3, "")))),
      "0>1 own:staged: ok\n0>2 own:staged: ok\n1>0 own:staged: ok\n1>2 own:staged: ok\n2>0 own:staged: ok\n"
      "2>1 own:staged: ok\n0>all nccl:all_reduce: ok\n");
  EXPECT_THAT(Matrix(CudaMachine(Pair(R"(, "peer_refused": 1)"))),
              HasSubstr("0>1 own:staged: ok\n1>0 own:direct: ok\n"));
}

TEST(CudaPeers, ACorruptedCopyIsFoundOut) {
  EXPECT_THAT(Matrix(CudaMachine(Pair(R"(, "peer_corrupts": 1)"))),
              HasSubstr("0>1 own:direct: what arrived on 1 is not what was sent\n1>0 own:direct: ok\n"));
}

TEST(CudaPeers, AWrongSumIsFoundOut) {
  EXPECT_THAT(Matrix(CudaMachine(Pair("", R"("nccl_wrong": 1)"))),
              HasSubstr("nccl:all_reduce: what arrived on 0"));
}

TEST(CudaPeers, ALibraryThatDoesNotJoinSaysSo) {
  EXPECT_THAT(Matrix(CudaMachine(Pair("", R"("nccl_init": 2)"))),
              HasSubstr("ncclCommInitAll: ncclSystemError (2)"));
}

TEST(CudaPeers, OfADriverThatIsTooOldMakeNoContext) {
  static int contexts = 0;
  probe::cuda::Api api;
  api.cuDevicePrimaryCtxRetain = [](probe::cuda::CuContext*, probe::cuda::CuDevice) -> int {
    ++contexts;
    return 2;
  };
  const auto files = probe::system::FileSystem::Open("/");
  const probe::system::Environment environment;
  const std::vector<backends::cuda::OpenedDevice> devices(2);
  const auto join = [&]() -> probe::Status {
    const auto group = backends::stream::JoinDevices(
        std::make_unique<backends::cuda::CudaRuntime>(
            api, devices, backends::OpenRequest{{}, std::nullopt, *files, environment}),
        {false, false});
    return group ? backends::OpenAll(**group, 2) : group.error();
  };
  EXPECT_EQ(join().error().call, "dlsym cuMemcpyPeerAsync");
  EXPECT_EQ(contexts, 0);
  api.cuMemcpyPeerAsync = [](auto...) -> int { return 0; };
  EXPECT_EQ(join().error().call, "cuDevicePrimaryCtxRetain");
  EXPECT_EQ(contexts, 1);
}

TEST(CudaPeers, TakeATwentiethBesideOthers) {
  CudaMachine machine(Pair(R"(, "processes": 1)"));
  const auto report = machine.Survey();
  EXPECT_EQ(machine.Run([&](const auto& files, const auto& environment) -> std::string {
    const backends::OpenRequest open{report.devices[0], std::nullopt, files, environment};
    const auto group = backends::cuda::Describe().open_peers(report.devices, open);
    if (!group) return probe::Describe(group.error());
    const auto opened = backends::OpenAll(**group, report.devices.size());
    return opened ? std::to_string((*group)->bytes()) : probe::Describe(opened.error());
  }),
            std::to_string(16777216 / 40 / 4096 * 4096))
      << "two arrays";
}

}  // namespace
