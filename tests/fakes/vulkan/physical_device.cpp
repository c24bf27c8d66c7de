// SPDX-License-Identifier: MIT
// What the fake says of a device: properties, features, queues, memory, extensions.
#include <algorithm>
#include <array>
#include <string_view>

#include "tests/fakes/vulkan/objects.h"

namespace fakes::vulkan {
namespace {

constexpr std::array kTypes = {VK_PHYSICAL_DEVICE_TYPE_OTHER, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                               VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
                               VK_PHYSICAL_DEVICE_TYPE_CPU};

const PhysicalDevice& Of(VkPhysicalDevice device) { return *From<PhysicalDevice>(device); }

void SetLimits(const fakes::Device& facts, VkPhysicalDeviceLimits& limits) {
  limits.maxStorageBufferRange =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(facts.max_buffer_bytes, UINT32_MAX));
  limits.maxUniformBufferRange = 65536;
  limits.maxTexelBufferElements = limits.maxStorageBufferRange / 16;
  limits.maxPushConstantsSize = 256;
  limits.maxMemoryAllocationCount = 4096;
  limits.bufferImageGranularity = 1;
  limits.maxBoundDescriptorSets = 8;
  limits.maxPerStageDescriptorStorageBuffers = 64;
  limits.maxDescriptorSetStorageBuffers = 256;
  limits.maxPerStageDescriptorSampledImages = 64;
  limits.maxPerStageDescriptorStorageImages = 64;
  limits.maxPerStageResources = 256;
  limits.maxComputeSharedMemorySize = facts.shared_memory_bytes;
  std::fill_n(limits.maxComputeWorkGroupCount, 3, 65535U);
  std::fill_n(limits.maxComputeWorkGroupSize, 3, facts.max_workgroup_size);
  limits.maxComputeWorkGroupInvocations = facts.max_workgroup_size;
  limits.minMemoryMapAlignment = 4096;
  limits.minTexelBufferOffsetAlignment = 16;
  limits.minUniformBufferOffsetAlignment = 16;
  limits.minStorageBufferOffsetAlignment = 16;
  limits.nonCoherentAtomSize = 64;
  limits.timestampComputeAndGraphics = facts.timestamp_bits > 0 ? VK_TRUE : VK_FALSE;
  limits.timestampPeriod = 1.0F;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device,
                                                       VkPhysicalDeviceProperties* out) {
  const fakes::Device& facts = Of(device).facts;
  *out = {};
  if (At(Point::kProperties, Of(device).index) != VK_SUCCESS) return;
  const auto version = Current().api_version.value_or(std::array<std::uint32_t, 2>{1, 3});
  out->apiVersion = VK_MAKE_API_VERSION(0, version[0], version[1], 0);
  out->driverVersion = VK_MAKE_API_VERSION(0, 1, 2, 3);
  out->vendorID = facts.vendor_id;
  out->deviceID = facts.device_id;
  out->deviceType = kTypes.at(static_cast<std::size_t>(facts.type));
  SetText(out->deviceName, facts.name);
  std::copy(facts.uuid.begin(), facts.uuid.end(), out->pipelineCacheUUID);
  SetLimits(facts, out->limits);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                        VkPhysicalDeviceProperties2* out) {
  GetPhysicalDeviceProperties(device, &out->properties);
  FillChain(Of(device).facts, out->pNext);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures* out) {
  *out = {};
  out->robustBufferAccess = VK_TRUE;
  out->shaderInt64 = VK_TRUE;
  out->shaderFloat64 = Of(device).facts.fp64 ? VK_TRUE : VK_FALSE;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device,
                                                      VkPhysicalDeviceFeatures2* out) {
  GetPhysicalDeviceFeatures(device, &out->features);
  FillChain(Of(device).facts, out->pNext);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device,
                                                                  std::uint32_t* count,
                                                                  VkQueueFamilyProperties* out) {
  const VkQueueFamilyProperties family{
      VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, Of(device).facts.timestamp_bits, {1, 1, 1}};
  (void)Fill<VkQueueFamilyProperties>({&family, 1}, count, out);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice device,
                                                                   std::uint32_t* count,
                                                                   VkQueueFamilyProperties2* out) {
  GetPhysicalDeviceQueueFamilyProperties(device, count,
                                         out == nullptr ? nullptr : &out->queueFamilyProperties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device,
                                                             VkPhysicalDeviceMemoryProperties* out) {
  const fakes::Device& facts = Of(device).facts;
  *out = {};
  if (facts.no_heaps) return;
  constexpr VkMemoryPropertyFlags kHostFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  out->memoryHeaps[0] = {facts.memory_total_bytes, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  out->memoryHeaps[1] = {kHostHeapBytes, 0};
  out->memoryHeapCount = facts.unified_memory ? 1 : 2;
  out->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | (facts.unified_memory ? kHostFlags : 0), 0};
  out->memoryTypes[1] = {kHostFlags, 1};
  out->memoryTypeCount = out->memoryHeapCount;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice device,
                                                              VkPhysicalDeviceMemoryProperties2* out) {
  GetPhysicalDeviceMemoryProperties(device, &out->memoryProperties);
  FillChain(Of(device).facts, out->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char*,
                                                                  std::uint32_t* count,
                                                                  VkExtensionProperties* out) {
  std::vector<VkExtensionProperties> extensions;
  const auto add = [&](const char* name) {
    SetText(extensions.emplace_back().extensionName, name);
    extensions.back().specVersion = 1;
  };
  if (Of(device).facts.pci) add(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
  if (Of(device).facts.memory_free_bytes) add(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  add(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
  return Fill<VkExtensionProperties>(extensions, count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceLayerProperties(VkPhysicalDevice, std::uint32_t* count,
                                                              VkLayerProperties* out) {
  return Fill<VkLayerProperties>({}, count, out);
}

// Every buffer format can be a texel buffer; there are no images.
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties(VkPhysicalDevice, VkFormat,
                                                             VkFormatProperties* out) {
  *out = {0, 0, VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT};
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties2(VkPhysicalDevice device, VkFormat format,
                                                              VkFormatProperties2* out) {
  GetPhysicalDeviceFormatProperties(device, format, &out->formatProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice, VkFormat, VkImageType,
                                                                      VkImageTiling, VkImageUsageFlags,
                                                                      VkImageCreateFlags,
                                                                      VkImageFormatProperties* out) {
  *out = {};
  return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice, const VkPhysicalDeviceImageFormatInfo2*, VkImageFormatProperties2*) {
  return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice, VkFormat,
                                                                        VkImageType, VkSampleCountFlagBits,
                                                                        VkImageUsageFlags, VkImageTiling,
                                                                        std::uint32_t* count,
                                                                        VkSparseImageFormatProperties*) {
  *count = 0;
}

VKAPI_ATTR void VKAPI_CALL
GetPhysicalDeviceSparseImageFormatProperties2(VkPhysicalDevice, const VkPhysicalDeviceSparseImageFormatInfo2*,
                                              std::uint32_t* count, VkSparseImageFormatProperties2*) {
  *count = 0;
}

// vkGetPhysicalDeviceExternal{Buffer,Fence,Semaphore}Properties: nothing can be shared.
template <class Info, class Properties>
VKAPI_ATTR void VKAPI_CALL NothingExternal(VkPhysicalDevice, const Info*, Properties*) {}

}  // namespace

std::span<const Entry> PhysicalDeviceEntries() {
  static const std::array entries = {
      FAKE_VK_ENTRY(GetPhysicalDeviceProperties, GetPhysicalDeviceProperties),
      FAKE_VK_ENTRY(GetPhysicalDeviceProperties2, GetPhysicalDeviceProperties2),
      FAKE_VK_ENTRY(GetPhysicalDeviceProperties2KHR, GetPhysicalDeviceProperties2),
      FAKE_VK_ENTRY(GetPhysicalDeviceFeatures, GetPhysicalDeviceFeatures),
      FAKE_VK_ENTRY(GetPhysicalDeviceFeatures2, GetPhysicalDeviceFeatures2),
      FAKE_VK_ENTRY(GetPhysicalDeviceFeatures2KHR, GetPhysicalDeviceFeatures2),
      FAKE_VK_ENTRY(GetPhysicalDeviceQueueFamilyProperties, GetPhysicalDeviceQueueFamilyProperties),
      FAKE_VK_ENTRY(GetPhysicalDeviceQueueFamilyProperties2, GetPhysicalDeviceQueueFamilyProperties2),
      FAKE_VK_ENTRY(GetPhysicalDeviceQueueFamilyProperties2KHR, GetPhysicalDeviceQueueFamilyProperties2),
      FAKE_VK_ENTRY(GetPhysicalDeviceMemoryProperties, GetPhysicalDeviceMemoryProperties),
      FAKE_VK_ENTRY(GetPhysicalDeviceMemoryProperties2, GetPhysicalDeviceMemoryProperties2),
      FAKE_VK_ENTRY(GetPhysicalDeviceMemoryProperties2KHR, GetPhysicalDeviceMemoryProperties2),
      FAKE_VK_ENTRY(EnumerateDeviceExtensionProperties, EnumerateDeviceExtensionProperties),
      FAKE_VK_ENTRY(EnumerateDeviceLayerProperties, EnumerateDeviceLayerProperties),
      FAKE_VK_ENTRY(GetPhysicalDeviceFormatProperties, GetPhysicalDeviceFormatProperties),
      FAKE_VK_ENTRY(GetPhysicalDeviceFormatProperties2, GetPhysicalDeviceFormatProperties2),
      FAKE_VK_ENTRY(GetPhysicalDeviceImageFormatProperties, GetPhysicalDeviceImageFormatProperties),
      FAKE_VK_ENTRY(GetPhysicalDeviceImageFormatProperties2, GetPhysicalDeviceImageFormatProperties2),
      FAKE_VK_ENTRY(GetPhysicalDeviceSparseImageFormatProperties,
                    GetPhysicalDeviceSparseImageFormatProperties),
      FAKE_VK_ENTRY(GetPhysicalDeviceSparseImageFormatProperties2,
                    GetPhysicalDeviceSparseImageFormatProperties2),
      FAKE_VK_ENTRY(GetPhysicalDeviceExternalBufferProperties, NothingExternal),
      FAKE_VK_ENTRY(GetPhysicalDeviceExternalFenceProperties, NothingExternal),
      FAKE_VK_ENTRY(GetPhysicalDeviceExternalSemaphoreProperties, NothingExternal),
  };
  return entries;
}

}  // namespace fakes::vulkan
