// SPDX-License-Identifier: MIT
// What speaks for a GPU of NVIDIA's on this machine, by files alone. Not the control node /dev/nvidiactl:
// NVIDIA's libraries (CUDA, OpenCL) make it for root on a machine without any card when they are initialised.
#pragma once

#include <cstddef>

#include "probe/system/filesystem.h"

namespace probe::system {

struct NvidiaSigns {
  bool bus_shown = false;    // sysfs lists what is on the bus; some containers hide it
  bool card_on_bus = false;  // a display or processing device of NVIDIA's among it
  std::size_t gpus = 0;      // of the kernel's driver, in /proc/driver/nvidia/gpus
  bool gpu_node = false;     // /dev/nvidia<N>, as a container has it whose /sys hides the card
  bool wsl = false;          // /dev/dxg: the Windows host has the driver
  bool tegra = false;        // nodes of a system on chip, whose GPU is on no bus
};
[[nodiscard]] NvidiaSigns ReadNvidiaSigns(const FileSystem& files);
[[nodiscard]] bool MayHaveGpu(const NvidiaSigns& signs);

// Whether the name below /dev is of one GPU: nvidia0, nvidia1, ...; not nvidiactl or nvidia-uvm.
[[nodiscard]] bool IsNvidiaGpuNode(std::string_view name);

// Where nothing shows a GPU, keeps this process and all that it starts from making device nodes, by root's
// right to and by programs with the set-uid bit (nvidia-modprobe). For good: for children alone.
void KeepFromMakingNodes(const FileSystem& files);

}  // namespace probe::system
