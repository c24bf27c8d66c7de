// SPDX-License-Identifier: MIT
// The calls of a runtime whose programs make one device current and put copies and launches on its streams,
// as CUDA and HIP have it. A runtime says how each call is made and what its errors are called; everything
// that is done with them, sessions, copies between devices, and products of libraries, is written once, in
// this folder.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backends/core/backend.h"
#include "probe/system/library.h"

namespace backends::stream {

struct Products;

// A launch or a library's product with its arguments, to be put on the default stream as often as it is
// called.
using Enqueue = std::function<probe::Status()>;

// An address of the device's memory as libraries take it; the host must not follow it.
[[nodiscard]] inline void* DevicePointer(std::uint64_t address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));  // NOLINT(performance-no-int-to-ptr)
}

// A kernel as the runtime has loaded it.
struct Function {
  void* handle = nullptr;
  std::string_view entry;
  std::uint32_t max_threads = 0;   // of a block; 0 where the runtime does not say
  std::uint32_t shared_bytes = 0;  // dynamic shared memory of a block
};

// An argument of a launch, as large as the largest that a kernel takes. Little endian on every host that a
// driver runs on, so a number may be wider than the kernel has it.
struct alignas(128) Argument {
  std::array<std::uint64_t, 16> words{};
};

// What the runtime's calls are called where an error is not the runtime's own.
struct CallNames {
  std::string_view allocate, upload, download, attribute;
};

// Devices are named by their place among those that were opened. A call that names none is made on the device
// that was entered last. Addresses are those of the device's memory; handles are the runtime's and are freed
// with the process.
class Runtime {
 public:
  explicit Runtime(const CallNames& names) : names_(names) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  [[nodiscard]] const CallNames& names() const { return names_; }
  // Makes the device current; the first time may make its context.
  [[nodiscard]] virtual probe::Status Enter(std::size_t device) = 0;
  struct Memory {
    std::uint64_t free_bytes, total_bytes;
  };
  [[nodiscard]] virtual probe::Result<Memory> AskMemory() = 0;
  [[nodiscard]] virtual probe::Result<std::uint64_t> Allocate(std::uint64_t bytes) = 0;
  virtual void Free(std::uint64_t address) = 0;
  // As Session::AllocateHost.
  [[nodiscard]] virtual probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) = 0;
  // Both return when the copy has ended.
  [[nodiscard]] virtual probe::Status Write(std::uint64_t to, std::span<const std::byte> data) = 0;
  [[nodiscard]] virtual probe::Status Read(std::uint64_t from, std::span<std::byte> data) = 0;
  // Waits for everything that the current device was given.
  [[nodiscard]] virtual probe::Status Synchronize() = 0;
  // Whether no call of this process succeeds any more once one has returned that code.
  [[nodiscard]] virtual bool EndsContext(std::int64_t) const { return false; }
  template <class T>
  [[nodiscard]] bool Ended(const probe::Result<T>& result) const {
    return !result && result.error().code && EndsContext(*result.error().code);
  }
  // As Session::State, of the first device.
  [[nodiscard]] virtual DeviceState State() const = 0;

  // Events on the default stream. The seconds between two that were reached are nullopt where the runtime
  // fails to tell.
  [[nodiscard]] virtual probe::Result<void*> CreateEvent() = 0;
  [[nodiscard]] virtual bool Record(void* event) = 0;
  [[nodiscard]] virtual std::optional<double> SecondsBetween(void* first, void* last) = 0;

  // Compiles the step's source where that is not done yet. The step outlives the function.
  [[nodiscard]] virtual probe::Result<Function> Load(const kernels::Step& step) = 0;
  // A matrix at that address as an argument, where the runtime has such.
  [[nodiscard]] virtual probe::Result<Argument> MapMatrix(std::uint64_t address,
                                                          const kernels::MatrixMap& map);
  // `arguments` points to one pointer for each argument of the kernel.
  [[nodiscard]] virtual probe::Status StartLaunch(const Function& function, const kernels::LaunchShape& shape,
                                                  void** arguments) = 0;
  // Loads a library by the name that its variants have (kernels::Step::library). Its code runs from here on
  // and may take the process down. OwnError::kAbsent: not installed. Its workspace takes no more of the
  // device's memory than that bound, where the library lets it be given one; what is returned must not
  // outlive the runtime.
  [[nodiscard]] virtual probe::Result<Products> OpenProducts(std::string_view library,
                                                             std::uint64_t max_workspace_bytes) = 0;

  // An error where the runtime is too old to copy between devices.
  [[nodiscard]] virtual probe::Status CheckPeerCopies() const = 0;
  // Lets the current device reach another's memory directly. False where the runtime says that it can not, or
  // promises it and then refuses.
  [[nodiscard]] virtual bool OpenWay(std::size_t from, std::size_t to) = 0;
  // What makes StartCopy's copies of so many bytes over such a way; PeerGroup::Copier.
  [[nodiscard]] virtual std::string_view CopierOf(std::uint64_t) const { return {}; }
  struct Place {
    std::size_t device;
    std::uint64_t address;
  };
  [[nodiscard]] virtual probe::Status StartCopy(Place to, Place from, std::uint64_t bytes) = 0;
  // The runtime's own number of a device in this process.
  [[nodiscard]] virtual int OrdinalOf(std::size_t device) const = 0;
  // The library for sums over all devices, whose interface is NCCL's, and what a figure of it is called.
  struct Nccl {
    std::string implementation;
    probe::system::Library library;
  };
  [[nodiscard]] virtual probe::Result<Nccl> OpenNccl() = 0;
  // A stream of the current device that waits for no other.
  [[nodiscard]] virtual probe::Result<void*> CreateStream() = 0;
  [[nodiscard]] virtual probe::Status Wait(void* stream) = 0;

 private:
  CallNames names_;
};

// Times what is put on the default stream of the current device.
class Timer {
 public:
  // The runtime outlives the timer.
  [[nodiscard]] static probe::Result<Timer> Create(Runtime& runtime);
  // Makes the launches in order, the whole sequence `repeats` times, and waits until all is done, after an
  // error too; by events as well where it is `clocked`. Of several errors the one that ended the context is
  // returned, else the first. `meanwhile`, if given, is called when all has been given to the device.
  [[nodiscard]] probe::Result<Timing> Time(std::span<const Enqueue> launches, std::uint32_t repeats,
                                           bool clocked = true,
                                           const std::function<void()>& meanwhile = {}) const;

 private:
  Timer(Runtime& runtime, void* first, void* last) : runtime_(&runtime), first_(first), last_(last) {}
  Runtime* runtime_;
  void* first_;  // events before everything, and
  void* last_;   // after it
};

}  // namespace backends::stream
