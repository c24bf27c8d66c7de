// SPDX-License-Identifier: MIT
// The kernel driver as files show it, without libcuda: its version and kind, its device nodes, and why a call
// of libcuda failed, by layer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/outcome.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::cuda {

struct KernelDriver {
  std::optional<std::string> version;  // of the loaded module
  bool open_module = false;
  std::size_t gpus = 0;           // entries of /proc/driver/nvidia/gpus
  std::vector<DeviceNode> nodes;  // /dev/nvidia<N>, /dev/nvidiactl, /dev/nvidia-uvm, of a Tegra its own; a
                                  // missing uvm is listed
  bool wsl = false;               // /dev/dxg: the Windows host has the driver
  bool tegra = false;             // a system on a chip: nvgpu is its driver, /dev/nvmap and nvgpu's its nodes
};
[[nodiscard]] KernelDriver ReadKernelDriver(const system::FileSystem& files);

// The newest CUDA that runs at all on a driver (minor-version compatibility), such as "12.x"; nullopt for
// older ones than are known. Source: NVIDIA, "CUDA Compatibility", table "Minimum Required Driver Version".
[[nodiscard]] std::optional<std::string> NewestRunnable(std::string_view driver_version);

struct Diagnosis {
  Outcome outcome = Outcome::kFailed;
  Error error;
};
// What a failed cuInit (or one that shows no device) means on this machine: the error's text is a sentence of
// the cause, and its name a more exact one where files show the cause. `nvml_gpus`: how many the management
// library sees; `library`: the mapped libcuda.
[[nodiscard]] Diagnosis Diagnose(Error error, const KernelDriver& driver, std::size_t nvml_gpus,
                                 const std::string& library, const system::Environment& environment);

}  // namespace probe::cuda
