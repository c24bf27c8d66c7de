// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/vulkan/vulkan_facts.h"
#include "probe/vulkan/vulkan_names.h"

namespace probe::vulkan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

DriverManifest Driver() {
  return {"/usr/share/vulkan/icd.d/x.json", "/usr/lib/libvulkan_x.so", false, Outcome::kOk, {}};
}

PhysicalFacts Discrete() {
  PhysicalFacts facts;
  facts.properties.vendorID = 0x10de;
  facts.properties.deviceID = 0x2684;
  facts.properties.apiVersion = VK_MAKE_API_VERSION(0, 1, 3, 277);
  facts.properties.driverVersion = (550U << 22U) | (54U << 14U) | (14U << 6U);
  facts.properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  std::strcpy(facts.properties.deviceName, "NVIDIA GeForce RTX 4090");
  facts.memory.memoryHeapCount = 2;
  facts.memory.memoryHeaps[0] = {24U * (std::uint64_t{1} << 30U), VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  facts.memory.memoryHeaps[1] = {64U * (std::uint64_t{1} << 30U), 0};
  facts.compute_units = 128;
  facts.subgroup.subgroupSize = 32;
  facts.has_pci = true;
  facts.pci.pciBus = 1;
  return facts;
}

TEST(Description, OfADiscreteDevice) {
  const auto device = DescribeDevice(Discrete(), Driver(), 2);
  EXPECT_EQ(device.runtime, "vulkan");
  EXPECT_EQ(device.manifest, "/usr/share/vulkan/icd.d/x.json");
  EXPECT_EQ(device.ordinal, 2U);
  EXPECT_EQ(device.name, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(device.vendor, "NVIDIA");
  EXPECT_EQ(device.kind, DeviceKind::kDiscrete);
  EXPECT_EQ(device.api_version, "1.3.277");
  EXPECT_EQ(device.driver_version, "550.54.14");
  EXPECT_EQ(device.driver, "libvulkan_x.so");
  EXPECT_EQ(device.memory_total_bytes, 24U * (std::uint64_t{1} << 30U));
  EXPECT_FALSE(device.memory_free_bytes);
  EXPECT_EQ(device.compute_units, 128U);
  EXPECT_EQ(device.subgroup_width, 32U);
  EXPECT_EQ(device.unified_memory, false);
  EXPECT_EQ(device.identity.pci, (PciAddress{0, 1, 0, 0}));
  EXPECT_EQ(device.identity.ids->device, 0x2684U);
  EXPECT_FALSE(device.identity.uuid);
}

TEST(Description, OfATypeThatNoHeaderNamesIsOfUnknownKind) {
  auto facts = Discrete();
  const std::uint32_t type = 0xdeadbeef;
  std::memcpy(&facts.properties.deviceType, &type, sizeof type);
  EXPECT_EQ(DescribeDevice(facts, Driver(), 0).kind, DeviceKind::kUnknown);
}

TEST(Description, CountsWhatOthersLeaveOfABudget) {
  auto facts = Discrete();
  facts.has_budget = true;
  facts.budget.heapBudget[0] = 20U << 20U;
  facts.budget.heapUsage[0] = 5U << 20U;
  EXPECT_EQ(DescribeDevice(facts, Driver(), 0).memory_free_bytes, 15U << 20U);
  facts.budget.heapUsage[0] = 25U << 20U;
  EXPECT_EQ(DescribeDevice(facts, Driver(), 0).memory_free_bytes, 0U);
}

TEST(Description, NamesItsDeviceNodesByNumber) {
  auto facts = Discrete();
  facts.drm.hasRender = VK_TRUE;
  facts.drm.renderMajor = 226;
  facts.drm.renderMinor = 128;
  facts.drm.primaryMajor = 226;
  EXPECT_THAT(DescribeDevice(facts, Driver(), 0).facts, Not(Contains(Fact{"drm_render", "226:128"})));
  facts.has_drm = true;
  const auto device = DescribeDevice(facts, Driver(), 0);
  EXPECT_THAT(device.facts, Contains(Fact{"drm_render", "226:128"}));
  EXPECT_THAT(device.facts, Not(Contains(::testing::Field(&Fact::key, "drm_primary"))));
}

TEST(Description, WithoutHeapsHasNoMemoryAndSaysSo) {
  auto facts = Discrete();
  facts.memory.memoryHeapCount = 0;
  const auto device = DescribeDevice(facts, Driver(), 0);
  EXPECT_FALSE(device.memory_total_bytes);
  EXPECT_THAT(device.facts, Contains(Fact{"memory_heaps", "0"}));
}

TEST(Description, ListsTypesAndMatrixUnitsOnce) {
  auto facts = Discrete();
  facts.float16_int8.shaderFloat16 = VK_TRUE;
  facts.bfloat16.type = VK_TRUE;
  CooperativeMatrixProperties shape;
  shape.m = shape.n = shape.k = 16;
  shape.scope = kScopeSubgroup;
  shape.c = shape.result = ComponentType::kFloat32;
  auto other = shape;
  other.m = 8;
  auto integer = shape;
  integer.a = integer.b = ComponentType::kSint8;
  integer.c = integer.result = ComponentType::kSint32;
  auto unknown = shape;
  unknown.a = unknown.b = std::bit_cast<ComponentType>(99U);
  facts.cooperative_shapes = {shape, other, integer, unknown};
  const auto device = DescribeDevice(facts, Driver(), 0);
  EXPECT_THAT(device.dtypes, ElementsAre("fp32", "fp16", "bf16", "int32"));
  EXPECT_THAT(device.matrix_units, ElementsAre("fp16/fp32", "int8/int32"));
  EXPECT_THAT(device.facts, Contains(Fact{"cooperative_matrix", "fp16/fp32 8x16x16"}));
}

TEST(Description, OfHostileNamesIsClean) {
  auto facts = Discrete();
  std::fill(std::begin(facts.properties.deviceName), std::end(facts.properties.deviceName), '\x1b');
  facts.has_driver = true;
  std::fill(std::begin(facts.driver.driverName), std::end(facts.driver.driverName), '\xff');
  const auto device = DescribeDevice(facts, Driver(), 0);
  EXPECT_EQ(device.name.find('\x1b'), std::string::npos);
  EXPECT_EQ(device.driver.find('\xff'), std::string::npos);
}

TEST(Description, OfImpossibleCountsIsUnknown) {
  auto facts = Discrete();
  facts.compute_units = std::uint64_t{0xffffU} * 0xffffU * 0xffffU;
  EXPECT_FALSE(DescribeDevice(facts, Driver(), 0).compute_units);
  facts.pci.pciDevice = 77;
  EXPECT_FALSE(IdentityOf(facts).pci);
}

TEST(Names, OfResults) {
  EXPECT_EQ(NameOf(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(NameOf(std::bit_cast<VkResult>(-12345)), "");
}

TEST(Units, AreTheWordsOfTheMakersStructures) {
  struct Expected {
    std::string_view extension;
    VkStructureType type;
    std::string words;
  };
  constexpr auto kWord = sizeof(std::uint32_t);
  constexpr auto kHead = sizeof(VkBaseOutStructure);
  const auto word = [&](std::size_t offset) { return std::to_string((offset - kHead) / kWord); };
  using Amd = VkPhysicalDeviceShaderCorePropertiesAMD;
  const std::array expected = {
      Expected{VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM,
               word(offsetof(VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM, shaderCoreCount))},
      Expected{VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV,
               word(offsetof(VkPhysicalDeviceShaderSMBuiltinsPropertiesNV, shaderSMCount))},
      Expected{VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD,
               word(offsetof(VkPhysicalDeviceShaderCoreProperties2AMD, activeComputeUnitCount))},
      Expected{VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME,
               VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD,
               word(offsetof(Amd, shaderEngineCount)) + " " +
                   word(offsetof(Amd, shaderArraysPerEngineCount)) + " " +
                   word(offsetof(Amd, computeUnitsPerShaderArray))},
  };
  const auto rows = ParseTable<3>(data::kVulkanUnits);
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], expected[i].extension);
    EXPECT_EQ(rows[i][1], std::to_string(static_cast<std::uint32_t>(expected[i].type)));
    EXPECT_EQ(rows[i][2], expected[i].words);
  }
}

}  // namespace
}  // namespace probe::vulkan
