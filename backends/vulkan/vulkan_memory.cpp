// SPDX-License-Identifier: MIT
#include <array>
#include <bit>

#include "backends/vulkan/vulkan_session.h"

namespace backends::vulkan {
namespace {

using probe::Error;
using probe::Result;
using probe::Status;

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

// Drivers order their types by speed: the first with the properties, within the allowed ones.
std::optional<std::uint32_t> FindType(const Device& device, std::uint32_t allowed,
                                      VkMemoryPropertyFlags wanted) {
  const auto& memory = device.facts().memory;
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const auto flags = memory.memoryTypes[i].propertyFlags;
    if ((allowed & (1U << i)) != 0 && (flags & wanted) == wanted) return i;
  }
  return std::nullopt;
}

template <std::size_t kCount>
std::optional<std::uint32_t> FirstType(const Device& device, std::uint32_t allowed,
                                       const std::array<VkMemoryPropertyFlags, kCount>& preferences) {
  for (const auto wanted : preferences) {
    if (const auto type = FindType(device, allowed, wanted)) return type;
  }
  return std::nullopt;
}

constexpr std::uint64_t kTexelBytes = 16;

VkFormat FormatOf(kernels::View view) {
  return view == kernels::View::kTexelUint4 ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32G32B32A32_SFLOAT;
}

Status CreateBuffer(Device& device, std::uint64_t bytes, VkBufferUsageFlags usage, Memory& out) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  out.bytes = bytes;
  const VkResult result = device.functions().vkCreateBuffer(device.handle(), &info, nullptr, &out.buffer);
  if (result != VK_SUCCESS) return device.Fail("vkCreateBuffer", result);
  return probe::Ok();
}

Status Allocate(Device& device, std::optional<std::uint32_t> type, std::uint64_t bytes, Memory& out) {
  if (!type)
    return Error{"vkAllocateMemory", std::nullopt, "no memory type", "no kind of memory suits the buffer"};
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = bytes;
  info.memoryTypeIndex = *type;
  const auto& functions = device.functions();
  if (const VkResult result = functions.vkAllocateMemory(device.handle(), &info, nullptr, &out.memory);
      result != VK_SUCCESS) {
    return device.Fail("vkAllocateMemory", result);
  }
  if (const VkResult result = functions.vkBindBufferMemory(device.handle(), out.buffer, out.memory, 0);
      result != VK_SUCCESS) {
    return device.Fail("vkBindBufferMemory", result);
  }
  return probe::Ok();
}

Status Map(Device& device, Memory& out) {
  void* address = nullptr;
  const VkResult result =
      device.functions().vkMapMemory(device.handle(), out.memory, 0, VK_WHOLE_SIZE, 0, &address);
  if (result != VK_SUCCESS || address == nullptr) return device.Fail("vkMapMemory", result);
  out.mapped = static_cast<std::byte*>(address);
  return probe::Ok();
}

Status CreateViews(Device& device, const BufferRequest& request, Memory& out) {
  for (const kernels::View view : request.views) {
    if (view == kernels::View::kStorage || out.views.contains(view)) continue;
    VkBufferViewCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
    info.buffer = out.buffer;
    info.format = FormatOf(view);
    info.range = VK_WHOLE_SIZE;
    VkBufferView handle = VK_NULL_HANDLE;
    if (const VkResult result =
            device.functions().vkCreateBufferView(device.handle(), &info, nullptr, &handle);
        result != VK_SUCCESS) {
      return device.Fail("vkCreateBufferView", result);
    }
    out.views[view] = handle;
  }
  return probe::Ok();
}

// llvmpipe compiles a shader anew, for tenths of a second, for every combination of its texel buffers' sizes
// being powers of two or not and having zeros in bits 8 to 15, where a texture's last level would stand
// (lp_sampler_static_texture_state in Mesa's gallium/auxiliary/gallivm/lp_bld_sample.c). Next to such a size
// there is one with neither property.
std::uint64_t UniformSize(const Device& device, std::uint64_t bytes) {
  const auto& properties = device.facts().properties;
  if (properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU) return bytes;
  std::uint64_t size = bytes;
  while (std::has_single_bit(size) || (size >> 8U & 0xffU) == 0) size += 17 * kTexelBytes;
  return size <= properties.limits.maxTexelBufferElements * kTexelBytes ? size : bytes;
}

Status Fill(Device& device, const BufferRequest& request, Memory& out) {
  constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                        VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const std::uint64_t size = UniformSize(device, request.bytes);
  if (auto status = CreateBuffer(device, size, kUsage, out); !status) return status;
  out.bytes = request.bytes;
  VkMemoryRequirements needs{};
  device.functions().vkGetBufferMemoryRequirements(device.handle(), out.buffer, &needs);
  const auto type = FirstType(device, needs.memoryTypeBits, std::array{kLocal, VkMemoryPropertyFlags{0}});
  if (auto status = Allocate(device, type, needs.size, out); !status) return status;
  // Memory that the host does not cache is slow to read: that goes through staging.
  constexpr auto kDirect = kVisible | kCached;
  if ((device.facts().memory.memoryTypes[*type].propertyFlags & kDirect) == kDirect) {
    if (auto status = Map(device, out); !status) return status;
  }
  return CreateViews(device, request, out);
}

Status FillStaging(Device& device, std::uint64_t bytes, Memory& out) {
  constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (auto status = CreateBuffer(device, bytes, kUsage, out); !status) return status;
  VkMemoryRequirements needs{};
  device.functions().vkGetBufferMemoryRequirements(device.handle(), out.buffer, &needs);
  const auto type = FirstType(device, needs.memoryTypeBits, std::array{kVisible | kCached, kVisible});
  if (auto status = Allocate(device, type, needs.size, out); !status) return status;
  return Map(device, out);
}

}  // namespace

Result<Memory> CreateMemory(Device& device, const BufferRequest& request) {
  Memory memory;
  if (auto status = Fill(device, request, memory); !status) {
    Destroy(device, memory);
    return status.error();
  }
  return memory;
}

Result<Memory> CreateStaging(Device& device, std::uint64_t bytes) {
  Memory memory;
  if (auto status = FillStaging(device, bytes, memory); !status) {
    Destroy(device, memory);
    return status.error();
  }
  return memory;
}

void Destroy(Device& device, Memory& memory) {
  if (device.lost()) return;
  const auto& functions = device.functions();
  for (const auto& [view, handle] : memory.views)
    functions.vkDestroyBufferView(device.handle(), handle, nullptr);
  if (memory.buffer != VK_NULL_HANDLE) functions.vkDestroyBuffer(device.handle(), memory.buffer, nullptr);
  if (memory.memory != VK_NULL_HANDLE) functions.vkFreeMemory(device.handle(), memory.memory, nullptr);
  memory = {};
}

}  // namespace backends::vulkan
