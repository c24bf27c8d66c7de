// SPDX-License-Identifier: MIT
// What NVIDIA's management library knows of GPUs, whether CUDA shows them or not: health, load and MIG
// instances. Every figure may be missing: "not supported" is a normal answer of unified memory, old cards and
// instances.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probe/core/ids.h"
#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/cuda/cuda_api.h"
#include "probe/cuda/cuda_declarations.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::cuda {

struct NvmlInstance {
  std::string uuid;       // "MIG-..." as CUDA_VISIBLE_DEVICES takes it
  std::string partition;  // "MIG-<gpu instance>-<compute instance>"
  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_free_bytes;
  std::optional<std::uint32_t> multiprocessors;
};

struct NvmlGpu {
  std::uint32_t index = 0;  // nvidia-smi's number
  bool by_files = false;    // the library was not heard: nothing else is known than what files show
  std::string uuid;         // "GPU-..."
  std::string name;
  std::optional<PciAddress> pci;
  std::optional<PciIds> ids;
  std::optional<std::uint64_t> memory_total_bytes;
  std::optional<std::uint64_t> memory_free_bytes;
  bool memory_unsupported = false;
  bool mig = false;
  std::vector<NvmlInstance> instances;
  GpuLoad load;
  std::vector<Fact> facts;     // clocks, power, throttling, load, processes, NVLink
  std::optional<Error> fault;  // why it can not be asked, and nobody may compute on it; the text is what it
                               // did: "fell off the bus". Nothing else is known of it then than where it is
};

struct NvmlSurvey {
  Library library;
  std::string driver_version;
  std::vector<NvmlGpu> gpus;  // in nvidia-smi's order
};

// "NVIDIA A100 (0000:01:00.0)", or "nvidia-smi's GPU 0" of one of which there is no more.
[[nodiscard]] std::string NameOf(const NvmlGpu& gpu);

// The one of them that CUDA shows as that device, by the address where both have one, else by the UUID;
// nullptr where neither is known of both.
[[nodiscard]] const NvmlGpu* GpuOf(const RuntimeDevice& device, const std::vector<NvmlGpu>& gpus);
// The same of a GPU's instances, by the partition's name or the UUID.
[[nodiscard]] const NvmlInstance* InstanceOf(const RuntimeDevice& device, const NvmlGpu& gpu);

// Loads the library and asks it everything. OwnError::kAbsent: not installed; else NVIDIA's name of the
// code.
[[nodiscard]] Result<NvmlSurvey> AskNvml(const system::FileSystem& files,
                                         const system::Environment& environment);

}  // namespace probe::cuda
