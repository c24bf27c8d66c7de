// SPDX-License-Identifier: MIT
#include "backends/hip/hip_peers.h"

#include <algorithm>
#include <array>

#include "backends/core/nccl.h"
#include "backends/core/sharing.h"
#include "probe/system/clock.h"
#include "probe/system/library.h"

namespace backends::hip {
namespace {

namespace rt = probe::hip;
using rt::ErrorOf;
using rt::kHipSuccess;

constexpr std::uint64_t kMostBytes = 64U << 20U;
constexpr std::uint64_t kShareOfFree = 8;  // an array, of what is free
constexpr std::uint64_t kGranule = 4096;
constexpr rt::HipResult kPeerAccessAlreadyEnabled = 704;
constexpr std::array<std::string_view, 2> kRcclSonames = {"librccl.so.1", "librccl.so"};

struct Node {
  int ordinal = 0;  // HIP's number in this process
  void* source = nullptr;
  void* target = nullptr;
};

class HipPeers {
 public:
  explicit HipPeers(const rt::Api& api) : api_(api) {}

  [[nodiscard]] probe::Status Open(const std::vector<PeerDevice>& devices);
  [[nodiscard]] probe::Status Write(std::size_t device, PeerGroup::Array array,
                                    std::span<const std::byte> data) const;
  [[nodiscard]] probe::Status ReadTarget(std::size_t device, std::span<std::byte> data) const;
  [[nodiscard]] probe::Result<double> Copy(std::size_t from, std::size_t to, std::uint32_t repeats) const;
  [[nodiscard]] bool IsDirect(std::size_t from, std::size_t to) const {
    return direct_[from * nodes_.size() + to];
  }
  [[nodiscard]] probe::Result<AllReduce> OpenAllReduce(const probe::system::FileSystem& files,
                                                       const probe::system::Environment& environment) const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] probe::Status Enter(std::size_t device) const;
  [[nodiscard]] probe::Status FindRoom(const PeerDevice& device);
  [[nodiscard]] probe::Status Allocate();
  void Join();

  const rt::Api api_;
  std::uint64_t bytes_ = kMostBytes;
  std::vector<Node> nodes_;
  std::vector<bool> direct_;  // from * nodes + to
};

probe::Status HipPeers::Enter(std::size_t device) const {
  const auto code = api_.hipSetDevice(nodes_[device].ordinal);
  return code == kHipSuccess ? probe::Ok() : probe::Status(ErrorOf("hipSetDevice", code));
}

probe::Status HipPeers::FindRoom(const PeerDevice& device) {
  std::size_t free = 0;
  std::size_t total = 0;
  if (const auto code = api_.hipMemGetInfo(&free, &total); code != kHipSuccess)
    return ErrorOf("hipMemGetInfo", code);
  const double allowed = device.shared ? kBusyMemoryShare / 2 : 1.0 / kShareOfFree;
  bytes_ = std::min(bytes_, static_cast<std::uint64_t>(allowed * static_cast<double>(free)));
  return probe::Ok();
}

probe::Status HipPeers::Allocate() {
  bytes_ = bytes_ / kGranule * kGranule;
  if (bytes_ == 0)
    return probe::Error{"hipMalloc", std::nullopt, "memory full", "a device has no memory left"};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (auto entered = Enter(i); !entered) return entered;
    for (void** array : {&nodes_[i].source, &nodes_[i].target}) {
      if (const auto code = api_.hipMalloc(array, bytes_); code != kHipSuccess)
        return ErrorOf("hipMalloc", code);
    }
  }
  return probe::Ok();
}

// Asks for every direct way that the runtime claims; one that it then refuses is none.
void HipPeers::Join() {
  direct_.assign(nodes_.size() * nodes_.size(), false);
  if (api_.hipDeviceCanAccessPeer == nullptr || api_.hipDeviceEnablePeerAccess == nullptr) return;
  for (std::size_t from = 0; from < nodes_.size(); ++from) {
    if (!Enter(from)) return;
    for (std::size_t to = 0; to < nodes_.size(); ++to) {
      int can = 0;
      if (from == to ||
          api_.hipDeviceCanAccessPeer(&can, nodes_[from].ordinal, nodes_[to].ordinal) != kHipSuccess ||
          can == 0)
        continue;
      const auto code = api_.hipDeviceEnablePeerAccess(nodes_[to].ordinal, 0);
      direct_[from * nodes_.size() + to] = code == kHipSuccess || code == kPeerAccessAlreadyEnabled;
    }
  }
}

