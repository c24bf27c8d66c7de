// SPDX-License-Identifier: MIT
// Several devices of ROCm open at once: copies between them by hipMemcpyPeer, direct where they reach each
// other's memory, and RCCL's all-reduce where it is installed.
#pragma once

#include <memory>
#include <vector>

#include "backends/core/joined_devices.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

// What is given by reference outlives the group; `api` and `devices` are kept.
[[nodiscard]] probe::Result<std::unique_ptr<PeerGroup>> JoinPeers(
    const probe::hip::Api& api, const std::vector<JoinedDevice>& devices,
    const probe::system::FileSystem& files, const probe::system::Environment& environment);

}  // namespace backends::hip
