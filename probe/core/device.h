// SPDX-License-Identifier: MIT
// The nouns of detection: what a runtime says of a device, what the hardware says, and the physical device
// that both describe. Plain data; the unit stands in the field's name; an unknown is std::nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probe/core/ids.h"

namespace probe {

enum class DeviceKind {
  kDiscrete,
  kIntegrated,
  kCpu,
  kSoftware,
  kAccelerator,
  kVirtual,
  kManagement,
  kUnknown
};

struct Fact {
  std::string key;
  std::string value;
  bool operator==(const Fact&) const = default;
};
// The value of a fact, nullptr where there is none.
[[nodiscard]] inline const std::string* FindFact(const std::vector<Fact>& facts, std::string_view key) {
  for (const Fact& fact : facts) {
    if (fact.key == key) return &fact.value;
  }
  return nullptr;
}

// One device as one driver of one runtime reports it. `software` devices compute on the host processor.
struct RuntimeDevice {
  std::string runtime;  // the module's name
  std::string driver;   // the driver's own name, e.g. "llvmpipe", "Portable Computing Language"
  std::optional<std::string> manifest;  // file that registers the driver, where the runtime has such
  std::uint32_t ordinal = 0;            // position within the runtime's own enumeration of that driver
  Identity identity;
  std::string name;
  std::optional<std::string> vendor;
  DeviceKind kind = DeviceKind::kUnknown;
  std::optional<std::string> architecture;  // sm_90, gfx1100, ip-12.55, x86-64-v4
  std::optional<std::string> api_version;
  std::optional<std::string> driver_version;
  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_free_bytes;
  std::optional<std::uint32_t> compute_units;
  std::optional<double> clock_max_hz;
  std::optional<std::uint32_t> subgroup_width;
  std::vector<std::string> dtypes;        // names of kernels::Dtype that the device computes with
  std::vector<std::string> matrix_units;  // "fp16/fp32", ...: in/accumulate pairs with matrix instructions
  std::optional<bool> unified_memory;
  std::vector<Fact> facts;  // everything else worth keeping, in the order it was read
  bool operator==(const RuntimeDevice&) const = default;
};

struct DeviceNode {
  std::string path;
  bool exists = false;
  bool openable = false;
  std::optional<std::string> open_error{};  // errno's name, where it exists and does not open
  // Of a node whose permissions keep this process out: the group whose members may open it, by its name or
  // number; "root" where no group may. Absent where that is not told.
  std::optional<std::string> open_to{};
  bool operator==(const DeviceNode&) const = default;
};
// It is there, and its permissions or the container's rules keep this process out. Any other error says that
// nothing answers behind it. Records without the error are of the former kind.
[[nodiscard]] inline bool IsDenied(const DeviceNode& node) {
  return node.exists && !node.openable &&
         (!node.open_error || *node.open_error == "EACCES" || *node.open_error == "EPERM");
}
// The value of open_to where nobody but root may open the node.
inline constexpr std::string_view kRootAlone = "root";
// "/dev/nvidia0 exists and does not open (EIO)".
[[nodiscard]] inline std::string DeadText(const DeviceNode& node) {
  return node.path + " exists and does not open (" + node.open_error.value_or("no reason") + ")";
}

struct PcieLink {
  std::optional<std::uint32_t> generation;
  std::optional<std::uint32_t> lanes;
  std::optional<std::uint32_t> max_generation;
  std::optional<std::uint32_t> max_lanes;
  bool operator==(const PcieLink&) const = default;
};
// Of two states of one card's link the one of the later generation, or of more lanes.
[[nodiscard]] inline const std::optional<PcieLink>& Faster(const std::optional<PcieLink>& a,
                                                           const std::optional<PcieLink>& b) {
  if (!a || !b) return a ? a : b;
  return std::pair(b->generation, b->lanes) > std::pair(a->generation, a->lanes) ? b : a;
}

struct Cache {
  std::uint32_t level = 0;
  std::string type;              // "data", "instruction", "unified"
  std::uint64_t size_bytes = 0;  // of one instance
  std::uint32_t shared_by = 0;   // logical processors that share one instance
  std::uint32_t instances = 0;
  bool operator==(const Cache&) const = default;
};

// The host processor, all sockets together.
struct Processor {
  std::optional<std::uint32_t> packages;
  std::optional<std::uint32_t> cores;
  std::optional<std::uint32_t> threads;             // logical processors online
  std::optional<std::uint32_t> usable_threads;      // within the affinity mask
  std::optional<double> quota_cores;                // cgroup limit, in processors
  std::optional<std::uint64_t> memory_limit_bytes;  // cgroup or ulimit
  std::optional<std::uint32_t> numa_nodes;
  std::optional<std::string> governor;
  std::vector<Cache> caches;
  std::vector<std::string> features;  // avx2, avx512f, amx-bf16, neon, sve, ...
  bool operator==(const Processor&) const = default;
};

// One device as the machine itself shows it, without any runtime.
struct HardwareDevice {
  std::string source;  // the module that saw it
  Identity identity;
  std::string name;
  std::optional<std::string> vendor;
  DeviceKind kind = DeviceKind::kUnknown;
  std::optional<std::string> architecture;
  std::optional<std::string> kernel_driver;
  std::vector<DeviceNode> nodes;
  std::optional<std::uint64_t> memory_total_bytes;  // of a processor: RAM
  std::optional<std::uint64_t> memory_free_bytes;
  std::optional<std::uint64_t> vram_bytes;
  std::optional<std::uint64_t> gtt_bytes;
  std::optional<PcieLink> pcie;
  std::optional<std::uint32_t> numa_node;
  std::optional<bool> removable;
  std::optional<Processor> processor;
  std::vector<Fact> facts;
  bool operator==(const HardwareDevice&) const = default;
};

struct View {
  RuntimeDevice device;
  std::string matched_by;                         // pci, drm, uuid, parent, only_candidate, name, software
  std::optional<std::string> environment_hidden;  // the variable that hides it from other programs
  bool operator==(const View&) const = default;
};

// Two sources that disagree on a fact; both are kept and hardware is preferred.
struct Conflict {
  std::string field;
  std::string module;
  std::string value;
  bool operator==(const Conflict&) const = default;
};

struct DeviceMemory {
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> free_bytes;
  std::optional<std::uint64_t> usable_bytes;
  std::optional<std::uint64_t> gtt_bytes;
  bool operator==(const DeviceMemory&) const = default;
};

// What a device is for that no runtime of this program reaches.
enum class Purpose {
  kNpu,
  kAiAccelerator,
  kAccelerator,  // of which no more is known
  kFpga,
  kVideo,
  kGpu,         // of a runtime that is not built in
  kManagement,  // it draws a server's console
  kVirtual      // a display without hardware behind it
};

// A program that can use a device by a runtime that is not measured here, and how.
struct UsableBy {
  std::string target;  // one of data/targets
  std::string how;
  bool operator==(const UsableBy&) const = default;
};

// Why a device has no figures and can have none.
struct NotMeasurable {
  Purpose what = Purpose::kAccelerator;
  std::optional<std::string> family;   // by which data/other_devices.csv tells it from others
  std::string reason;                  // for people
  std::optional<std::string> runtime;  // by what it computes; none: by nothing, or nobody here knows
  std::vector<std::string> drivers;    // the kernel's that it wants, the usual first
  std::vector<UsableBy> programs;
  std::optional<std::string> page;  // where that runtime is had
  bool operator==(const NotMeasurable&) const = default;
};

// One piece of hardware with every way to reach it. id: `pci:0000:c1:00.0[#partition]`, `uuid:...`, `cpu:0`.
struct PhysicalDevice {
  std::string id;
  std::string name;
  std::optional<std::string> vendor;
  DeviceKind kind = DeviceKind::kUnknown;
  DeviceMemory memory;
  std::optional<HardwareDevice> hardware;
  std::vector<View> views;
  std::optional<std::string> parent_id;
  std::vector<Conflict> conflicts;
  std::optional<NotMeasurable> not_measurable;  // of one that no runtime reaches and none here could
  bool operator==(const PhysicalDevice&) const = default;
};

}  // namespace probe
