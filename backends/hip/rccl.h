// SPDX-License-Identifier: MIT
// The all-reduce of AMD's RCCL, wherever it is installed. Loaded, never linked; own declarations, from its
// public reference (rocm.docs.amd.com/projects/rccl): the names and numbers are NCCL's.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/core/peers.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

struct RcclDevice {
  int ordinal = 0;  // HIP's number in this process
  void* source = nullptr;
  void* target = nullptr;
};

// Joins the devices, which takes the library seconds. Error.name "absent": not installed. `api` outlives what
// is returned.
[[nodiscard]] probe::Result<AllReduce> OpenRccl(const probe::hip::Api& api,
                                                const std::vector<RcclDevice>& devices, std::uint64_t bytes,
                                                const probe::system::FileSystem& files,
                                                const probe::system::Environment& environment);

}  // namespace backends::hip
