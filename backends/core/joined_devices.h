// SPDX-License-Identifier: MIT
// Opens the devices of a runtime in which every device is made current by a call, as CUDA and HIP have it,
// for copies between them and a library's all-reduce. Makes no call of a driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/core/peers.h"
#include "probe/system/library.h"

namespace backends {

// A runtime's calls. Devices are named by their place among those that are joined; what names none is done on
// the device that was entered last. Addresses are the device's.
class PeerRuntime {
 public:
  PeerRuntime() = default;
  PeerRuntime(const PeerRuntime&) = delete;
  PeerRuntime& operator=(const PeerRuntime&) = delete;
  virtual ~PeerRuntime() = default;

  [[nodiscard]] virtual probe::Status Enter(std::size_t device) = 0;
  [[nodiscard]] virtual probe::Result<std::uint64_t> FreeBytes() = 0;
  [[nodiscard]] virtual probe::Result<std::uint64_t> Allocate(std::uint64_t bytes) = 0;
  // Opens the direct way from the current device to another's memory, where the runtime claims that there is
  // one; one that it then refuses is none.
  [[nodiscard]] virtual bool OpenWay(std::size_t from, std::size_t to) = 0;
  // Both return when it is done.
  [[nodiscard]] virtual probe::Status Write(std::uint64_t to, std::span<const std::byte> data) = 0;
  [[nodiscard]] virtual probe::Status Read(std::uint64_t from, std::span<std::byte> data) = 0;

  struct Place {
    std::size_t device;
    std::uint64_t address;
  };
  [[nodiscard]] virtual probe::Status StartCopy(Place to, Place from, std::uint64_t bytes) = 0;
  [[nodiscard]] virtual probe::Status Synchronize() = 0;

  // The library whose interface is NCCL's, and what a figure of it is called.
  struct Nccl {
    std::string implementation;
    probe::system::Library library;
  };
  [[nodiscard]] virtual probe::Result<Nccl> OpenNccl() = 0;
  // A stream that waits for no other.
  [[nodiscard]] virtual probe::Result<void*> CreateStream() = 0;
  [[nodiscard]] virtual probe::Status Wait(void* stream) = 0;
};

struct JoinedDevice {
  int ordinal = 0;      // the runtime's number in this process
  bool shared = false;  // others use it
};

// 64 MiB an array; less where a device has little free memory, or others use it. Makes each device current
// before its memory is asked for, in their order.
[[nodiscard]] probe::Result<std::unique_ptr<PeerGroup>> JoinDevices(std::shared_ptr<PeerRuntime> runtime,
                                                                    std::vector<JoinedDevice> devices);

}  // namespace backends
