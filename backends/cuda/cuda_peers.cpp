// SPDX-License-Identifier: MIT
#include "backends/cuda/cuda_peers.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "backends/core/nccl.h"
#include "backends/core/sharing.h"
#include "backends/cuda/cuda_open.h"
#include "probe/system/clock.h"
#include "probe/system/library.h"

namespace backends::cuda {
namespace {

namespace rt = probe::cuda;
using rt::ErrorOf;
using rt::kCuSuccess;

constexpr std::uint64_t kMostBytes = 64U << 20U;
constexpr std::uint64_t kShareOfFree = 8;  // an array, of what is free
constexpr std::uint64_t kGranule = 4096;

constexpr std::array<std::string_view, 1> kNcclSonames = {"libnccl.so.2"};

struct Node {
  int ordinal = 0;  // CUDA's number in this process
  rt::CuDevice id = 0;
  rt::CuContext context = nullptr;
  rt::CuPointer source = 0;
  rt::CuPointer target = 0;
  bool shared = false;
};

// Of the device, as a library takes it.
void* Address(rt::CuPointer pointer) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(pointer));  // NOLINT(performance-no-int-to-ptr)
}

class CudaPeers {
 public:
  [[nodiscard]] static probe::Result<std::shared_ptr<CudaPeers>> Create(const OpenedDriver& driver);
  [[nodiscard]] probe::Status Write(std::size_t device, PeerGroup::Array array,
                                    std::span<const std::byte> data);
  [[nodiscard]] probe::Status ReadTarget(std::size_t device, std::span<std::byte> data);
  [[nodiscard]] bool IsDirect(std::size_t from, std::size_t to) const;
  [[nodiscard]] probe::Result<double> Copy(std::size_t from, std::size_t to, std::uint32_t repeats);
  [[nodiscard]] probe::Result<AllReduce> OpenAllReduce(const probe::system::FileSystem& files,
                                                       const probe::system::Environment& environment) const;
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
  node.ordinal = static_cast<int>(device.found.ordinal);
  node.shared = !rt::DescribeLoad(device.load).empty();
  if (const auto code = api_.cuDevicePrimaryCtxRetain(&node.context, device.id); code != kCuSuccess)
    return ErrorOf("cuDevicePrimaryCtxRetain", code);
  if (const auto code = api_.cuCtxSetCurrent(node.context); code != kCuSuccess)
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
    for (rt::CuPointer* array : {&nodes_[i].source, &nodes_[i].target}) {
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
      const auto code = api_.cuCtxEnablePeerAccess(nodes_[to].context, 0);
      direct_[from * nodes_.size() + to] = code == kCuSuccess || code == rt::kCuErrorPeerAccessAlreadyEnabled;
    }
  }
}

probe::Status CudaPeers::Enter(std::size_t device) const {
  const auto code = api_.cuCtxSetCurrent(nodes_[device].context);
  return code == kCuSuccess ? probe::Ok() : probe::Status(ErrorOf("cuCtxSetCurrent", code));
}

bool CudaPeers::IsDirect(std::size_t from, std::size_t to) const {
  return direct_[from * nodes_.size() + to];
}

probe::Status CudaPeers::Write(std::size_t device, PeerGroup::Array array, std::span<const std::byte> data) {
  if (auto entered = Enter(device); !entered) return entered;
  const auto& node = nodes_[device];
  auto code = api_.cuMemcpyHtoD(array == PeerGroup::Array::kSource ? node.source : node.target, data.data(),
                                std::min<std::size_t>(data.size(), bytes_));
  if (code == kCuSuccess) code = api_.cuCtxSynchronize();
  return code == kCuSuccess ? probe::Ok() : probe::Status(ErrorOf("cuMemcpyHtoD", code));
}

probe::Status CudaPeers::ReadTarget(std::size_t device, std::span<std::byte> data) {
  if (auto entered = Enter(device); !entered) return entered;
  const auto code =
      api_.cuMemcpyDtoH(data.data(), nodes_[device].target, std::min<std::size_t>(data.size(), bytes_));
  return code == kCuSuccess ? probe::Ok() : probe::Status(ErrorOf("cuMemcpyDtoH", code));
}

probe::Result<double> CudaPeers::Copy(std::size_t from, std::size_t to, std::uint32_t repeats) {
  if (const auto entered = Enter(from); !entered) return entered.error();
  const auto& source = nodes_[from];
  const auto& target = nodes_[to];
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
                                                  const probe::system::Environment& environment) const {
  if (api_.cuStreamCreate == nullptr || api_.cuStreamSynchronize == nullptr)
    return probe::Error{"dlsym cuStreamCreate", std::nullopt, "missing_symbol",
                        "the driver is too old for NCCL"};
  const auto library = probe::system::Library::Open(kNcclSonames, rt::LibraryDirectories(files, environment),
                                                    files, environment);
  if (!library) return library.error();
  std::vector<NcclMember> members;
  members.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    members.push_back({nodes_[i].ordinal, Address(nodes_[i].source), Address(nodes_[i].target),
                       [this, i] { return Enter(i); },
                       [this]() -> probe::Result<void*> {
                         rt::CuStream stream = nullptr;
                         const auto code = api_.cuStreamCreate(&stream, rt::kCuStreamNonBlocking);
                         if (code != kCuSuccess) return ErrorOf("cuStreamCreate", code);
                         return static_cast<void*>(stream);
                       },
                       [this](void* stream) -> probe::Status {
                         const auto code = api_.cuStreamSynchronize(static_cast<rt::CuStream>(stream));
                         if (code != kCuSuccess) return ErrorOf("cuStreamSynchronize", code);
                         return probe::Ok();
                       }});
  }
  return JoinByNccl("nccl:all_reduce", *library, std::move(members), bytes_);
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
