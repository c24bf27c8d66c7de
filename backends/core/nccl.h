// SPDX-License-Identifier: MIT
// The sum over the devices of one process through the interface of NVIDIA's NCCL (2.x), which AMD's RCCL has
// too, names and numbers (rocm.docs.amd.com/projects/rccl). Own declarations; whose library it is, and how a
// device is reached, the caller knows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backends/core/peers.h"
#include "probe/system/library.h"

namespace backends {

// ncclDataType_t, ncclRedOp_t.
inline constexpr int kNcclUint32 = 3;
inline constexpr int kNcclSum = 0;

struct NcclMember {
  int ordinal = 0;  // the runtime's number of the device in this process
  void* source = nullptr;
  void* target = nullptr;
  std::function<probe::Status()> enter;  // makes it the runtime's current device
  // On the current device; it waits for no other.
  std::function<probe::Result<void*>()> create_stream;
  std::function<probe::Status(void* stream)> wait;
};

// Joins the members, which takes the library seconds. What their functions use outlives what is returned.
[[nodiscard]] probe::Result<AllReduce> JoinByNccl(std::string implementation,
                                                  const probe::system::Library& library,
                                                  std::vector<NcclMember> members, std::uint64_t bytes);

}  // namespace backends
