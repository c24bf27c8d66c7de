// SPDX-License-Identifier: MIT
// Device, memory, buffers, descriptors and pipelines.
#include "tests/fakes/vulkan/objects.h"

#include <array>

namespace fakes::vulkan {
namespace {

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks*) {
  ReachTeardown(From<Device>(device)->index);
  delete From<Device>(device);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice device, std::uint32_t, std::uint32_t, VkQueue* out) {
  *out = To<VkQueue>(&From<Device>(device)->queue);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2*, VkQueue* out) {
  GetDeviceQueue(device, 0, 0, out);
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks*, VkDeviceMemory* out) {
  auto& device = *From<Device>(handle);
  if (const VkResult error = At(Point::kAllocate, device.index); error != VK_SUCCESS) return error;
  const std::uint64_t limit = device.facts.allocation_limit_bytes.value_or(device.facts.memory_total_bytes);
  if (info->allocationSize > limit - std::min(limit, device.allocated_bytes))
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  auto memory = std::make_unique<Memory>(info->allocationSize);
  if (memory->host.bytes().empty()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  device.allocated_bytes += info->allocationSize;
  *out = To<VkDeviceMemory>(memory.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory handle, const VkAllocationCallbacks*) {
  ReachTeardown(From<Device>(device)->index);
  const std::unique_ptr<Memory> memory(From<Memory>(handle));
  if (memory) From<Device>(device)->allocated_bytes -= memory->host.bytes().size();
}

VkResult LookAtResults(VkDevice handle) {
  const auto& device = *From<Device>(handle);
  return device.launches == 0 ? VK_SUCCESS : At(Point::kReadBack, device.index);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                         VkDeviceSize, VkMemoryMapFlags, void** out) {
  *out = From<Memory>(memory)->host.bytes().data() + offset;
  return LookAtResults(device);
}

VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice, VkDeviceMemory) {}

VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice, std::uint32_t, const VkMappedMemoryRange*) {
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice device, std::uint32_t,
                                                            const VkMappedMemoryRange*) {
  return LookAtResults(device);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks*, VkBuffer* out) {
  *out = To<VkBuffer>(new Buffer{info->size, nullptr});
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                       VkMemoryRequirements* out) {
  const bool unified = From<Device>(device)->facts.unified_memory;
  *out = {From<Buffer>(buffer)->bytes, 64, unified ? 1U : 3U};
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice device,
                                                        const VkBufferMemoryRequirementsInfo2* info,
                                                        VkMemoryRequirements2* out) {
  GetBufferMemoryRequirements(device, info->buffer, &out->memoryRequirements);
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory(VkDevice, VkBuffer buffer, VkDeviceMemory memory,
                                                VkDeviceSize offset) {
  From<Buffer>(buffer)->data = From<Memory>(memory)->host.bytes().data() + offset;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice device, std::uint32_t count,
                                                 const VkBindBufferMemoryInfo* infos) {
  for (const auto& info : std::span(infos, count)) {
    (void)BindBufferMemory(device, info.buffer, info.memory, info.memoryOffset);
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice, const VkBufferViewCreateInfo* info,
                                                const VkAllocationCallbacks*, VkBufferView* out) {
  *out = To<VkBufferView>(new BufferView{From<Buffer>(info->buffer), info->offset, info->range});
  return VK_SUCCESS;
}

std::span<std::byte> Range(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) {
  if (buffer.data == nullptr || offset > buffer.bytes) return {};
  return {buffer.data + offset, std::min(bytes, buffer.bytes - offset)};
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorPool(VkDevice, const VkDescriptorPoolCreateInfo*,
                                                    const VkAllocationCallbacks*, VkDescriptorPool* out) {
  *out = To<VkDescriptorPool>(new DescriptorPool);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL ResetDescriptorPool(VkDevice, VkDescriptorPool pool,
                                                   VkDescriptorPoolResetFlags) {
  From<DescriptorPool>(pool)->sets.clear();
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateDescriptorSets(VkDevice, const VkDescriptorSetAllocateInfo* info,
                                                      VkDescriptorSet* out) {
  auto& sets = From<DescriptorPool>(info->descriptorPool)->sets;
  for (std::uint32_t i = 0; i < info->descriptorSetCount; ++i) {
    out[i] = To<VkDescriptorSet>(sets.emplace_back(std::make_unique<DescriptorSet>()).get());
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL FreeDescriptorSets(VkDevice, VkDescriptorPool pool, std::uint32_t count,
                                                  const VkDescriptorSet* handles) {
  for (const VkDescriptorSet handle : std::span(handles, count)) {
    std::erase_if(From<DescriptorPool>(pool)->sets,
                  [&](const auto& set) { return set.get() == From<DescriptorSet>(handle); });
  }
  return VK_SUCCESS;
}

std::span<std::byte> Writable(const VkWriteDescriptorSet& write, std::uint32_t element) {
  switch (write.descriptorType) {
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC: {
      const VkDescriptorBufferInfo& info = write.pBufferInfo[element];
      return Range(*From<Buffer>(info.buffer), info.offset, info.range);
    }
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: {
      const auto& view = *From<BufferView>(write.pTexelBufferView[element]);
      return Range(*view.buffer, view.offset, view.bytes);
    }
    default:
      return {};
  }
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSets(VkDevice, std::uint32_t count,
                                                const VkWriteDescriptorSet* writes, std::uint32_t,
                                                const VkCopyDescriptorSet*) {
  for (const auto& write : std::span(writes, count)) {
    for (std::uint32_t i = 0; i < write.descriptorCount; ++i) {
      From<DescriptorSet>(write.dstSet)->writable[write.dstBinding + i] = Writable(write, i);
    }
  }
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo*,
                                                  const VkAllocationCallbacks*, VkShaderModule* out) {
  if (const VkResult error = At(Point::kCompile, From<Device>(device)->index); error != VK_SUCCESS)
    return error;
  *out = To<VkShaderModule>(new Nothing);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache, std::uint32_t count,
                                                      const VkComputePipelineCreateInfo*,
                                                      const VkAllocationCallbacks*, VkPipeline* out) {
  if (const VkResult error = At(Point::kCompile, From<Device>(device)->index); error != VK_SUCCESS)
    return error;
  for (std::uint32_t i = 0; i < count; ++i) out[i] = To<VkPipeline>(new Nothing);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineCacheData(VkDevice, VkPipelineCache, std::size_t* bytes, void*) {
  *bytes = 0;
  return VK_SUCCESS;
}

template <class Info, class Handle>
VKAPI_ATTR VkResult VKAPI_CALL CreateNothing(VkDevice, const Info*, const VkAllocationCallbacks*,
                                             Handle* out) {
  *out = To<Handle>(new Nothing);
  return VK_SUCCESS;
}

template <class T, class Handle>
VKAPI_ATTR void VKAPI_CALL Destroy(VkDevice, Handle handle, const VkAllocationCallbacks*) {
  delete From<T>(handle);
}

}  // namespace

VkResult CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                      VkDevice* out) {
  const auto& source = *From<PhysicalDevice>(physical);
  if (const VkResult error = At(Point::kCreate, source.index); error != VK_SUCCESS) return error;
  *out = To<VkDevice>(new Device(source));
  return VK_SUCCESS;
}

std::span<const Entry> ObjectEntries() {
  static const std::array entries = {
      FAKE_VK_ENTRY(DestroyDevice, DestroyDevice),
      FAKE_VK_ENTRY(GetDeviceQueue, GetDeviceQueue),
      FAKE_VK_ENTRY(GetDeviceQueue2, GetDeviceQueue2),
      FAKE_VK_ENTRY(AllocateMemory, AllocateMemory),
      FAKE_VK_ENTRY(FreeMemory, FreeMemory),
      FAKE_VK_ENTRY(MapMemory, MapMemory),
      FAKE_VK_ENTRY(UnmapMemory, UnmapMemory),
      FAKE_VK_ENTRY(FlushMappedMemoryRanges, FlushMappedMemoryRanges),
      FAKE_VK_ENTRY(InvalidateMappedMemoryRanges, InvalidateMappedMemoryRanges),
      FAKE_VK_ENTRY(CreateBuffer, CreateBuffer),
      FAKE_VK_ENTRY(DestroyBuffer, Destroy<Buffer>),
      FAKE_VK_ENTRY(GetBufferMemoryRequirements, GetBufferMemoryRequirements),
      FAKE_VK_ENTRY(GetBufferMemoryRequirements2, GetBufferMemoryRequirements2),
      FAKE_VK_ENTRY(BindBufferMemory, BindBufferMemory),
      FAKE_VK_ENTRY(BindBufferMemory2, BindBufferMemory2),
      FAKE_VK_ENTRY(CreateBufferView, CreateBufferView),
      FAKE_VK_ENTRY(DestroyBufferView, Destroy<BufferView>),
      FAKE_VK_ENTRY(CreateDescriptorSetLayout, CreateNothing),
      FAKE_VK_ENTRY(DestroyDescriptorSetLayout, Destroy<Nothing>),
      FAKE_VK_ENTRY(CreateDescriptorPool, CreateDescriptorPool),
      FAKE_VK_ENTRY(DestroyDescriptorPool, Destroy<DescriptorPool>),
      FAKE_VK_ENTRY(ResetDescriptorPool, ResetDescriptorPool),
      FAKE_VK_ENTRY(AllocateDescriptorSets, AllocateDescriptorSets),
      FAKE_VK_ENTRY(FreeDescriptorSets, FreeDescriptorSets),
      FAKE_VK_ENTRY(UpdateDescriptorSets, UpdateDescriptorSets),
      FAKE_VK_ENTRY(CreateShaderModule, CreateShaderModule),
      FAKE_VK_ENTRY(DestroyShaderModule, Destroy<Nothing>),
      FAKE_VK_ENTRY(CreatePipelineLayout, CreateNothing),
      FAKE_VK_ENTRY(DestroyPipelineLayout, Destroy<Nothing>),
      FAKE_VK_ENTRY(CreatePipelineCache, CreateNothing),
      FAKE_VK_ENTRY(DestroyPipelineCache, Destroy<Nothing>),
      FAKE_VK_ENTRY(GetPipelineCacheData, GetPipelineCacheData),
      FAKE_VK_ENTRY(CreateComputePipelines, CreateComputePipelines),
      FAKE_VK_ENTRY(DestroyPipeline, Destroy<Nothing>),
      FAKE_VK_ENTRY(CreateSemaphore, CreateNothing),
      FAKE_VK_ENTRY(DestroySemaphore, Destroy<Nothing>),
  };
  return entries;
}

}  // namespace fakes::vulkan
