// SPDX-License-Identifier: MIT
#include "backends/cuda/cuda_peers.h"

#include <array>
#include <utility>
#include <vector>

#include "backends/core/joined_devices.h"
#include "backends/cuda/cuda_open.h"
#include "probe/system/library.h"

namespace backends::cuda {
namespace {

namespace rt = probe::cuda;
using rt::ErrorOf;
using rt::kCuSuccess;

constexpr std::array<std::string_view, 1> kNcclSonames = {"libnccl.so.2"};

probe::Status StatusOf(std::string_view call, rt::CuResult code) {
  return code == kCuSuccess ? probe::Ok() : probe::Status(ErrorOf(call, code));
}

class CudaPeers : public PeerRuntime {
 public:
  CudaPeers(const OpenedDriver& driver, const OpenRequest& request)
      : api_(driver.api), files_(request.files), environment_(request.environment) {}

  // Keeps the device's context.
  [[nodiscard]] probe::Status Add(rt::CuDevice device) {
    Node node{device, nullptr};
    const auto code = api_.cuDevicePrimaryCtxRetain(&node.context, device);
    nodes_.push_back(node);
    return StatusOf("cuDevicePrimaryCtxRetain", code);
  }

  probe::Status Enter(std::size_t device) override {
    return StatusOf("cuCtxSetCurrent", api_.cuCtxSetCurrent(nodes_[device].context));
  }

  probe::Result<std::uint64_t> FreeBytes() override {
    std::size_t free = 0, total = 0;
    if (const auto code = api_.cuMemGetInfo(&free, &total); code != kCuSuccess)
      return ErrorOf("cuMemGetInfo", code);
    return std::uint64_t{free};
  }

  probe::Result<std::uint64_t> Allocate(std::uint64_t bytes) override {
    rt::CuPointer address = 0;
    if (const auto code = api_.cuMemAlloc(&address, bytes); code != kCuSuccess)
      return ErrorOf("cuMemAlloc", code);
    return std::uint64_t{address};
  }

  bool OpenWay(std::size_t from, std::size_t to) override {
    if (api_.cuDeviceCanAccessPeer == nullptr || api_.cuCtxEnablePeerAccess == nullptr) return false;
    int can = 0;
    if (api_.cuDeviceCanAccessPeer(&can, nodes_[from].id, nodes_[to].id) != kCuSuccess || can == 0)
      return false;
    const auto code = api_.cuCtxEnablePeerAccess(nodes_[to].context, 0);
    return code == kCuSuccess || code == rt::kCuErrorPeerAccessAlreadyEnabled;
  }

  probe::Status Write(std::uint64_t to, std::span<const std::byte> data) override {
    auto code = api_.cuMemcpyHtoD(to, data.data(), data.size());
    if (code == kCuSuccess) code = api_.cuCtxSynchronize();
    return StatusOf("cuMemcpyHtoD", code);
  }

  probe::Status Read(std::uint64_t from, std::span<std::byte> data) override {
    return StatusOf("cuMemcpyDtoH", api_.cuMemcpyDtoH(data.data(), from, data.size()));
  }

  probe::Status StartCopy(Place to, Place from, std::uint64_t bytes) override {
    return StatusOf("cuMemcpyPeerAsync",
                    api_.cuMemcpyPeerAsync(to.address, nodes_[to.device].context, from.address,
                                           nodes_[from.device].context, bytes, nullptr));
  }

  probe::Status Synchronize() override { return StatusOf("cuCtxSynchronize", api_.cuCtxSynchronize()); }

  probe::Result<Nccl> OpenNccl() override {
    if (api_.cuStreamCreate == nullptr || api_.cuStreamSynchronize == nullptr)
      return probe::Error{"dlsym cuStreamCreate", std::nullopt, "missing_symbol",
                          "the driver is too old for NCCL"};
    auto library = probe::system::Library::Open(kNcclSonames, rt::LibraryDirectories(files_, environment_),
                                                files_, environment_);
    if (!library) return library.error();
    return Nccl{"nccl:all_reduce", *std::move(library)};
  }

  probe::Result<void*> CreateStream() override {
    rt::CuStream stream = nullptr;
    if (const auto code = api_.cuStreamCreate(&stream, rt::kCuStreamNonBlocking); code != kCuSuccess)
      return ErrorOf("cuStreamCreate", code);
    return static_cast<void*>(stream);
  }

  probe::Status Wait(void* stream) override {
    return StatusOf("cuStreamSynchronize", api_.cuStreamSynchronize(static_cast<rt::CuStream>(stream)));
  }

 private:
  struct Node {
    rt::CuDevice id;
    rt::CuContext context;
  };

  const rt::Api api_;
  const probe::system::FileSystem& files_;
  const probe::system::Environment& environment_;
  std::vector<Node> nodes_;
};

}  // namespace

probe::Result<std::unique_ptr<PeerGroup>> OpenPeers(std::span<const probe::RuntimeDevice> devices,
                                                    const OpenRequest& request) {
  auto driver = OpenShowing(devices, request.files, request.environment);
  if (!driver) return driver.error();
  if (driver->api.cuMemcpyPeerAsync == nullptr) {
    return probe::Error{"dlsym cuMemcpyPeerAsync", std::nullopt, "missing_symbol",
                        "the driver is too old to copy between devices"};
  }
  auto peers = std::make_shared<CudaPeers>(*driver, request);
  std::vector<JoinedDevice> joined;
  for (const OpenedDevice& device : driver->devices) {
    if (const auto status = peers->Add(device.id); !status) return status.error();
    joined.push_back({static_cast<int>(device.found.ordinal), !rt::DescribeLoad(device.load).empty()});
  }
  return JoinDevices(std::move(peers), std::move(joined));
}

}  // namespace backends::cuda
