// SPDX-License-Identifier: MIT
// The memory of a fake GPU whose addresses are no pointers of this process, so that a host pointer passed as
// a device's is found out. One a library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fakes {

using DeviceAddress = std::uint64_t;

// 0 where the system refuses. What the device itself refuses is the caller's to know.
[[nodiscard]] DeviceAddress ReserveMemory(std::size_t bytes);
// False for an address that no allocation begins at.
[[nodiscard]] bool ReleaseMemory(DeviceAddress address);
// What an address points into, to the end of its allocation; empty where it is no device address.
[[nodiscard]] std::span<std::byte> MemoryAt(DeviceAddress address);
// Of all allocations together.
[[nodiscard]] std::size_t ReservedBytes();

}  // namespace fakes
