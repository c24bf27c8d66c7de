// SPDX-License-Identifier: MIT
#include "probe/vulkan/vulkan_facts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "data/tables.h"

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/vulkan/vulkan_api.h"

namespace probe::vulkan {
namespace {

constexpr std::uint32_t kMaxExtensions = 4096;
constexpr std::uint32_t kMaxQueueFamilies = 64;
constexpr std::uint32_t kMaxCooperativeShapes = 1024;

// Appends structures to a pNext list.
class Chain {
 public:
  explicit Chain(void*& head) : tail_(&head) {}
  template <class T>
  void Add(T& structure, VkStructureType type) {
    structure.sType = type;
    Append(structure, structure.pNext);
  }
  template <class T>
  void AddOwn(T& structure) {
    Append(structure, structure.next);
  }

 private:
  template <class T>
  void Append(T& structure, void*& next) {
    next = nullptr;
    *tail_ = &structure;
    tail_ = &next;
  }
  void** tail_;
};

// A structure of a maker's extension, of whatever words.
struct UnitsStructure {
  std::uint32_t type = 0;
  void* next = nullptr;
  std::array<std::uint32_t, 32> words{};
};

struct UnitExtension {
  std::string_view extension;
  std::uint32_t type = 0;
  std::string_view words;  // those to be multiplied
};

const std::vector<UnitExtension>& UnitExtensions() {
  static const std::vector<UnitExtension> rows = [] {
    std::vector<UnitExtension> out;
    for (const auto& [extension, type, words] : ParseTable<3>(data::kVulkanUnits))
      out.push_back({extension, ParseNumber<std::uint32_t>(type).value_or(0), words});
    return out;
  }();
  return rows;
}

// Three counts of 32 bits may not fit: then it is none.
std::uint64_t CountOf(const UnitsStructure& structure, const UnitExtension& of) {
  std::uint64_t count = 1;
  for (std::string_view words = of.words; !words.empty() && count <= UINT32_MAX;) {
    const auto place = ParseNumber<std::size_t>(TakeUpTo(words, ' ')).value_or(structure.words.size());
    count *= place < structure.words.size() ? structure.words[place] : 0;
  }
  return count;
}

template <std::size_t kSize>
std::string Bounded(const char (&text)[kSize]) {
  return {text, strnlen(text, kSize)};
}

std::vector<std::string> ReadExtensions(const Instance& instance, VkPhysicalDevice device) {
  const auto enumerate = instance.functions.vkEnumerateDeviceExtensionProperties;
  std::uint32_t count = 0;
  if (enumerate(device, nullptr, &count, nullptr) < VK_SUCCESS) return {};
  count = std::min(count, kMaxExtensions);
  std::vector<VkExtensionProperties> properties(count);
  if (enumerate(device, nullptr, &count, properties.data()) < VK_SUCCESS) return {};
  properties.resize(std::min<std::size_t>(count, properties.size()));
  std::vector<std::string> names;
  names.reserve(properties.size());
  for (const auto& extension : properties) names.push_back(Bounded(extension.extensionName));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<VkQueueFamilyProperties> ReadQueues(const Instance& instance, VkPhysicalDevice device) {
  std::vector<VkQueueFamilyProperties> queues(kMaxQueueFamilies);
  std::uint32_t count = kMaxQueueFamilies;
  instance.functions.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, queues.data());
  queues.resize(std::min(count, kMaxQueueFamilies));
  return queues;
}

void ReadProperties(const Instance& instance, VkPhysicalDevice device, PhysicalFacts& facts) {
  if (facts.api_version < VK_API_VERSION_1_1 || instance.functions.vkGetPhysicalDeviceProperties2 == nullptr)
    return;
  const bool v12 = facts.api_version >= VK_API_VERSION_1_2;
  const bool v13 = facts.api_version >= VK_API_VERSION_1_3;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  Chain chain(properties.pNext);
  const auto add_if = [&chain](bool there, auto& structure, VkStructureType type) {
    if (there) chain.Add(structure, type);
    return there;
  };
  facts.has_ids = add_if(true, facts.ids, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  chain.Add(facts.subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  chain.Add(facts.maintenance3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  facts.has_driver = add_if(v12 || facts.Has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME), facts.driver,
                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  facts.has_pci = add_if(facts.Has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME), facts.pci,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
  facts.has_drm = add_if(facts.Has(VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME), facts.drm,
                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT);
  add_if(v13 || facts.Has(VK_KHR_MAINTENANCE_4_EXTENSION_NAME), facts.maintenance4,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
  add_if(v13 || facts.Has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME), facts.subgroup_size,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  add_if(v13 || facts.Has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME), facts.integer_dot,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES);
  std::vector<UnitsStructure> units(UnitExtensions().size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i].type = UnitExtensions()[i].type;
    if (facts.Has(UnitExtensions()[i].extension)) chain.AddOwn(units[i]);
  }
  instance.functions.vkGetPhysicalDeviceProperties2(device, &properties);
  for (std::size_t i = 0; i < units.size() && facts.compute_units == 0; ++i) {
    if (facts.Has(UnitExtensions()[i].extension))
      facts.compute_units = CountOf(units[i], UnitExtensions()[i]);
  }
}

void ReadFeatures(const Instance& instance, VkPhysicalDevice device, PhysicalFacts& facts) {
  if (facts.api_version < VK_API_VERSION_1_1 || instance.functions.vkGetPhysicalDeviceFeatures2 == nullptr)
    return;
  const bool v12 = facts.api_version >= VK_API_VERSION_1_2;
  const bool v13 = facts.api_version >= VK_API_VERSION_1_3;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  Chain chain(features.pNext);
  const auto add_if = [&chain](bool there, auto& structure, VkStructureType type) {
    if (there) chain.Add(structure, type);
  };
  chain.Add(facts.storage16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
  add_if(v12 || facts.Has(VK_KHR_8BIT_STORAGE_EXTENSION_NAME), facts.storage8,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES);
  add_if(v12 || facts.Has(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME), facts.float16_int8,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES);
  add_if(v12 || facts.Has(VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME), facts.memory_model,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
  add_if(v13 || facts.Has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME), facts.integer_dot_features,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES);
  add_if(v13 || facts.Has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME), facts.subgroup_control,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
  if (facts.Has(kShaderBfloat16Extension)) chain.AddOwn(facts.bfloat16);
  if (facts.Has(kShaderFloat8Extension)) chain.AddOwn(facts.float8);
  if (facts.Has(kCooperativeMatrixExtension)) chain.AddOwn(facts.cooperative_matrix);
  instance.functions.vkGetPhysicalDeviceFeatures2(device, &features);
}

void ReadMemory(const Instance& instance, VkPhysicalDevice device, PhysicalFacts& facts) {
  const auto read2 = instance.functions.vkGetPhysicalDeviceMemoryProperties2;
  facts.has_budget = read2 != nullptr && facts.api_version >= VK_API_VERSION_1_1 &&
                     facts.Has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (facts.has_budget) {
    VkPhysicalDeviceMemoryProperties2 memory{};
    memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    Chain(memory.pNext).Add(facts.budget, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
    read2(device, &memory);
    facts.memory = memory.memoryProperties;
  } else {
    instance.functions.vkGetPhysicalDeviceMemoryProperties(device, &facts.memory);
  }
  facts.memory.memoryHeapCount = std::min<std::uint32_t>(facts.memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  facts.memory.memoryTypeCount = std::min<std::uint32_t>(facts.memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
}

void ReadCooperativeShapes(const Instance& instance, VkPhysicalDevice device, PhysicalFacts& facts) {
  const auto get = instance.functions.get_cooperative_matrix_properties;
  if (get == nullptr || facts.cooperative_matrix.cooperative_matrix == VK_FALSE) return;
  std::uint32_t count = 0;
  if (get(device, &count, nullptr) < VK_SUCCESS) return;
  count = std::min(count, kMaxCooperativeShapes);
  std::vector<CooperativeMatrixProperties> shapes(count);
  if (get(device, &count, shapes.data()) < VK_SUCCESS) return;
  shapes.resize(std::min<std::size_t>(count, shapes.size()));
  facts.cooperative_shapes = std::move(shapes);
}

std::optional<Uuid> UuidOf(std::span<const std::uint8_t, VK_UUID_SIZE> bytes) {
  Uuid uuid{};
  std::copy(bytes.begin(), bytes.end(), uuid.begin());
  if (uuid == Uuid{}) return std::nullopt;
  return uuid;
}

}  // namespace

bool PhysicalFacts::Has(std::string_view extension) const {
  return std::binary_search(extensions.begin(), extensions.end(), extension);
}

PhysicalFacts ReadFacts(const Instance& instance, VkPhysicalDevice device) {
  PhysicalFacts facts;
  instance.functions.vkGetPhysicalDeviceProperties(device, &facts.properties);
  instance.functions.vkGetPhysicalDeviceFeatures(device, &facts.features);
  facts.api_version = std::min(instance.api_version, facts.properties.apiVersion);
  facts.extensions = ReadExtensions(instance, device);
  facts.queues = ReadQueues(instance, device);
  ReadProperties(instance, device, facts);
  ReadFeatures(instance, device, facts);
  ReadMemory(instance, device, facts);
  ReadCooperativeShapes(instance, device, facts);
  return facts;
}

Identity IdentityOf(const PhysicalFacts& facts) {
  Identity identity;
  if (facts.has_pci) {
    const auto& pci = facts.pci;
    // Some virtual devices fill in nonsense.
    if (pci.pciBus <= 0xff && pci.pciDevice <= 0x1f && pci.pciFunction <= 7) {
      identity.pci = PciAddress{pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction};
    }
  }
  if (facts.has_ids) {
    identity.uuid = UuidOf(facts.ids.deviceUUID);
    identity.driver_uuid = UuidOf(facts.ids.driverUUID);
  }
  // Larger numbers are Khronos' own, for makers without a PCI number.
  constexpr std::uint32_t kLastPciId = 0xffff;
  if (facts.properties.vendorID != 0 && facts.properties.vendorID <= kLastPciId) {
    identity.ids = PciIds{facts.properties.vendorID, facts.properties.deviceID, {}, {}, {}};
  }
  return identity;
}

std::string NameOf(const PhysicalFacts& facts) { return CleanText(Bounded(facts.properties.deviceName)); }

}  // namespace probe::vulkan
