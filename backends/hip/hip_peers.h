// SPDX-License-Identifier: MIT
// Several devices of ROCm open at once: copies between them by hipMemcpyPeer, direct where they reach each
// other's memory, and RCCL's all-reduce where it is installed.
#pragma once

#include <memory>
#include <vector>

#include "backends/core/peers.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

struct PeerDevice {
  int ordinal = 0;      // HIP's number in this process
  bool shared = false;  // others use it
};

// 64 MiB an array; less where a device has little free memory, or others use it. What is given by reference
// outlives the group; `api` is kept.
[[nodiscard]] probe::Result<std::unique_ptr<PeerGroup>> JoinPeers(
    const probe::hip::Api& api, const std::vector<PeerDevice>& devices,
    const probe::system::FileSystem& files, const probe::system::Environment& environment);

}  // namespace backends::hip
