// SPDX-License-Identifier: MIT
// Several CUDA devices open at once: copies between them by cuMemcpyPeerAsync, direct where they reach each
// other's memory, and NCCL's all-reduce where it is installed.
#pragma once

#include <memory>
#include <span>

#include "backends/core/backend.h"
#include "backends/core/peers.h"

namespace backends::cuda {

// The request outlives the group.
[[nodiscard]] probe::Result<std::unique_ptr<PeerGroup>> OpenPeers(
    std::span<const probe::RuntimeDevice> devices, const OpenRequest& request);

}  // namespace backends::cuda
