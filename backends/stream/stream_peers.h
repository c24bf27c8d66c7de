// SPDX-License-Identifier: MIT
// Several devices of such a runtime, open at once: copies between them, direct where they reach each other's
// memory, and the sum over them through the interface of NVIDIA's NCCL (2.x), which AMD's RCCL has too, names
// and numbers (rocm.docs.amd.com/projects/rccl).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backends/core/peers.h"
#include "backends/stream/runtime.h"

namespace backends::stream {

// ncclDataType_t, ncclRedOp_t.
inline constexpr int kNcclUint32 = 3;
inline constexpr int kNcclSum = 0;

// An Error for the code of ncclResult_t that `call` returned, with NCCL's name of it.
[[nodiscard]] probe::Error NcclErrorOf(std::string_view call, int result);

// The runtime's devices, which others use where `shared` says so at their place. An array is 64 MiB; less
// where a device has little free memory or is shared.
[[nodiscard]] probe::Result<std::unique_ptr<PeerGroup>> JoinDevices(std::unique_ptr<Runtime> runtime,
                                                                    const std::vector<bool>& shared);

}  // namespace backends::stream
