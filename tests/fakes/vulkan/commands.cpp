// SPDX-License-Identifier: MIT
// Command buffers, submission, fences and queries. A submission has run when vkQueueSubmit returns.
#include <array>
#include <cstring>

#include "tests/fakes/common/launch.h"
#include "tests/fakes/vulkan/objects.h"

namespace fakes::vulkan {
namespace {

VKAPI_ATTR VkResult VKAPI_CALL CreateCommandPool(VkDevice, const VkCommandPoolCreateInfo*,
                                                 const VkAllocationCallbacks*, VkCommandPool* out) {
  *out = To<VkCommandPool>(new CommandPool);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyCommandPool(VkDevice, VkCommandPool pool, const VkAllocationCallbacks*) {
  delete From<CommandPool>(pool);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice, VkCommandPool pool, VkCommandPoolResetFlags) {
  for (const auto& buffer : From<CommandPool>(pool)->buffers) buffer->commands.clear();
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice device,
                                                      const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* out) {
  auto& buffers = From<CommandPool>(info->commandPool)->buffers;
  for (std::uint32_t i = 0; i < info->commandBufferCount; ++i) {
    CommandBuffer* buffer = buffers.emplace_back(std::make_unique<CommandBuffer>()).get();
    buffer->device = From<Device>(device);
    out[i] = To<VkCommandBuffer>(buffer);
  }
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice, VkCommandPool pool, std::uint32_t count,
                                              const VkCommandBuffer* handles) {
  for (const VkCommandBuffer handle : std::span(handles, count)) {
    std::erase_if(From<CommandPool>(pool)->buffers,
                  [&](const auto& buffer) { return buffer.get() == From<CommandBuffer>(handle); });
  }
}

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo*) {
  From<CommandBuffer>(buffer)->commands.clear();
  From<CommandBuffer>(buffer)->sets.clear();
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer) { return VK_SUCCESS; }

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer buffer, VkCommandBufferResetFlags) {
  return BeginCommandBuffer(buffer, nullptr);
}

template <class Command>
void Record(VkCommandBuffer buffer, Command command) {
  From<CommandBuffer>(buffer)->commands.emplace_back(std::move(command));
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer buffer, VkPipelineBindPoint,
                                                 VkPipelineLayout, std::uint32_t first, std::uint32_t count,
                                                 const VkDescriptorSet* sets, std::uint32_t,
                                                 const std::uint32_t*) {
  for (std::uint32_t i = 0; i < count; ++i) {
    From<CommandBuffer>(buffer)->sets[first + i] = From<DescriptorSet>(sets[i]);
  }
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer buffer, std::uint32_t, std::uint32_t, std::uint32_t) {
  Device* device = From<CommandBuffer>(buffer)->device;
  Record(buffer, [device, sets = From<CommandBuffer>(buffer)->sets] {
    std::vector<std::span<std::byte>> outputs;
    for (const auto& [number, set] : sets) {
      for (const auto& [binding, bytes] : set->writable) outputs.push_back(bytes);
    }
    ++device->launches;
    Launch(device->facts, outputs);
  });
}

VKAPI_ATTR void VKAPI_CALL CmdCopyBuffer(VkCommandBuffer buffer, VkBuffer from, VkBuffer to,
                                         std::uint32_t count, const VkBufferCopy* regions) {
  for (const auto& region : std::span(regions, count)) {
    Record(buffer, [from = From<Buffer>(from), to = From<Buffer>(to), region] {
      std::memmove(to->data + region.dstOffset, from->data + region.srcOffset, region.size);
    });
  }
}

VKAPI_ATTR void VKAPI_CALL CmdFillBuffer(VkCommandBuffer buffer, VkBuffer to, VkDeviceSize offset,
                                         VkDeviceSize bytes, std::uint32_t word) {
  Record(buffer, [to = From<Buffer>(to), offset, bytes, word] {
    const std::uint64_t end = bytes == VK_WHOLE_SIZE ? to->bytes : offset + bytes;
    for (std::uint64_t at = offset; at + sizeof(word) <= end; at += sizeof(word)) {
      std::memcpy(to->data + at, &word, sizeof(word));
    }
  });
}

VKAPI_ATTR void VKAPI_CALL CmdUpdateBuffer(VkCommandBuffer buffer, VkBuffer to, VkDeviceSize offset,
                                           VkDeviceSize bytes, const void* data) {
  const auto* begin = static_cast<const std::byte*>(data);
  Record(buffer, [to = From<Buffer>(to), offset, copy = std::vector<std::byte>(begin, begin + bytes)] {
    std::copy(copy.begin(), copy.end(), to->data + offset);
  });
}

VKAPI_ATTR void VKAPI_CALL CmdResetQueryPool(VkCommandBuffer buffer, VkQueryPool pool, std::uint32_t first,
                                             std::uint32_t count) {
  Record(buffer, [values = &From<QueryPool>(pool)->values, first, count] {
    for (std::uint32_t i = first; i < first + count; ++i) values->at(i).reset();
  });
}

VKAPI_ATTR void VKAPI_CALL ResetQueryPool(VkDevice, VkQueryPool pool, std::uint32_t first,
                                          std::uint32_t count) {
  for (std::uint32_t i = first; i < first + count; ++i) From<QueryPool>(pool)->values.at(i).reset();
}

VKAPI_ATTR void VKAPI_CALL CmdWriteTimestamp(VkCommandBuffer buffer, VkPipelineStageFlagBits,
                                             VkQueryPool pool, std::uint32_t query) {
  Device* device = From<CommandBuffer>(buffer)->device;
  Record(buffer, [device, values = &From<QueryPool>(pool)->values, query] {
    values->at(query) = EventTime(device->facts, device->start);
  });
}

VKAPI_ATTR void VKAPI_CALL CmdWriteTimestamp2(VkCommandBuffer buffer, VkPipelineStageFlags2, VkQueryPool pool,
                                              std::uint32_t query) {
  CmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, query);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateQueryPool(VkDevice, const VkQueryPoolCreateInfo* info,
                                               const VkAllocationCallbacks*, VkQueryPool* out) {
  auto pool = std::make_unique<QueryPool>();
  pool->values.resize(info->queryCount);
  *out = To<VkQueryPool>(pool.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyQueryPool(VkDevice, VkQueryPool pool, const VkAllocationCallbacks*) {
  delete From<QueryPool>(pool);
}

VKAPI_ATTR VkResult VKAPI_CALL GetQueryPoolResults(VkDevice, VkQueryPool pool, std::uint32_t first,
                                                   std::uint32_t count, std::size_t bytes, void* out,
                                                   VkDeviceSize stride, VkQueryResultFlags flags) {
  const bool wide = (flags & VK_QUERY_RESULT_64_BIT) != 0;
  const std::size_t width = wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
  const auto put = [&](std::size_t at, std::uint64_t value) {
    if (at + width > bytes) return;
    const auto narrow = static_cast<std::uint32_t>(value);
    std::memcpy(static_cast<std::byte*>(out) + at,
                wide ? static_cast<void*>(&value) : const_cast<std::uint32_t*>(&narrow), width);
  };
  VkResult result = VK_SUCCESS;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& value = From<QueryPool>(pool)->values.at(first + i);
    if (value) put(i * stride, *value);
    if ((flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0) put(i * stride + width, value ? 1 : 0);
    if (!value) result = VK_NOT_READY;
  }
  return result;
}

// Ends early where the device is lost.
VkResult Run(Device& device, CommandBuffer& buffer) {
  for (const auto& command : buffer.commands) {
    device.lost = device.lost || device.launches >= device.facts.lost_after_launches.value_or(UINT32_MAX);
    if (device.lost) return VK_ERROR_DEVICE_LOST;
    command();
  }
  return VK_SUCCESS;
}

VkResult RunAll(VkQueue queue, std::span<const VkCommandBuffer> buffers) {
  Device& device = *From<Queue>(queue)->device;
  if (const VkResult error = At(Point::kLaunch, device.index); error != VK_SUCCESS) return error;
  for (const VkCommandBuffer buffer : buffers) {
    if (const VkResult error = Run(device, *From<CommandBuffer>(buffer)); error != VK_SUCCESS) return error;
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* submits,
                                           VkFence fence) {
  for (const auto& submit : std::span(submits, count)) {
    const VkResult error = RunAll(queue, {submit.pCommandBuffers, submit.commandBufferCount});
    if (error != VK_SUCCESS) return error;
  }
  if (fence != nullptr) From<Fence>(fence)->signalled = true;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* submits,
                                            VkFence fence) {
  for (const auto& submit : std::span(submits, count)) {
    for (const auto& info : std::span(submit.pCommandBufferInfos, submit.commandBufferInfoCount)) {
      if (const VkResult error = RunAll(queue, {&info.commandBuffer, 1}); error != VK_SUCCESS) return error;
    }
  }
  if (fence != nullptr) From<Fence>(fence)->signalled = true;
  return VK_SUCCESS;
}

VkResult Alive(const Device& device) { return device.lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS; }

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue queue) { return Alive(*From<Queue>(queue)->device); }

VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice device) { return Alive(*From<Device>(device)); }

VKAPI_ATTR VkResult VKAPI_CALL CreateFence(VkDevice, const VkFenceCreateInfo* info,
                                           const VkAllocationCallbacks*, VkFence* out) {
  *out = To<VkFence>(new Fence{(info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0});
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyFence(VkDevice, VkFence fence, const VkAllocationCallbacks*) {
  delete From<Fence>(fence);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetFences(VkDevice, std::uint32_t count, const VkFence* fences) {
  for (const VkFence fence : std::span(fences, count)) From<Fence>(fence)->signalled = false;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice, VkFence fence) {
  return From<Fence>(fence)->signalled ? VK_SUCCESS : VK_NOT_READY;
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice device, std::uint32_t count, const VkFence* fences,
                                             VkBool32, std::uint64_t) {
  for (const VkFence fence : std::span(fences, count)) {
    if (!From<Fence>(fence)->signalled) return VK_TIMEOUT;
  }
  return Alive(*From<Device>(device));
}

// Commands without an effect here: binding a pipeline, push constants, barriers.
template <class... Arguments>
VKAPI_ATTR void VKAPI_CALL Ignore(Arguments...) {}

}  // namespace

std::span<const Entry> CommandEntries() {
  static const std::array entries = {
      FAKE_VK_ENTRY(CreateCommandPool, CreateCommandPool),
      FAKE_VK_ENTRY(DestroyCommandPool, DestroyCommandPool),
      FAKE_VK_ENTRY(ResetCommandPool, ResetCommandPool),
      FAKE_VK_ENTRY(AllocateCommandBuffers, AllocateCommandBuffers),
      FAKE_VK_ENTRY(FreeCommandBuffers, FreeCommandBuffers),
      FAKE_VK_ENTRY(BeginCommandBuffer, BeginCommandBuffer),
      FAKE_VK_ENTRY(EndCommandBuffer, EndCommandBuffer),
      FAKE_VK_ENTRY(ResetCommandBuffer, ResetCommandBuffer),
      FAKE_VK_ENTRY(CmdBindPipeline, Ignore),
      FAKE_VK_ENTRY(CmdBindDescriptorSets, CmdBindDescriptorSets),
      FAKE_VK_ENTRY(CmdPushConstants, Ignore),
      FAKE_VK_ENTRY(CmdPipelineBarrier, Ignore),
      FAKE_VK_ENTRY(CmdPipelineBarrier2, Ignore),
      FAKE_VK_ENTRY(CmdDispatch, CmdDispatch),
      FAKE_VK_ENTRY(CmdCopyBuffer, CmdCopyBuffer),
      FAKE_VK_ENTRY(CmdFillBuffer, CmdFillBuffer),
      FAKE_VK_ENTRY(CmdUpdateBuffer, CmdUpdateBuffer),
      FAKE_VK_ENTRY(CmdResetQueryPool, CmdResetQueryPool),
      FAKE_VK_ENTRY(CmdWriteTimestamp, CmdWriteTimestamp),
      FAKE_VK_ENTRY(CmdWriteTimestamp2, CmdWriteTimestamp2),
      FAKE_VK_ENTRY(ResetQueryPool, ResetQueryPool),
      FAKE_VK_ENTRY(CreateQueryPool, CreateQueryPool),
      FAKE_VK_ENTRY(DestroyQueryPool, DestroyQueryPool),
      FAKE_VK_ENTRY(GetQueryPoolResults, GetQueryPoolResults),
      FAKE_VK_ENTRY(QueueSubmit, QueueSubmit),
      FAKE_VK_ENTRY(QueueSubmit2, QueueSubmit2),
      FAKE_VK_ENTRY(QueueWaitIdle, QueueWaitIdle),
      FAKE_VK_ENTRY(DeviceWaitIdle, DeviceWaitIdle),
      FAKE_VK_ENTRY(CreateFence, CreateFence),
      FAKE_VK_ENTRY(DestroyFence, DestroyFence),
      FAKE_VK_ENTRY(ResetFences, ResetFences),
      FAKE_VK_ENTRY(GetFenceStatus, GetFenceStatus),
      FAKE_VK_ENTRY(WaitForFences, WaitForFences),
  };
  return entries;
}

}  // namespace fakes::vulkan
