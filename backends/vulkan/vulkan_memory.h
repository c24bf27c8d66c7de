// SPDX-License-Identifier: MIT
// Buffers: allocation, texel views, and getting bytes in and out of memory that the host can not see. Copies
// that go through the device are recorded by a function of the owner's, who has the queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "backends/vulkan/vulkan_device.h"

namespace backends::vulkan {

struct Memory {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::uint64_t bytes = 0;
  std::byte* mapped = nullptr;  // where the host reads and writes it at full speed
  std::map<kernels::View, VkBufferView> views;
};

// One buffer with memory of its own; the caller destroys it.
[[nodiscard]] probe::Result<Memory> CreateMemory(Device& device, const BufferRequest& request);
// Memory of the host's that the device copies from and to.
[[nodiscard]] probe::Result<Memory> CreateStaging(Device& device, std::uint64_t bytes);
void Destroy(Device& device, Memory& memory);

}  // namespace backends::vulkan
