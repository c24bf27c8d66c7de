// SPDX-License-Identifier: MIT
// Who else uses the devices, and who may.
#include <fmt/format.h>

#include <algorithm>

#include "probe/cuda/cuda_driver.h"

namespace probe::cuda {
namespace {

// Of its memory, less is free than fits a small model.
constexpr std::uint64_t kNearlyFull = 50;

void AddLoad(const NvmlGpu& gpu, std::vector<std::string>& out) {
  const std::string name = fmt::format("{} ({})", gpu.name, ToString(*gpu.pci));
  const std::string load = DescribeLoad(gpu.load);
  // What only holds memory disturbs nothing.
  if (!load.empty() && !IsIdle(gpu.load))
    out.push_back(fmt::format("{}: {}: what is measured on it may be too low", name, load));
  if (gpu.memory_free_bytes && gpu.memory_total_bytes &&
      *gpu.memory_free_bytes < *gpu.memory_total_bytes / kNearlyFull) {
    // Of other containers' processes the management library does not tell.
    const bool is_seen = gpu.load.processes.value_or(0) > 0;
    out.push_back(fmt::format("{}: {} of {} MiB are free: {}", name, *gpu.memory_free_bytes >> 20U,
                              *gpu.memory_total_bytes >> 20U,
                              is_seen ? "end what holds its memory, which nvidia-smi lists"
                                      : "who holds its memory can not be seen from here"));
  }
}

// The code with which a context is refused says neither.
void AddMode(const RuntimeDevice& device, std::vector<std::string>& out) {
  const std::string* mode = FindFact(device.facts, "compute_mode");
  const std::string* processes = FindFact(device.facts, "processes");
  if (mode == nullptr) return;
  const bool taken = processes != nullptr && *processes != "0";
  if (*mode == "prohibited") {
    out.push_back(device.name + ": its compute mode lets no process compute on it");
  } else if (taken) {
    out.push_back(device.name + ": its compute mode gives it to one process at a time, and one has it");
  }
}

}  // namespace

std::vector<std::string> ExplainUse(const std::vector<RuntimeDevice>& shown,
                                    const std::vector<NvmlGpu>& gpus) {
  std::vector<std::string> out;
  for (const NvmlGpu& gpu : gpus) {
    const bool is_shown = std::any_of(shown.begin(), shown.end(), [&](const RuntimeDevice& device) {
      return gpu.pci && device.identity.pci == gpu.pci;
    });
    if (is_shown) AddLoad(gpu, out);
  }
  for (const RuntimeDevice& device : shown) AddMode(device, out);
  return out;
}

}  // namespace probe::cuda
