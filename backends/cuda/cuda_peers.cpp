// SPDX-License-Identifier: MIT
#include "backends/cuda/cuda_peers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/core/sharing.h"
#include "backends/cuda/cuda_open.h"
#include "backends/cuda/nccl.h"
#include "probe/system/clock.h"

namespace backends::cuda {
namespace {

namespace rt = probe::cuda;
using rt::ErrorOf;
using rt::kCuSuccess;

constexpr std::uint64_t kMostBytes = 64U << 20U;
constexpr std::uint64_t kShareOfFree = 8;  // an array, of what is free
constexpr std::uint64_t kGranule = 4096;

struct Node {
  NcclDevice device;  // its source and target are the arrays
  rt::CuDevice id = 0;
  bool shared = false;
};

class CudaPeers {
 public:
  [[nodiscard]] static probe::Result<std::shared_ptr<CudaPeers>> Create(const OpenedDriver& driver);
  [[nodiscard]] probe::Status Write(std::size_t device, PeerGroup::Array array,
                                    std::span<const std::byte> data);
  [[nodiscard]] probe::Status ReadTarget(std::size_t device, std::span<std::byte> data);
  [[nodiscard]] bool IsDirect(std::size_t from, std::size_t to) const;
  [[nodiscard]] probe::Result<double> Copy(std::size_t from, std::size_t to, std::uint32_t repeats);
  [[nodiscard]] probe::Result<AllReduce> OpenAllReduce(const probe::system::FileSystem& files,
                                                       const probe::system::Environment& environment);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  explicit CudaPeers(const rt::Api& api) : api_(api) {}
  [[nodiscard]] probe::Status Open(const OpenedDevice& device);
  [[nodiscard]] probe::Status Allocate();
  void Join();
  [[nodiscard]] probe::Status Enter(std::size_t device) const;

