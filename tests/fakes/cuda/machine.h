// SPDX-License-Identifier: MIT
// The scenario as NVIDIA's libraries see it: the order of the GPUs, which of them CUDA_VISIBLE_DEVICES
// leaves, and MIG instances. Shared by the fake libcuda and the fake libnvidia-ml, which are loaded together.
//
// Attributes that the scenario may give. Of a device: capability (10 * major + minor, default 90),
// memory_bus_bits, memory_clock_mhz, l2_bytes, ecc, integrated, throttle_reasons, clock_now_mhz,
// lost_at_upload_bytes (a copy of so many from the host ends the context),
// least_shared_percent (that a kernel of dynamic shared memory must have asked for),
// power_limit_mw, power_limit_default_mw, utilization, processes, nvlinks, nvlink_places (what the driver
// counts them up to, default 18), compute_mode, nvml_memory (0: not supported), gpu_instance and
// compute_instance (of partitions), persistence (1: on, 0: off, else nobody tells), pci_device_id, mig (1: in
// MIG mode, also without partitions), nvml_handle (the error code instead of the management library's handle;
// CUDA does not show such a GPU). Of the driver: nvml_init and nvml_count (error codes), nvml_by_index and
// nvml_by_address (0: finds no GPU so), driver_cuda (the newest CUDA, default 13000), driver_ptx (10 * the
// newest version of PTX, default 90), loads_compiler (1: it asks the loader for its compiler), pinned_bytes
// (of an allocation at most), init_s (what cuInit takes), starts_empty (1: cuInit works and no GPU is shown),
// and those of cublaslt.cpp, nccl.cpp and peers.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fakes/common/scenario.h"

namespace fakes::cuda {

struct Slot {
  const Device* gpu = nullptr;
  const Device* instance = nullptr;  // of a GPU in MIG mode
  std::uint32_t index = 0;           // of the GPU in the scenario
  [[nodiscard]] const Device& self() const { return instance != nullptr ? *instance : *gpu; }
};

// As nvidia-smi counts: by address.
[[nodiscard]] std::vector<Slot> ByAddress();
// As cuDeviceGet counts in this process: the scenario's order, or by address if CUDA_DEVICE_ORDER says so; of
// GPUs in MIG mode one instance, if there is nothing else or CUDA_VISIBLE_DEVICES names it.
[[nodiscard]] const std::vector<Slot>& Visible();

[[nodiscard]] std::int64_t Get(const Device& device, const std::string& attribute, std::int64_t otherwise);
[[nodiscard]] std::int64_t GetOfDriver(const std::string& attribute, std::int64_t otherwise);

// "GPU-<uuid>" or "MIG-<uuid>".
[[nodiscard]] std::string UuidText(const Slot& slot);

}  // namespace fakes::cuda
