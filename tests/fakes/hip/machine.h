// SPDX-License-Identifier: MIT
// The scenario as AMD's libraries see it: which of the GPUs and partitions the variables leave, in what
// order, and what each says that it is.
//
// Attributes that the scenario may give. Of a device: gfx (as gfx_target_version of the kernel: 90010 is
// gfx90a, default 110000), integrated, memory_bus_bits, memory_clock_mhz, l2_bytes, peers. Of the driver:
// hip_version (default 60241133), target_garbage (no known layout), compiler_refuses (a gfx as above that the
// compiler does not know), pinned_bytes (the most at once), memory_info and host_free (error codes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fakes/common/scenario.h"

namespace fakes::hip {

struct Slot {
  const Device* gpu = nullptr;
  const Device* partition = nullptr;
  std::uint32_t index = 0;  // of the GPU in the scenario
  std::uint32_t part = 0;   // of its card
  [[nodiscard]] const Device& self() const { return partition != nullptr ? *partition : *gpu; }
};

// As the kernel's compute driver counts: the scenario's order, a divided GPU's partitions in its place.
[[nodiscard]] const std::vector<Slot>& All();
// As HIP counts in this process: what ROCR_VISIBLE_DEVICES leaves, then HIP_VISIBLE_DEVICES, or without it
// CUDA_VISIBLE_DEVICES.
[[nodiscard]] const std::vector<Slot>& Visible();

[[nodiscard]] std::int64_t Get(const Device& device, const std::string& attribute, std::int64_t otherwise);
[[nodiscard]] std::int64_t GetOfDriver(const std::string& attribute, std::int64_t otherwise);

// "gfx90a" of 90010.
[[nodiscard]] std::string TargetText(std::int64_t version);
// Of a device: what HSA_OVERRIDE_GFX_VERSION makes of it, else what it is.
[[nodiscard]] std::string TargetOf(const Slot& slot);
[[nodiscard]] bool IsRdna(const Slot& slot);
// The 16 characters that HIP gives as a UUID.
[[nodiscard]] std::string UuidDigits(const Slot& slot);

}  // namespace fakes::hip
