// SPDX-License-Identifier: MIT
#include "backends/stream/stream_peers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "backends/core/sharing.h"
#include "probe/system/clock.h"

namespace backends::stream {
namespace {

constexpr std::uint64_t kMostBytes = 64U << 20U;
constexpr std::uint64_t kShareOfFree = 8;  // an array, of what is free
constexpr std::uint64_t kGranule = 4096;

struct NcclFunctions {
#define WHICHGPU_NCCL_SYMBOL(name, ...) int (*name)(__VA_ARGS__) = nullptr;
#include "backends/stream/nccl_symbols.def"
#undef WHICHGPU_NCCL_SYMBOL
};

// The error names the first symbol that the library lacks.
probe::Result<NcclFunctions> Resolve(const probe::system::Library& library) {
  NcclFunctions functions;
#define WHICHGPU_NCCL_SYMBOL(name, ...)                           \
  functions.name = library.Function<int (*)(__VA_ARGS__)>(#name); \
  if (functions.name == nullptr)                                  \
    return probe::Error{"dlsym " #name, std::nullopt, "missing_symbol", "this library is too old"};
#include "backends/stream/nccl_symbols.def"
#undef WHICHGPU_NCCL_SYMBOL
  return functions;
}

probe::Status NcclStatus(std::string_view call, int result) {
  return result == 0 ? probe::Ok() : probe::Status(NcclErrorOf(call, result));
}

class StreamPeers final : public PeerGroup {
 public:
  StreamPeers(std::unique_ptr<Runtime> runtime, std::vector<bool> shared)
      : runtime_(std::move(runtime)),
        shared_(std::move(shared)),
        devices_(shared_.size()),
        direct_(shared_.size() * shared_.size(), false) {}

  [[nodiscard]] probe::Status Open(std::size_t device, Opening step) override;
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] probe::Status Write(std::size_t device, Array array,
                                    std::span<const std::byte> data) override;
  [[nodiscard]] probe::Status ReadTarget(std::size_t device, std::span<std::byte> data) override;
  [[nodiscard]] bool IsDirect(std::size_t from, std::size_t to) const override {
    return direct_[from * devices_.size() + to];
  }
  [[nodiscard]] std::string_view Copier() const override { return runtime_->CopierOf(bytes_); }
  [[nodiscard]] probe::Result<double> Copy(std::size_t from, std::size_t to, std::uint32_t repeats) override;
  [[nodiscard]] probe::Result<std::string> OpenAllReduce() override;
  [[nodiscard]] probe::Result<double> AllReduce(std::uint32_t repeats) override;
  [[nodiscard]] bool IsLost() const override { return lost_; }

 private:
  struct Device {
    std::uint64_t source = 0, target = 0;  // addresses
    void* stream = nullptr;                // on which it adds up, as a member of
    void* communicator = nullptr;
  };
  [[nodiscard]] probe::Status FindRoom(std::size_t device);
  [[nodiscard]] probe::Status Allocate(Device& device);
  [[nodiscard]] probe::Status StartAllReduce() const;
  template <class T>
  [[nodiscard]] probe::Result<T> Watched(probe::Result<T> result) {
    lost_ = lost_ || runtime_->Ended(result);
    return result;
  }

  const std::unique_ptr<Runtime> runtime_;
  const std::vector<bool> shared_;  // with others, by device
  std::vector<Device> devices_;
  std::vector<bool> direct_;  // from * devices + to
  std::uint64_t bytes_ = kMostBytes;
  NcclFunctions nccl_;
  bool lost_ = false;
};

probe::Status StreamPeers::Open(std::size_t device, Opening step) {
  if (auto entered = Watched(runtime_->Enter(device)); !entered) return entered;
  switch (step) {
    case Opening::kContext:
      return Watched(FindRoom(device));
    case Opening::kArrays:
      return Watched(Allocate(devices_[device]));
    case Opening::kWays:
      for (std::size_t to = 0; to < devices_.size(); ++to)
        direct_[device * devices_.size() + to] = device != to && runtime_->OpenWay(device, to);
      return probe::Ok();
  }
  return probe::Ok();
}

probe::Status StreamPeers::FindRoom(std::size_t device) {
  const auto memory = runtime_->AskMemory();
  if (!memory) return memory.error();
  const double allowed = shared_[device] ? kBusyMemoryPercent / 200.0 : 1.0 / kShareOfFree;
  const auto bytes = static_cast<std::uint64_t>(allowed * static_cast<double>(memory->free_bytes));
  bytes_ = std::min(bytes_, bytes / kGranule * kGranule);
  if (bytes_ == 0 && shared_[device])
    return probe::Own(probe::OwnError::kLeftToOthers, "", "others leave a device no memory for an array");
  if (bytes_ == 0)
    return probe::Error{"allocate", std::nullopt, "memory full", "a device has no memory left"};
  return probe::Ok();
}

probe::Status StreamPeers::Allocate(Device& device) {
  for (std::uint64_t* array : {&device.source, &device.target}) {
    const auto address = runtime_->Allocate(bytes_);
    if (!address) return address.error();
    *array = *address;
  }
  return probe::Ok();
}

probe::Status StreamPeers::Write(std::size_t device, Array array, std::span<const std::byte> data) {
  if (auto entered = runtime_->Enter(device); !entered) return entered;
  const Device& to = devices_[device];
  return Watched(runtime_->Write(array == Array::kSource ? to.source : to.target,
                                 data.first(std::min<std::size_t>(data.size(), bytes_))));
}

probe::Status StreamPeers::ReadTarget(std::size_t device, std::span<std::byte> data) {
  if (auto entered = runtime_->Enter(device); !entered) return entered;
  return Watched(
      runtime_->Read(devices_[device].target, data.first(std::min<std::size_t>(data.size(), bytes_))));
}

probe::Result<double> StreamPeers::Copy(std::size_t from, std::size_t to, std::uint32_t repeats) {
  if (const auto entered = runtime_->Enter(from); !entered) return entered.error();
  const auto start = probe::system::Now();
  probe::Status started = probe::Ok();
  for (std::uint32_t i = 0; i < repeats && started; ++i)
    started = runtime_->StartCopy({to, devices_[to].target}, {from, devices_[from].source}, bytes_);
  const auto finished = Watched(runtime_->Synchronize());
  const double time_s = probe::system::SecondsSince(start);
  if (!Watched(started)) return started.error();
  if (!finished) return finished.error();
  return time_s;
}

// Joining takes the library seconds.
probe::Result<std::string> StreamPeers::OpenAllReduce() {
  auto nccl = runtime_->OpenNccl();
  if (!nccl) return nccl.error();
  const auto functions = Resolve(nccl->library);
  if (!functions) return functions.error();
  nccl_ = *functions;
  std::vector<int> ordinals;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (const auto entered = runtime_->Enter(i); !entered) return entered.error();
    const auto stream = runtime_->CreateStream();
    if (!stream) return stream.error();
    devices_[i].stream = *stream;
    ordinals.push_back(runtime_->OrdinalOf(i));
  }
  std::vector<void*> communicators(devices_.size());
  const int result =
      nccl_.ncclCommInitAll(communicators.data(), static_cast<int>(ordinals.size()), ordinals.data());
  if (const auto joined = NcclStatus("ncclCommInitAll", result); !joined) return joined.error();
  for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i].communicator = communicators[i];
  return std::move(nccl->implementation);
}

probe::Status StreamPeers::StartAllReduce() const {
  int result = nccl_.ncclGroupStart();
  for (const Device& device : devices_) {
    if (result != 0) break;
    result = nccl_.ncclAllReduce(DevicePointer(device.source), DevicePointer(device.target),
                                 bytes_ / sizeof(std::uint32_t), kNcclUint32, kNcclSum, device.communicator,
                                 device.stream);
  }
  // Also after an error: a group that is left open takes every later call.
  const int ended = nccl_.ncclGroupEnd();
  return NcclStatus("ncclAllReduce", result == 0 ? ended : result);
}

probe::Result<double> StreamPeers::AllReduce(std::uint32_t repeats) {
  const auto start = probe::system::Now();
  for (std::uint32_t i = 0; i < repeats; ++i) {
    if (const auto started = StartAllReduce(); !started) return started.error();
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (const auto entered = runtime_->Enter(i); !entered) return entered.error();
    if (const auto waited = Watched(runtime_->Wait(devices_[i].stream)); !waited) return waited.error();
  }
  return probe::system::SecondsSince(start);
}

}  // namespace

probe::Error NcclErrorOf(std::string_view call, int result) {
  constexpr std::array<std::string_view, 9> kNames = {
      "ncclSuccess",       "ncclUnhandledCudaError", "ncclSystemError",
      "ncclInternalError", "ncclInvalidArgument",    "ncclInvalidUsage",
      "ncclRemoteError",   "ncclInProgress",         "ncclTimeout"};
  const auto index = static_cast<std::size_t>(result);
  return {
      std::string(call), result, std::string(index < kNames.size() ? kNames[index] : "unknown error"), {}};
}

probe::Result<std::unique_ptr<PeerGroup>> JoinDevices(std::unique_ptr<Runtime> runtime,
                                                      const std::vector<bool>& shared) {
  if (const auto can = runtime->CheckPeerCopies(); !can) return can.error();
  return std::unique_ptr<PeerGroup>(std::make_unique<StreamPeers>(std::move(runtime), shared));
}

}  // namespace backends::stream