probe::Status HipPeers::Open(const std::vector<PeerDevice>& devices) {
  for (const PeerDevice& device : devices) {
    nodes_.push_back({device.ordinal, nullptr, nullptr});
    if (auto entered = Enter(nodes_.size() - 1); !entered) return entered;
    if (auto room = FindRoom(device); !room) return room;
  }
  if (auto allocated = Allocate(); !allocated) return allocated;
  Join();
  return probe::Ok();
}

probe::Status HipPeers::Write(std::size_t device, PeerGroup::Array array,
                              std::span<const std::byte> data) const {
  if (auto entered = Enter(device); !entered) return entered;
  void* to = array == PeerGroup::Array::kSource ? nodes_[device].source : nodes_[device].target;
  auto code =
      api_.hipMemcpy(to, data.data(), std::min<std::size_t>(data.size(), bytes_), rt::kHipHostToDevice);
  if (code == kHipSuccess) code = api_.hipDeviceSynchronize();
  return code == kHipSuccess ? probe::Ok() : probe::Status(ErrorOf("hipMemcpy to the device", code));
}

probe::Status HipPeers::ReadTarget(std::size_t device, std::span<std::byte> data) const {
  if (auto entered = Enter(device); !entered) return entered;
  const auto code = api_.hipMemcpy(data.data(), nodes_[device].target,
                                   std::min<std::size_t>(data.size(), bytes_), rt::kHipDeviceToHost);
  return code == kHipSuccess ? probe::Ok() : probe::Status(ErrorOf("hipMemcpy to the host", code));
}

probe::Result<double> HipPeers::Copy(std::size_t from, std::size_t to, std::uint32_t repeats) const {
  if (const auto entered = Enter(from); !entered) return entered.error();
  const auto start = probe::system::Now();
  auto code = kHipSuccess;
  for (std::uint32_t i = 0; i < repeats && code == kHipSuccess; ++i) {
    code = api_.hipMemcpyPeer(nodes_[to].target, nodes_[to].ordinal, nodes_[from].source,
                              nodes_[from].ordinal, bytes_);
  }
  const auto finished = api_.hipDeviceSynchronize();
  const double time_s = probe::system::SecondsSince(start);
  if (code != kHipSuccess) return ErrorOf("hipMemcpyPeer", code);
  if (finished != kHipSuccess) return ErrorOf("hipDeviceSynchronize", finished);
  return time_s;
}

probe::Result<AllReduce> HipPeers::OpenAllReduce(const probe::system::FileSystem& files,
                                                 const probe::system::Environment& environment) const {
  if (api_.hipStreamCreateWithFlags == nullptr || api_.hipStreamSynchronize == nullptr)
    return probe::Error{"dlsym hipStreamCreateWithFlags", std::nullopt, "missing_symbol",
                        "the runtime has no streams"};
  const auto library = probe::system::Library::Open(kRcclSonames, rt::LibraryDirectories(files, environment),
                                                    files, environment);
  if (!library) return library.error();
  std::vector<NcclMember> members;
  members.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    members.push_back({nodes_[i].ordinal, nodes_[i].source, nodes_[i].target, [this, i] { return Enter(i); },
                       [this]() -> probe::Result<void*> {
                         rt::HipStream stream = nullptr;
                         const auto code = api_.hipStreamCreateWithFlags(&stream, rt::kHipStreamNonBlocking);
                         if (code != kHipSuccess) return ErrorOf("hipStreamCreateWithFlags", code);
                         return static_cast<void*>(stream);
                       },
                       [this](void* stream) -> probe::Status {
                         const auto code = api_.hipStreamSynchronize(static_cast<rt::HipStream>(stream));
                         if (code != kHipSuccess) return ErrorOf("hipStreamSynchronize", code);
                         return probe::Ok();
                       }});
  }
  return JoinByNccl("rccl:all_reduce", *library, std::move(members), bytes_);
}

}  // namespace

probe::Result<std::unique_ptr<PeerGroup>> JoinPeers(const rt::Api& api,
                                                    const std::vector<PeerDevice>& devices,
                                                    const probe::system::FileSystem& files,
                                                    const probe::system::Environment& environment) {
  if (api.hipMemcpyPeer == nullptr) {
    return probe::Error{"dlsym hipMemcpyPeer", std::nullopt, "missing_symbol",
                        "the runtime does not copy between devices"};
  }
  const auto peers = std::make_shared<HipPeers>(api);
  if (const auto status = peers->Open(devices); !status) return status.error();
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
  group->open_all_reduce = [peers, &files, &environment] { return peers->OpenAllReduce(files, environment); };
  return group;
}

}  // namespace backends::hip
