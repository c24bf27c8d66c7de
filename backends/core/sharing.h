// SPDX-License-Identifier: MIT
// What a device that others use allows: contract.md section 3. Finds out nothing; sessions ask their vendor.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "backends/core/backend.h"

namespace backends {

// Of a busy device, of the memory that is free.
inline constexpr double kBusyMemoryShare = 0.05;

// Narrows the limits to what may be taken beside `others` ("3 other processes on it"). `disturbing`: their
// work shows in the times. The session refuses what exceeds memory_free_bytes in sum.
inline void ShareWith(std::string others, bool disturbing, Limits& limits) {
  const auto share = [](std::uint64_t bytes) {
    return static_cast<std::uint64_t>(kBusyMemoryShare * static_cast<double>(bytes));
  };
  limits.memory_free_bytes = share(limits.memory_free_bytes.value_or(limits.max_buffer_bytes));
  limits.max_buffer_bytes = std::min(limits.max_buffer_bytes, *limits.memory_free_bytes);
  limits.shared_with = std::move(others);
  limits.disturbed = disturbing;
}

}  // namespace backends
