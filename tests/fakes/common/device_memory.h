// SPDX-License-Identifier: MIT
// The memory of a fake GPU whose addresses are no pointers of this process, so that a host pointer passed as
// a device's is found out. One a library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fakes {

using DeviceAddress = std::uint64_t;

// Of the device with that index. 0 where the system refuses; what the device itself refuses is the caller's
// to know.
[[nodiscard]] DeviceAddress ReserveMemory(std::size_t bytes, std::uint32_t device = 0);
// False for an address that no allocation begins at.
[[nodiscard]] bool ReleaseMemory(DeviceAddress address);
// What an address points into, to the end of its allocation; empty where it is no device address.
[[nodiscard]] std::span<std::byte> MemoryAt(DeviceAddress address);
// How often anybody was given memory to read or write: where that is as often as before, all memory holds
// what it held.
[[nodiscard]] std::uint64_t Touches();
// The device that it belongs to.
[[nodiscard]] std::optional<std::uint32_t> OwnerOf(DeviceAddress address);
// Of all allocations of a device together.
[[nodiscard]] std::size_t ReservedBytes(std::uint32_t device = 0);

}  // namespace fakes
