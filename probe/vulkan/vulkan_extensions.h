// SPDX-License-Identifier: MIT
// What newer headers declare and the oldest supported ones lack, under names of our own so that both can be
// present: VK_KHR_cooperative_matrix, VK_KHR_shader_bfloat16, VK_EXT_shader_float8. Numbers and layouts:
// the Vulkan registry, vk.xml 1.4.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>

namespace probe::vulkan {

inline constexpr const char* kCooperativeMatrixExtension = "VK_KHR_cooperative_matrix";
inline constexpr const char* kShaderBfloat16Extension = "VK_KHR_shader_bfloat16";
inline constexpr const char* kShaderFloat8Extension = "VK_EXT_shader_float8";

namespace structure_type {
inline constexpr auto kShaderBfloat16Features = static_cast<VkStructureType>(1000141000);
inline constexpr auto kShaderFloat8Features = static_cast<VkStructureType>(1000567000);
inline constexpr auto kCooperativeMatrixFeatures = static_cast<VkStructureType>(1000506000);
inline constexpr auto kCooperativeMatrixProperties = static_cast<VkStructureType>(1000506001);
}  // namespace structure_type

// VkComponentTypeKHR.
enum class ComponentType : std::uint32_t {
  kFloat16 = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kSint8 = 3,
  kSint16 = 4,
  kSint32 = 5,
  kSint64 = 6,
  kUint8 = 7,
  kUint16 = 8,
  kUint32 = 9,
  kUint64 = 10,
  kBfloat16 = 1000141000,
  kFloat8E4m3 = 1000491002,
  kFloat8E5m2 = 1000491003
};

// The vendor extension that the Khronos one grew from has the same component types and scopes.
static_assert(static_cast<std::uint32_t>(ComponentType::kFloat32) == VK_COMPONENT_TYPE_FLOAT32_NV);
static_assert(static_cast<std::uint32_t>(ComponentType::kSint32) == VK_COMPONENT_TYPE_SINT32_NV);
static_assert(static_cast<std::uint32_t>(ComponentType::kUint64) == VK_COMPONENT_TYPE_UINT64_NV);
inline constexpr std::uint32_t kScopeSubgroup = 3;
static_assert(kScopeSubgroup == VK_SCOPE_SUBGROUP_NV);

// VkPhysicalDeviceCooperativeMatrixFeaturesKHR.
struct CooperativeMatrixFeatures {
  VkStructureType s_type = structure_type::kCooperativeMatrixFeatures;
  void* next = nullptr;
  VkBool32 cooperative_matrix = VK_FALSE;
  VkBool32 robust_buffer_access = VK_FALSE;
};
static_assert(sizeof(CooperativeMatrixFeatures) == sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesNV));

// VkCooperativeMatrixPropertiesKHR.
struct CooperativeMatrixProperties {
  VkStructureType s_type = structure_type::kCooperativeMatrixProperties;
  void* next = nullptr;
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  ComponentType a = ComponentType::kFloat16;
  ComponentType b = ComponentType::kFloat16;
  ComponentType c = ComponentType::kFloat16;
  ComponentType result = ComponentType::kFloat16;
  VkBool32 saturating_accumulation = VK_FALSE;
  std::uint32_t scope = 0;
  bool operator==(const CooperativeMatrixProperties&) const = default;
};
static_assert(offsetof(CooperativeMatrixProperties, m) == 16);
static_assert(offsetof(CooperativeMatrixProperties, scope) == 48);
static_assert(sizeof(CooperativeMatrixProperties) == 56);

using GetCooperativeMatrixProperties = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*,
                                                            CooperativeMatrixProperties*);
inline constexpr const char* kGetCooperativeMatrixProperties =
    "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";

// VkPhysicalDeviceShaderBfloat16FeaturesKHR.
struct ShaderBfloat16Features {
  VkStructureType s_type = structure_type::kShaderBfloat16Features;
  void* next = nullptr;
  VkBool32 type = VK_FALSE;
  VkBool32 dot_product = VK_FALSE;
  VkBool32 cooperative_matrix = VK_FALSE;
};
static_assert(offsetof(ShaderBfloat16Features, cooperative_matrix) == 24);

// VkPhysicalDeviceShaderFloat8FeaturesEXT.
struct ShaderFloat8Features {
  VkStructureType s_type = structure_type::kShaderFloat8Features;
  void* next = nullptr;
  VkBool32 type = VK_FALSE;
  VkBool32 cooperative_matrix = VK_FALSE;
};
static_assert(offsetof(ShaderFloat8Features, cooperative_matrix) == 20);

}  // namespace probe::vulkan