  const rt::Api api_;
  std::uint64_t bytes_ = kMostBytes;
  std::vector<Node> nodes_;
  std::vector<bool> direct_;  // from * nodes + to
};

probe::Result<std::shared_ptr<CudaPeers>> CudaPeers::Create(const OpenedDriver& driver) {
  if (driver.api.cuMemcpyPeerAsync == nullptr) {
    return probe::Error{"dlsym cuMemcpyPeerAsync", std::nullopt, "missing_symbol",
                        "the driver is too old to copy between devices"};
  }
  std::shared_ptr<CudaPeers> peers(new CudaPeers(driver.api));
  for (const OpenedDevice& device : driver.devices) {
    if (const auto status = peers->Open(device); !status) return status.error();
  }
  if (const auto status = peers->Allocate(); !status) return status.error();
  peers->Join();
  return peers;
}

probe::Status CudaPeers::Open(const OpenedDevice& device) {
  Node node;
  node.id = device.id;
  node.device.ordinal = static_cast<int>(device.found.ordinal);
  node.shared = !rt::DescribeLoad(device.load).empty();
  if (const auto code = api_.cuDevicePrimaryCtxRetain(&node.device.context, device.id); code != kCuSuccess)
    return ErrorOf("cuDevicePrimaryCtxRetain", code);
  if (const auto code = api_.cuCtxSetCurrent(node.device.context); code != kCuSuccess)
    return ErrorOf("cuCtxSetCurrent", code);
  std::size_t free = 0;
  std::size_t total = 0;
  if (const auto code = api_.cuMemGetInfo(&free, &total); code != kCuSuccess)
    return ErrorOf("cuMemGetInfo", code);
  const double allowed = node.shared ? kBusyMemoryShare / 2 : 1.0 / kShareOfFree;
  bytes_ = std::min(bytes_, static_cast<std::uint64_t>(allowed * static_cast<double>(free)));
  nodes_.push_back(node);
  return probe::Ok();
}

probe::Status CudaPeers::Allocate() {
  bytes_ = bytes_ / kGranule * kGranule;
  if (bytes_ == 0)
    return probe::Error{"cuMemAlloc", std::nullopt, "memory full", "a device has no memory left"};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (auto entered = Enter(i); !entered) return entered;
    for (rt::CuPointer* array : {&nodes_[i].device.source, &nodes_[i].device.target}) {
      if (const auto code = api_.cuMemAlloc(array, bytes_); code != kCuSuccess)
        return ErrorOf("cuMemAlloc", code);
    }
  }
  return probe::Ok();
}

// Asks for every direct way that the driver claims; one that it then refuses is none.
void CudaPeers::Join() {
  direct_.assign(nodes_.size() * nodes_.size(), false);
  if (api_.cuDeviceCanAccessPeer == nullptr || api_.cuCtxEnablePeerAccess == nullptr) return;
  for (std::size_t from = 0; from < nodes_.size(); ++from) {
    if (!Enter(from)) return;
    for (std::size_t to = 0; to < nodes_.size(); ++to) {
      int can = 0;
      if (from == to || api_.cuDeviceCanAccessPeer(&can, nodes_[from].id, nodes_[to].id) != kCuSuccess ||
          can == 0)
        continue;
      const auto code = api_.cuCtxEnablePeerAccess(nodes_[to].device.context, 0);
      direct_[from * nodes_.size() + to] = code == kCuSuccess || code == rt::kCuErrorPeerAccessAlreadyEnabled;
    }
  }
}

probe::Status CudaPeers::Enter(std::size_t device) const {
  const auto code = api_.cuCtxSetCurrent(nodes_[device].device.context);
  return code == kCuSuccess ? probe::Ok() : probe::Status(ErrorOf("cuCtxSetCurrent", code));
}

bool CudaPeers::IsDirect(std::size_t from, std::size_t to) const {
  return direct_[from * nodes_.size() + to];
}

probe::Status CudaPeers::Write(std::size_t device, PeerGroup::Array array, std::span<const std::byte> data) {
  if (auto entered = Enter(device); !entered) return entered;
  const auto& node = nodes_[device].device;
  auto code = api_.cuMemcpyHtoD(array == PeerGroup::Array::kSource ? node.source : node.target, data.data(),
                                std::min<std::size_t>(data.size(), bytes_));
  if (code == kCuSuccess) code = api_.cuCtxSynchronize();
  return code == kCuSuccess ? probe::Ok() : probe::Status(ErrorOf("cuMemcpyHtoD", code));
}

probe::Status CudaPeers::ReadTarget(std::size_t device, std::span<std::byte> data) {
  if (auto entered = Enter(device); !entered) return entered;
  const auto code = api_.cuMemcpyDtoH(data.data(), nodes_[device].device.target,
                                      std::min<std::size_t>(data.size(), bytes_));
  return code == kCuSuccess ? probe::Ok() : probe::Status(ErrorOf("cuMemcpyDtoH", code));
}

probe::Result<double> CudaPeers::Copy(std::size_t from, std::size_t to, std::uint32_t repeats) {
  if (const auto entered = Enter(from); !entered) return entered.error();
  const auto& source = nodes_[from].device;
  const auto& target = nodes_[to].device;
  const auto start = probe::system::Now();
  auto code = kCuSuccess;
  for (std::uint32_t i = 0; i < repeats && code == kCuSuccess; ++i) {
    code =
        api_.cuMemcpyPeerAsync(target.target, target.context, source.source, source.context, bytes_, nullptr);
  }
  const auto finished = api_.cuCtxSynchronize();
  const double time_s = probe::system::SecondsSince(start);
  if (code != kCuSuccess) return ErrorOf("cuMemcpyPeerAsync", code);
  if (finished != kCuSuccess) return ErrorOf("cuCtxSynchronize", finished);
  return time_s;
}

probe::Result<AllReduce> CudaPeers::OpenAllReduce(const probe::system::FileSystem& files,
                                                  const probe::system::Environment& environment) {
  std::vector<NcclDevice> devices;
  devices.reserve(nodes_.size());
  for (const Node& node : nodes_) devices.push_back(node.device);
  return OpenNccl(api_, devices, bytes_, files, environment);
}

}  // namespace

probe::Result<std::unique_ptr<PeerGroup>> OpenPeers(std::span<const probe::RuntimeDevice> devices,
                                                    const OpenRequest& request) {
  auto driver = OpenShowing(devices, request.files, request.environment);
  if (!driver) return driver.error();
  const auto created = CudaPeers::Create(*driver);
  if (!created) return created.error();
  const auto& peers = *created;
  auto group = std::make_unique<PeerGroup>();
  group->bytes = peers->bytes();
  group->write = [peers](std::size_t device, PeerGroup::Array array, std::span<const std::byte> data) {
    return peers->Write(device, array, data);
  };
  group->read_target = [peers](std::size_t device, std::span<std::byte> data) {
    return peers->ReadTarget(device, data);
  };
  group->is_direct = [peers](std::size_t from, std::size_t to) { return peers->IsDirect(from, to); };
  group->copy = [peers](std::size_t from, std::size_t to, std::uint32_t repeats) {
    return peers->Copy(from, to, repeats);
  };
  group->open_all_reduce = [peers, &request] {
    return peers->OpenAllReduce(request.files, request.environment);
  };
  return group;
}

}  // namespace backends::cuda
