// SPDX-License-Identifier: MIT
// The structures that Vulkan chains behind its properties and features.
#include <algorithm>

#include "tests/fakes/vulkan/objects.h"

namespace fakes::vulkan {
namespace {

// One function a structure of the chain: fills it and nothing else.
struct Extension {
  VkStructureType type;
  void (*fill)(const fakes::Device& facts, VkBaseOutStructure* out);
};

template <class T>
T& As(VkBaseOutStructure* out) {
  return *reinterpret_cast<T*>(out);
}

template <class T>
void FillIds(const fakes::Device& facts, VkBaseOutStructure* out) {
  auto& ids = As<T>(out);
  std::copy(facts.uuid.begin(), facts.uuid.end(), ids.deviceUUID);
  std::copy(facts.driver_uuid.begin(), facts.driver_uuid.end(), ids.driverUUID);
  ids.deviceLUIDValid = VK_FALSE;
}

void FillVulkan11(const fakes::Device& facts, VkBaseOutStructure* out) {
  FillIds<VkPhysicalDeviceVulkan11Properties>(facts, out);
  auto& properties = As<VkPhysicalDeviceVulkan11Properties>(out);
  properties.subgroupSize = facts.subgroup_width;
  properties.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
  properties.subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
  properties.maxMemoryAllocationSize = facts.max_buffer_bytes;
}

void FillSubgroup(const fakes::Device& facts, VkBaseOutStructure* out) {
  auto& subgroup = As<VkPhysicalDeviceSubgroupProperties>(out);
  subgroup.subgroupSize = facts.subgroup_width;
  subgroup.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
  subgroup.supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
}

template <class T>
void FillDriver(const fakes::Device&, VkBaseOutStructure* out) {
  auto& driver = As<T>(out);
  driver.driverID = VK_DRIVER_ID_MAX_ENUM;  // no driver that anyone knows
  SetText(driver.driverName, Current().driver_name);
  SetText(driver.driverInfo, Current().driver_version);
  driver.conformanceVersion = {1, 3, 0, 0};
}

void FillPci(const fakes::Device& facts, VkBaseOutStructure* out) {
  if (!facts.pci) return;
  auto& pci = As<VkPhysicalDevicePCIBusInfoPropertiesEXT>(out);
  pci.pciDomain = facts.pci->domain;
  pci.pciBus = facts.pci->bus;
  pci.pciDevice = facts.pci->device;
  pci.pciFunction = facts.pci->function;
}

void FillMaintenance3(const fakes::Device& facts, VkBaseOutStructure* out) {
  auto& maintenance = As<VkPhysicalDeviceMaintenance3Properties>(out);
  maintenance.maxPerSetDescriptors = 1024;
  maintenance.maxMemoryAllocationSize = facts.max_buffer_bytes;
}

void FillBudget(const fakes::Device& facts, VkBaseOutStructure* out) {
  auto& budget = As<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(out);
  budget.heapBudget[0] = facts.memory_free_bytes.value_or(facts.memory_total_bytes);
  budget.heapBudget[1] = kHostHeapBytes;
}

void FillFloat16(const fakes::Device& facts, VkBaseOutStructure* out) {
  As<VkPhysicalDeviceShaderFloat16Int8Features>(out).shaderFloat16 = facts.fp16 ? VK_TRUE : VK_FALSE;
}

void FillStorage16(const fakes::Device& facts, VkBaseOutStructure* out) {
  As<VkPhysicalDevice16BitStorageFeatures>(out).storageBuffer16BitAccess = facts.fp16 ? VK_TRUE : VK_FALSE;
}

void FillVulkan12Features(const fakes::Device& facts, VkBaseOutStructure* out) {
  auto& features = As<VkPhysicalDeviceVulkan12Features>(out);
  features.shaderFloat16 = facts.fp16 ? VK_TRUE : VK_FALSE;
  features.hostQueryReset = VK_TRUE;
}

constexpr Extension kExtensions[] = {
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, FillIds<VkPhysicalDeviceIDProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, FillVulkan11},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, FillDriver<VkPhysicalDeviceVulkan12Properties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, FillDriver<VkPhysicalDeviceDriverProperties>},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, FillSubgroup},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT, FillPci},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, FillMaintenance3},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT, FillBudget},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, FillFloat16},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, FillStorage16},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, FillVulkan12Features},
};

}  // namespace

void FillChain(const fakes::Device& facts, void* chain) {
  for (auto* out = static_cast<VkBaseOutStructure*>(chain); out != nullptr; out = out->pNext) {
    for (const auto& [type, fill] : kExtensions) {
      if (type == out->sType) fill(facts, out);
    }
  }
}

}  // namespace fakes::vulkan
