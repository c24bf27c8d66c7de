// SPDX-License-Identifier: MIT
// AMD's kernel driver as files show it, without libamdhip64: which driver has which card, the compute
// driver's node and topology, and why HIP shows no device, by layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "probe/amd/amd.h"
#include "probe/core/device.h"
#include "probe/core/outcome.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::hip {

// HIP may leave out the function of an address.
using Slot = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
[[nodiscard]] inline Slot SlotOf(const PciAddress& address) {
  return {address.domain, address.bus, address.device};
}

struct KernelDriver {
  std::string version;  // "amdgpu 6.10.5", or "amdgpu of Linux 6.8.0"; empty without the module
  std::vector<std::string> amdgpu_cards;  // PCI addresses, by the driver that has them
  std::vector<std::string> radeon_cards;
  std::vector<std::string> unbound_cards;
  DeviceNode kfd{"/dev/kfd", false, false};
  std::optional<std::uint32_t> kfd_group;  // numeric: what counts in a container; nullopt where nobody tells
  std::vector<DeviceNode> render_nodes;    // those of the compute driver's GPUs
  std::vector<amd::KfdNode> nodes;
  bool wsl = false;  // /dev/dxg: the Windows host has the driver
};
[[nodiscard]] KernelDriver ReadKernelDriver(const system::FileSystem& files);

// "xcp3" of 3, as which a device is a partition; and 3 of "xcp3", 0 of a device that is no partition.
[[nodiscard]] std::string PartitionName(std::uint32_t number);
[[nodiscard]] std::uint32_t PartitionOf(const RuntimeDevice& device);
// The kernel's node of a device that HIP shows; nullptr where none has its address and partition.
[[nodiscard]] const amd::KfdNode* NodeOf(const std::vector<amd::KfdNode>& nodes, const RuntimeDevice& device);

// The release in .info/version of the prefix that `library`, a path, belongs to: "6.2.4-147".
[[nodiscard]] std::optional<std::string> ReleaseOf(const system::FileSystem& files,
                                                   const std::string& library);

struct Diagnosis {
  Outcome outcome = Outcome::kFailed;
  Error error;
};
// Whether there is a device node of any kind that a ROCm runtime opens: the kernel's compute driver, the
// Windows host's, render nodes (virtio), accelerators.
[[nodiscard]] bool HasDeviceNodes(const system::FileSystem& files);

// What it means that there is none, where therefore no runtime was asked.
[[nodiscard]] Diagnosis DiagnoseUnasked(const KernelDriver& driver, const system::Environment& environment);

// What "no device", or another code of hipGetDeviceCount, means on this machine: the error's name is the
// cause where files show it, and its text a sentence of it.
[[nodiscard]] Diagnosis Diagnose(Error error, const KernelDriver& driver,
                                 const system::Environment& environment);

}  // namespace probe::hip
