// SPDX-License-Identifier: MIT
// What a physical device says of itself, as read: core structures plus those of the extensions and versions
// that it has. Absent ones stay zero and their flag stays false. No judgement; counts are bounded to the
// arrays' sizes.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/ids.h"
#include "probe/vulkan/vulkan_extensions.h"
#include "probe/vulkan/vulkan_manifest.h"

namespace probe::vulkan {

struct Instance;

struct PhysicalFacts {
  std::uint32_t api_version = VK_API_VERSION_1_0;  // the lower of the instance's and the device's own
  std::vector<std::string> extensions;             // sorted
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceFeatures features{};
  VkPhysicalDeviceMemoryProperties memory{};
  std::vector<VkQueueFamilyProperties> queues;

  // Vulkan 1.1.
  VkPhysicalDeviceIDProperties ids{};
  VkPhysicalDeviceSubgroupProperties subgroup{};
  VkPhysicalDeviceMaintenance3Properties maintenance3{};
  VkPhysicalDevice16BitStorageFeatures storage16{};
  // Later versions or extensions.
  VkPhysicalDeviceDriverProperties driver{};
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{};
  VkPhysicalDeviceDrmPropertiesEXT drm{};
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
  VkPhysicalDeviceMaintenance4Properties maintenance4{};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroup_size{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_control{};
  VkPhysicalDeviceShaderIntegerDotProductProperties integer_dot{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures integer_dot_features{};
  VkPhysicalDevice8BitStorageFeatures storage8{};
  VkPhysicalDeviceShaderFloat16Int8Features float16_int8{};
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model{};
  ShaderBfloat16Features bfloat16{};
  ShaderFloat8Features float8{};
  CooperativeMatrixFeatures cooperative_matrix{};
  std::vector<CooperativeMatrixProperties> cooperative_shapes;
  std::uint64_t compute_units = 0;  // by an extension of its maker; 0: it has none

  // Which of these structures the driver knows.
  bool has_ids = false;
  bool has_driver = false;
  bool has_pci = false;
  bool has_drm = false;
  bool has_budget = false;

  [[nodiscard]] bool Has(std::string_view extension) const;
};

[[nodiscard]] PhysicalFacts ReadFacts(const Instance& instance, VkPhysicalDevice device);

// PCI address, UUIDs and ids; what the driver left empty or at zero is unknown.
[[nodiscard]] Identity IdentityOf(const PhysicalFacts& facts);
// The device's own name, cleaned.
[[nodiscard]] std::string NameOf(const PhysicalFacts& facts);

// `ordinal` is the device's position in its own driver's enumeration.
[[nodiscard]] RuntimeDevice DescribeDevice(const PhysicalFacts& facts, const DriverManifest& driver,
                                           std::uint32_t ordinal);

// The driver's name and version; from the manifest's library and the packed number where it does not say.
[[nodiscard]] std::string DriverName(const PhysicalFacts& facts, const DriverManifest& driver);
[[nodiscard]] std::string DriverVersion(const PhysicalFacts& facts);

}  // namespace probe::vulkan
