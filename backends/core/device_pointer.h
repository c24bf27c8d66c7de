// SPDX-License-Identifier: MIT
// A device's address as libraries take it.
#pragma once

#include <cstdint>

namespace backends {

// Not to be followed: the memory is the device's.
[[nodiscard]] inline void* DevicePointer(std::uint64_t address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace backends
