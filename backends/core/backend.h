// SPDX-License-Identifier: MIT
// What a backend is: a name, a way to open one device, and the kernel variants it can run there. A runtime is
// a Session to everything above it, and where it joins devices a PeerGroup (peers.h); the plan, the protocol
// and the verification are the same for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/spec.h"
#include "probe/core/device.h"
#include "probe/core/result.h"

namespace probe::system {
class Environment;
class FileSystem;
}  // namespace probe::system

namespace backends {

// What a device lets us do, as its runtime says; bounds are already the usable ones.
struct Limits {
  std::uint64_t max_buffer_bytes = 0;    // of one allocation and of one binding
  std::uint64_t max_texel_elements = 0;  // of one texel view; 0: no texel views
  std::optional<std::uint64_t> memory_free_bytes;
  std::optional<std::uint64_t> cache_bytes;  // last-level, as much of it as serves this device
  kernels::DeviceShape shape;
  std::uint32_t threads = 0;          // of the host's, that a device on it computes with; 0: nobody tells
  std::vector<std::string> features;  // "fp16", "int8_dot", "coopmat:fp16/fp32:16x16x16", ...
  std::string shared_with;            // who else uses the device, for people; see sharing.h
  bool disturbed = false;             // their work shows in our times
  unsigned shared_percent = 100;      // of the free memory, that is used beside them at most
  std::uint64_t free_beside_others_bytes = 0;  // all that is free while they use it
  // Of a device on the host, where that is less than its threads (RunSustained).
  std::optional<double> quota_cores;
};

// How a device is while it is used, as its vendor's management library or its kernel driver says.
struct DeviceState {
  std::string throttled_by;           // "power cap, hardware thermal"; empty where nothing is known to
  std::optional<double> clock_share;  // of its highest clock
  std::optional<double> clock_hz{};   // where nobody says that share: measured
  std::string limited_by{};           // by design: "its power limit of 700 W"; a lower clock is then right
  std::optional<double> temperature_c{};
  std::optional<double> power_w{};
  std::optional<probe::PcieLink> pcie{};
};

// Opaque; owned by the session that made it and freed with it at the latest.
enum class BufferId : std::uint32_t {};
enum class KernelId : std::uint32_t {};

struct BufferRequest {
  std::uint64_t bytes = 0;
  std::vector<kernels::View> views;  // how kernels will bind it
};

struct BoundBuffer {
  BufferId buffer{};
  kernels::View view = kernels::View::kStorage;
  kernels::MatrixMap map{};  // as which it is bound, where box_rows is not 0
};

struct Launch {
  KernelId kernel{};
  std::vector<BoundBuffer> buffers;  // in the order of the step's bindings
  kernels::LaunchShape shape;
  bool rough = false;  // a library need not look for its fastest way: no figure is made of it
};

// Memory of the host that the device reads and writes by itself ("pinned"); its owner frees it.
struct HostBuffer {
  std::span<std::byte> bytes;
  std::shared_ptr<void> owner;
};
[[nodiscard]] inline probe::Error NoHostMemory() {
  return probe::Own(probe::OwnError::kNoSuchMemory, "AllocateHost", "");
}

// device_s: from the runtime's own events around the whole sequence; nullopt where it has none or they
// failed. wall_s: on the host's monotonic clock, submission to completion.
struct Timing {
  std::optional<double> device_s;
  double wall_s = 0;
};

// What a variant implements, and what it is called: one implementation of one kernel for one pair of types.
struct Implementation {
  std::string name;
  kernels::Kernel kernel = kernels::Kernel::kGemm;
  kernels::Dtype in = kernels::Dtype::kFp32, acc = kernels::Dtype::kFp32;
};

// One open device. Single-threaded; dies with its process. An error of a call leaves the session usable
// unless the device is lost.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  [[nodiscard]] virtual const Limits& limits() const = 0;
  // Contents are undefined until written.
  [[nodiscard]] virtual probe::Result<BufferId> Allocate(const BufferRequest& request) = 0;
  virtual void Release(BufferId buffer) = 0;
  [[nodiscard]] virtual probe::Status Upload(BufferId buffer, std::uint64_t offset_bytes,
                                             std::span<const std::byte> data) = 0;
  [[nodiscard]] virtual probe::Status Download(BufferId buffer, std::uint64_t offset_bytes,
                                               std::span<std::byte> data) = 0;
  // Compiles or looks up one step's entry point. The step outlives the session.
  [[nodiscard]] virtual probe::Result<KernelId> Load(const kernels::Variant& variant,
                                                     const kernels::Step& step) = 0;
  // Runs the launches in order, each seeing the results of those before it, the whole sequence `repeats`
  // times, and waits for completion.
  [[nodiscard]] virtual probe::Result<Timing> Run(std::span<const Launch> launches,
                                                  std::uint32_t repeats) = 0;
  // OwnError::kNoSuchMemory where the runtime has none. Freed before the session.
  [[nodiscard]] virtual probe::Result<HostBuffer> AllocateHost(std::uint64_t) { return NoHostMemory(); }
  // Whose kernel brought the device's context down, of no name where none did: every later call fails, and
  // only another process can go on. nullptr as long as it lives.
  [[nodiscard]] virtual const Implementation* BroughtDownBy() const { return nullptr; }
  // Whether a run of other kernels than those that fill operands has come to a good end, where the former is
  // told.
  [[nodiscard]] virtual bool HasWorked() const { return false; }
  // Asked between batches, of which it may take most of a millisecond. Empty where the runtime has no word on
  // it.
  [[nodiscard]] virtual DeviceState State() const { return {}; }
  // Has the next Run ask that while the device works; State then tells what the answer was. Clocks rise and
  // limits end within a millisecond of its last launch. False where the session can not. An answer may take
  // most of a millisecond, which is the run's on the host's clock where the device is done sooner.
  [[nodiscard]] virtual bool Watch() { return false; }
};

struct OpenRequest {
  probe::RuntimeDevice device;                // exactly this one must be opened, or an error returned
  std::optional<probe::Processor> processor;  // the host's, where it is known
  const probe::system::FileSystem& files;
  const probe::system::Environment& environment;
};

class PeerGroup;  // several open devices: peers.h

struct Backend {
  std::string_view runtime;  // the probe module's name
  probe::Result<std::unique_ptr<Session>> (*open)(const OpenRequest&) = nullptr;
  // Every variant that this build has for the runtime; those whose needs the device does not meet are skipped
  // by the plan, with that reason. Which is best is found by trial. Their order is that of the trials: within
  // a kernel and type pair, and among pairs of equal rank, the last are left out where time is short, and of
  // equally fast variants the first is taken.
  std::vector<kernels::Variant> (*variants)(const Limits&) = nullptr;
  // Variants of the user's own libraries that are installed; nullptr where the runtime has none. They may
  // crash the process and are measured last.
  std::vector<kernels::Variant> (*libraries)(const OpenRequest&) = nullptr;
  // Several devices at once, in their order; `device` of the request is not looked at. nullptr where the
  // runtime can not join devices.
  probe::Result<std::unique_ptr<PeerGroup>> (*open_peers)(std::span<const probe::RuntimeDevice> devices,
                                                          const OpenRequest&) = nullptr;
  // The names of its errors, and of its libraries', that say that the device has not as much memory.
  std::span<const std::string_view> memory_errors{};
};

}  // namespace backends
