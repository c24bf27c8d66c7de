// SPDX-License-Identifier: MIT
#include "backends/hip/hip_peers.h"

#include <array>
#include <bit>
#include <utility>

#include "backends/core/device_pointer.h"
#include "probe/system/library.h"

namespace backends::hip {
namespace {

namespace rt = probe::hip;
using rt::ErrorOf;
using rt::kHipSuccess;

constexpr rt::HipResult kPeerAccessAlreadyEnabled = 704;
constexpr std::array<std::string_view, 2> kRcclSonames = {"librccl.so.1", "librccl.so"};

probe::Status StatusOf(std::string_view call, rt::HipResult code) {
  return code == kHipSuccess ? probe::Ok() : probe::Status(ErrorOf(call, code));
}

class HipPeers : public PeerRuntime {
 public:
  HipPeers(const rt::Api& api, const std::vector<JoinedDevice>& devices,
           const probe::system::FileSystem& files, const probe::system::Environment& environment)
      : api_(api), devices_(devices), files_(files), environment_(environment) {}

  probe::Status Enter(std::size_t device) override {
    return StatusOf("hipSetDevice", api_.hipSetDevice(devices_[device].ordinal));
  }

  probe::Result<std::uint64_t> FreeBytes() override {
    std::size_t free = 0, total = 0;
    if (const auto code = api_.hipMemGetInfo(&free, &total); code != kHipSuccess)
      return ErrorOf("hipMemGetInfo", code);
    return std::uint64_t{free};
  }

  probe::Result<std::uint64_t> Allocate(std::uint64_t bytes) override {
    void* pointer = nullptr;
    if (const auto code = api_.hipMalloc(&pointer, bytes); code != kHipSuccess)
      return ErrorOf("hipMalloc", code);
    return std::bit_cast<std::uint64_t>(pointer);
  }

  bool OpenWay(std::size_t from, std::size_t to) override {
    if (api_.hipDeviceCanAccessPeer == nullptr || api_.hipDeviceEnablePeerAccess == nullptr) return false;
    int can = 0;
    const auto asked = api_.hipDeviceCanAccessPeer(&can, devices_[from].ordinal, devices_[to].ordinal);
    if (asked != kHipSuccess || can == 0) return false;
    const auto code = api_.hipDeviceEnablePeerAccess(devices_[to].ordinal, 0);
    return code == kHipSuccess || code == kPeerAccessAlreadyEnabled;
  }

  probe::Status Write(std::uint64_t to, std::span<const std::byte> data) override {
    auto code = api_.hipMemcpy(DevicePointer(to), data.data(), data.size(), rt::kHipHostToDevice);
    if (code == kHipSuccess) code = api_.hipDeviceSynchronize();
    return StatusOf("hipMemcpy to the device", code);
  }

  probe::Status Read(std::uint64_t from, std::span<std::byte> data) override {
    return StatusOf("hipMemcpy to the host",
                    api_.hipMemcpy(data.data(), DevicePointer(from), data.size(), rt::kHipDeviceToHost));
  }

  probe::Status StartCopy(Place to, Place from, std::uint64_t bytes) override {
    return StatusOf("hipMemcpyPeer",
                    api_.hipMemcpyPeer(DevicePointer(to.address), devices_[to.device].ordinal,
                                       DevicePointer(from.address), devices_[from.device].ordinal, bytes));
  }

  probe::Status Synchronize() override {
    return StatusOf("hipDeviceSynchronize", api_.hipDeviceSynchronize());
  }

  probe::Result<Nccl> OpenNccl() override {
    if (api_.hipStreamCreateWithFlags == nullptr || api_.hipStreamSynchronize == nullptr)
      return probe::Error{"dlsym hipStreamCreateWithFlags", std::nullopt, "missing_symbol",
                          "the runtime has no streams"};
    auto library = probe::system::Library::Open(kRcclSonames, rt::LibraryDirectories(files_, environment_),
                                                files_, environment_);
    if (!library) return library.error();
    return Nccl{"rccl:all_reduce", *std::move(library)};
  }

  probe::Result<void*> CreateStream() override {
    rt::HipStream stream = nullptr;
    if (const auto code = api_.hipStreamCreateWithFlags(&stream, rt::kHipStreamNonBlocking);
        code != kHipSuccess)
      return ErrorOf("hipStreamCreateWithFlags", code);
    return static_cast<void*>(stream);
  }

  probe::Status Wait(void* stream) override {
    return StatusOf("hipStreamSynchronize", api_.hipStreamSynchronize(static_cast<rt::HipStream>(stream)));
  }

 private:
  const rt::Api api_;
  const std::vector<JoinedDevice> devices_;
  const probe::system::FileSystem& files_;
  const probe::system::Environment& environment_;
};

}  // namespace

probe::Result<std::unique_ptr<PeerGroup>> JoinPeers(const rt::Api& api,
                                                    const std::vector<JoinedDevice>& devices,
                                                    const probe::system::FileSystem& files,
                                                    const probe::system::Environment& environment) {
  if (api.hipMemcpyPeer == nullptr) {
    return probe::Error{"dlsym hipMemcpyPeer", std::nullopt, "missing_symbol",
                        "the runtime does not copy between devices"};
  }
  return JoinDevices(std::make_shared<HipPeers>(api, devices, files, environment), devices);
}

}  // namespace backends::hip
