// SPDX-License-Identifier: MIT
// The all-reduce of NVIDIA's NCCL (2.x), wherever it is installed. Loaded, never linked; own declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/core/peers.h"
#include "probe/cuda/cuda_api.h"

namespace backends::cuda {

// ncclDataType_t, ncclRedOp_t.
inline constexpr int kNcclUint32 = 3;
inline constexpr int kNcclSum = 0;

struct NcclDevice {
  int ordinal = 0;  // CUDA's number in this process
  probe::cuda::CuContext context = nullptr;
  probe::cuda::CuPointer source = 0;
  probe::cuda::CuPointer target = 0;
};

// Joins the devices, which takes NCCL a second or more. Error.name "absent": not installed. `api` outlives
// what is returned.
[[nodiscard]] probe::Result<AllReduce> OpenNccl(const probe::cuda::Api& api,
                                                const std::vector<NcclDevice>& devices, std::uint64_t bytes,
                                                const probe::system::FileSystem& files,
                                                const probe::system::Environment& environment);

}  // namespace backends::cuda
