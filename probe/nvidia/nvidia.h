// SPDX-License-Identifier: MIT
// What speaks for a GPU of NVIDIA's on this machine, by files alone. Not the control node /dev/nvidiactl:
// NVIDIA's libraries (CUDA, OpenCL) make it for root on a machine without any card when they are initialised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/ids.h"
#include "probe/system/filesystem.h"

namespace probe::nvidia {

inline constexpr std::uint32_t kPciNumber = 0x10de;

struct Signs {
  bool bus_shown = false;    // sysfs lists what is on the bus; some containers hide it
  bool card_on_bus = false;  // a display or processing device of NVIDIA's among it
  bool nvswitch = false;     // chips that join GPUs: those that are on the bus (HGX of Ampere and Hopper)
  std::size_t gpus = 0;      // of the kernel's driver, in /proc/driver/nvidia/gpus
  bool gpu_node = false;     // /dev/nvidia<N>, as a container has it whose /sys hides the card
  bool wsl = false;          // /dev/dxg: the Windows host has the driver
  bool tegra = false;        // nodes of a system on chip, whose GPU is on no bus
  std::vector<PciAddress> bound;  // cards on the bus that the kernel's driver has
};
[[nodiscard]] Signs ReadSigns(const system::FileSystem& files);
[[nodiscard]] bool MayHaveGpu(const Signs& signs);
// Of the GPUs that the kernel's driver has: by its own files or, where those are hidden, by the bus.
[[nodiscard]] std::vector<PciAddress> GpuAddresses(const system::FileSystem& files);

struct FileGpu {
  PciAddress address;
  std::string name;
  std::optional<Uuid> uuid;
};
// Those of them whose nodes are here, in the order of their addresses: what files show in a container may be
// all that its host has. Where the driver's own files are hidden, the cards on the bus that it is bound to,
// if there is a node for each of them.
[[nodiscard]] std::vector<FileGpu> GivenGpus(const system::FileSystem& files);

// Whether the name below /dev is of one GPU: nvidia0, nvidia1, ...; not nvidiactl or nvidia-uvm.
[[nodiscard]] bool IsGpuNode(std::string_view name);

}  // namespace probe::nvidia
