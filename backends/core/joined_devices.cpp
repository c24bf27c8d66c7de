// SPDX-License-Identifier: MIT
#include "backends/core/joined_devices.h"

#include <algorithm>
#include <array>
#include <utility>

#include "backends/core/device_pointer.h"
#include "backends/core/nccl.h"
#include "backends/core/sharing.h"
#include "probe/system/clock.h"

namespace backends {
namespace {

constexpr std::uint64_t kMostBytes = 64U << 20U;
constexpr std::uint64_t kShareOfFree = 8;  // an array, of what is free
constexpr std::uint64_t kGranule = 4096;

class JoinedDevices {
 public:
  JoinedDevices(std::shared_ptr<PeerRuntime> runtime, std::vector<JoinedDevice> devices)
      : runtime_(std::move(runtime)), devices_(std::move(devices)) {}

  [[nodiscard]] probe::Status Open();
  [[nodiscard]] probe::Status Write(std::size_t device, PeerGroup::Array array,
                                    std::span<const std::byte> data) const;
  [[nodiscard]] probe::Status ReadTarget(std::size_t device, std::span<std::byte> data) const;
  [[nodiscard]] bool IsDirect(std::size_t from, std::size_t to) const {
    return direct_[from * devices_.size() + to];
  }
  [[nodiscard]] probe::Result<double> Copy(std::size_t from, std::size_t to, std::uint32_t repeats) const;
  [[nodiscard]] probe::Result<AllReduce> OpenAllReduce() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] probe::Status FindRoom();
  [[nodiscard]] probe::Status Allocate();
  void OpenWays();

  const std::shared_ptr<PeerRuntime> runtime_;
  const std::vector<JoinedDevice> devices_;
  std::uint64_t bytes_ = kMostBytes;
  std::vector<std::array<std::uint64_t, 2>> arrays_;  // addresses by PeerGroup::Array
  std::vector<bool> direct_;                          // from * devices + to
};

std::uint64_t In(const std::array<std::uint64_t, 2>& arrays, PeerGroup::Array array) {
  return arrays[array == PeerGroup::Array::kSource ? 0 : 1];
}

probe::Status JoinedDevices::FindRoom() {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (auto entered = runtime_->Enter(i); !entered) return entered;
    const auto free = runtime_->FreeBytes();
    if (!free) return free.error();
    const double allowed = devices_[i].shared ? kBusyMemoryShare / 2 : 1.0 / kShareOfFree;
    bytes_ = std::min(bytes_, static_cast<std::uint64_t>(allowed * static_cast<double>(*free)));
  }
  bytes_ = bytes_ / kGranule * kGranule;
  if (bytes_ == 0)
    return probe::Error{"allocate", std::nullopt, "memory full", "a device has no memory left"};
  return probe::Ok();
}

probe::Status JoinedDevices::Allocate() {
  arrays_.resize(devices_.size());
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (auto entered = runtime_->Enter(i); !entered) return entered;
    for (std::uint64_t& array : arrays_[i]) {
      const auto address = runtime_->Allocate(bytes_);
      if (!address) return address.error();
      array = *address;
    }
  }
  return probe::Ok();
}

void JoinedDevices::OpenWays() {
  direct_.assign(devices_.size() * devices_.size(), false);
  for (std::size_t from = 0; from < devices_.size(); ++from) {
    if (!runtime_->Enter(from)) return;
    for (std::size_t to = 0; to < devices_.size(); ++to)
      direct_[from * devices_.size() + to] = from != to && runtime_->OpenWay(from, to);
  }
}

probe::Status JoinedDevices::Open() {
  if (auto room = FindRoom(); !room) return room;
  if (auto allocated = Allocate(); !allocated) return allocated;
  OpenWays();
  return probe::Ok();
}

probe::Status JoinedDevices::Write(std::size_t device, PeerGroup::Array array,
                                   std::span<const std::byte> data) const {
  if (auto entered = runtime_->Enter(device); !entered) return entered;
  return runtime_->Write(In(arrays_[device], array), data.first(std::min<std::size_t>(data.size(), bytes_)));
}

probe::Status JoinedDevices::ReadTarget(std::size_t device, std::span<std::byte> data) const {
  if (auto entered = runtime_->Enter(device); !entered) return entered;
  return runtime_->Read(In(arrays_[device], PeerGroup::Array::kTarget),
                        data.first(std::min<std::size_t>(data.size(), bytes_)));
}

probe::Result<double> JoinedDevices::Copy(std::size_t from, std::size_t to, std::uint32_t repeats) const {
  if (const auto entered = runtime_->Enter(from); !entered) return entered.error();
  const PeerRuntime::Place source{from, In(arrays_[from], PeerGroup::Array::kSource)};
  const PeerRuntime::Place target{to, In(arrays_[to], PeerGroup::Array::kTarget)};
  const auto start = probe::system::Now();
  probe::Status started = probe::Ok();
  for (std::uint32_t i = 0; i < repeats && started; ++i)
    started = runtime_->StartCopy(target, source, bytes_);
  const auto finished = runtime_->Synchronize();
  const double time_s = probe::system::SecondsSince(start);
  if (!started) return started.error();
  if (!finished) return finished.error();
  return time_s;
}

probe::Result<AllReduce> JoinedDevices::OpenAllReduce() const {
  auto nccl = runtime_->OpenNccl();
  if (!nccl) return nccl.error();
  std::vector<NcclMember> members;
  members.reserve(devices_.size());
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    members.push_back({devices_[i].ordinal, DevicePointer(In(arrays_[i], PeerGroup::Array::kSource)),
                       DevicePointer(In(arrays_[i], PeerGroup::Array::kTarget)),
                       [runtime = runtime_, i] { return runtime->Enter(i); },
                       [runtime = runtime_] { return runtime->CreateStream(); },
                       [runtime = runtime_](void* stream) { return runtime->Wait(stream); }});
  }
  return JoinByNccl(std::move(nccl->implementation), nccl->library, std::move(members), bytes_);
}

}  // namespace

probe::Result<std::unique_ptr<PeerGroup>> JoinDevices(std::shared_ptr<PeerRuntime> runtime,
                                                      std::vector<JoinedDevice> devices) {
  const auto joined = std::make_shared<JoinedDevices>(std::move(runtime), std::move(devices));
  if (const auto status = joined->Open(); !status) return status.error();
  auto group = std::make_unique<PeerGroup>();
  group->bytes = joined->bytes();
  group->write = [joined](std::size_t device, PeerGroup::Array array, std::span<const std::byte> data) {
    return joined->Write(device, array, data);
  };
  group->read_target = [joined](std::size_t device, std::span<std::byte> data) {
    return joined->ReadTarget(device, data);
  };
  group->is_direct = [joined](std::size_t from, std::size_t to) { return joined->IsDirect(from, to); };
  group->copy = [joined](std::size_t from, std::size_t to, std::uint32_t repeats) {
    return joined->Copy(from, to, repeats);
  };
  group->open_all_reduce = [joined] { return joined->OpenAllReduce(); };
  return group;
}

}  // namespace backends
