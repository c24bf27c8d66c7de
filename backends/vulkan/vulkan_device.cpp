// SPDX-License-Identifier: MIT
#include "backends/vulkan/vulkan_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "backends/core/host.h"

namespace backends::vulkan {
namespace {

using probe::Error;
using probe::Result;
using probe::Status;
using probe::vulkan::ComponentType;
using probe::vulkan::DriverManifest;
using probe::vulkan::PhysicalFacts;

constexpr std::string_view kLlvmpipe = "llvmpipe";
constexpr const char* kThreadsVariable = "LP_NUM_THREADS";

Error NotThere(const probe::RuntimeDevice& wanted, const std::string& why) {
  return Error{"open " + wanted.name, std::nullopt, "device not found", why};
}

// The driver that registers the device, if it may be loaded.
Result<DriverManifest> DriverOf(const OpenRequest& request) {
  if (!request.device.manifest) return NotThere(request.device, "the record of it names no driver");
  const auto driver = probe::vulkan::ReadDriver(*request.device.manifest, request.files, request.environment);
  if (driver.outcome != probe::Outcome::kOk)
    return driver.error.value_or(NotThere(request.device, driver.path));
  return driver;
}

void Restrict(const OpenRequest& request, const DriverManifest& driver) {
  probe::vulkan::ApplyToProcess(probe::vulkan::OnlyDriver(driver.path));
  const auto layers = probe::vulkan::FindImplicitLayers(request.files, request.environment);
  probe::vulkan::ApplyToProcess(probe::vulkan::WithoutLayers(layers));
}

// A family that computes, best one that does not draw as well: on some GPUs a queue of its own.
std::optional<std::uint32_t> ComputeFamily(const PhysicalFacts& facts) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < facts.queues.size(); ++i) {
    const auto& queue = facts.queues[i];
    if ((queue.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || queue.queueCount == 0) continue;
    const bool timed = queue.timestampValidBits != 0;
    const bool better = !best || (timed && facts.queues[*best].timestampValidBits == 0);
    if (better) best = i;
  }
  return best;
}

// The structures of the supported features, chained, as vkCreateDevice wants them; and the extensions they
// need.
struct Enabled {
  explicit Enabled(const PhysicalFacts& supported) : facts(supported) {
    // Only what kernels here use: enabling all would switch on checks such as robust buffer access.
    core.features.shaderFloat64 = facts.features.shaderFloat64;
    core.features.shaderInt16 = facts.features.shaderInt16;
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (facts.api_version < VK_API_VERSION_1_1) return;
    const bool v12 = facts.api_version >= VK_API_VERSION_1_2;
    const bool v13 = facts.api_version >= VK_API_VERSION_1_3;
    Add(true, nullptr, facts.storage16, facts.storage16.pNext);
    Add(v12, VK_KHR_8BIT_STORAGE_EXTENSION_NAME, facts.storage8, facts.storage8.pNext);
    Add(v12, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, facts.float16_int8, facts.float16_int8.pNext);
    Add(v12, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, facts.memory_model, facts.memory_model.pNext);
    Add(v13, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, facts.integer_dot_features,
        facts.integer_dot_features.pNext);
    Add(v13, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, facts.subgroup_control,
        facts.subgroup_control.pNext);
    Add(false, probe::vulkan::kShaderBfloat16Extension, facts.bfloat16, facts.bfloat16.next);
    facts.cooperative_matrix.robust_buffer_access = VK_FALSE;
    Add(false, probe::vulkan::kCooperativeMatrixExtension, facts.cooperative_matrix,
        facts.cooperative_matrix.next);
  }
  Enabled(const Enabled&) = delete;
  Enabled& operator=(const Enabled&) = delete;

  PhysicalFacts facts;
  VkPhysicalDeviceFeatures2 core{};
  std::vector<const char*> extensions;

 private:
  template <class T>
  void Add(bool in_core, const char* extension, T& structure, void*& next) {
    if (!in_core) {
      if (!facts.Has(extension)) return;
      extensions.push_back(extension);
    }
    next = core.pNext;
    core.pNext = &structure;
  }
};

bool Supports16BitStorage(const PhysicalFacts& facts) {
  return facts.storage16.storageBuffer16BitAccess != VK_FALSE;
}
bool Supports8BitStorage(const PhysicalFacts& facts) {
  return facts.storage8.storageBuffer8BitAccess != VK_FALSE;
}

std::string_view ComponentName(ComponentType type) {
  struct Row {
    ComponentType type;
    std::string_view name;
  };
  static constexpr std::array kRows = {
      Row{ComponentType::kFloat16, "fp16"}, Row{ComponentType::kFloat32, "fp32"},
      Row{ComponentType::kSint8, "int8"}, Row{ComponentType::kSint32, "int32"},
      Row{ComponentType::kBfloat16, "bf16"}};
  for (const Row& row : kRows) {
    if (row.type == type) return row.name;
  }
  return "";
}

void AddCooperativeShapes(const PhysicalFacts& facts, std::vector<std::string>& features) {
  // The modules are SPIR-V 1.6.
  if (facts.memory_model.vulkanMemoryModel == VK_FALSE || facts.api_version < VK_API_VERSION_1_3) return;
  for (const auto& shape : facts.cooperative_shapes) {
    const auto in = ComponentName(shape.a);
    const auto accumulate = ComponentName(shape.c);
    const bool usable = !in.empty() && !accumulate.empty() && shape.a == shape.b && shape.c == shape.result &&
                        shape.scope == probe::vulkan::kScopeSubgroup &&
                        shape.saturating_accumulation == VK_FALSE;
    if (!usable) continue;
    features.push_back(fmt::format("coopmat:{}/{}:{}x{}x{}", in, accumulate, shape.m, shape.n, shape.k));
  }
}

std::uint64_t LargestLocalHeap(const PhysicalFacts& facts) {
  std::uint64_t largest = 0;
  for (std::uint32_t i = 0; i < facts.memory.memoryHeapCount; ++i) {
    const auto& heap = facts.memory.memoryHeaps[i];
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
      largest = std::max(largest, std::uint64_t{heap.size});
  }
  return largest;
}

}  // namespace

std::string Difference(const probe::RuntimeDevice& wanted, const PhysicalFacts& facts) {
  const auto identity = probe::vulkan::IdentityOf(facts);
  if (wanted.identity.uuid && identity.uuid != wanted.identity.uuid) return "its UUID is another one";
  if (wanted.identity.pci && identity.pci != wanted.identity.pci) return "its PCI address is another one";
  if (wanted.identity.ids && identity.ids &&
      (wanted.identity.ids->vendor != identity.ids->vendor ||
       wanted.identity.ids->device != identity.ids->device)) {
    return "its PCI ids are others";
  }
  const std::string name = probe::vulkan::NameOf(facts);
  return name == wanted.name ? "" : "its name is " + name;
}

Result<std::unique_ptr<Device>> Device::Open(const OpenRequest& request) {
  const auto driver = DriverOf(request);
  if (!driver) return driver.error();
  Restrict(request, *driver);
  // It knows the affinity mask, but no quota.
  if (request.device.driver == kLlvmpipe) LimitThreads(request, kThreadsVariable);
  const auto library = probe::vulkan::OpenLoader(request.files, request.environment);
  if (!library) return library.error();
  const auto global = probe::vulkan::LoadGlobalFunctions(*library);
  if (!global) return global.error();
  const auto instance = probe::vulkan::CreateInstance(*global, driver->portability);
  if (!instance) return instance.error();
  const auto physical = probe::vulkan::EnumerateDevices(*instance);
  if (!physical) return physical.error();
  std::string difference = "its driver lists no device now";
  // Equal devices without identity are told apart by their place.
  std::size_t first =
      request.device.identity.uuid || request.device.identity.pci ? 0 : request.device.ordinal;
  for (std::size_t i = first; i < physical->size(); ++i) {
    std::unique_ptr<Device> device(new Device());
    device->instance_ = *instance;
    device->facts_ = probe::vulkan::ReadFacts(*instance, (*physical)[i]);
    difference = Difference(request.device, device->facts_);
    if (!difference.empty()) continue;
    if (auto created = device->Create((*physical)[i]); !created) return created.error();
    return device;
  }
  return NotThere(request.device, difference);
}

Status Device::Create(VkPhysicalDevice physical) {
  // Drivers can be told to list devices that are not there; those have no memory.
  if (facts_.memory.memoryHeapCount == 0 || LargestLocalHeap(facts_) == 0) {
    return Error{"open " + probe::vulkan::NameOf(facts_), std::nullopt, "no memory",
                 "the driver lists the device without any memory: it is not a real one"};
  }
  const auto family = ComputeFamily(facts_);
  if (!family) {
    return Error{"open " + probe::vulkan::NameOf(facts_), std::nullopt, "no queue",
                 "it has no queue for compute"};
  }
  queue_family_ = *family;
  const float priority = 1.0F;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const Enabled enabled(facts_);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(enabled.extensions.size());
  info.ppEnabledExtensionNames = enabled.extensions.data();
  const bool chained = facts_.api_version >= VK_API_VERSION_1_1;
  if (chained) info.pNext = &enabled.core;
  if (!chained) info.pEnabledFeatures = &enabled.core.features;
  if (const VkResult result = instance_.functions.vkCreateDevice(physical, &info, nullptr, &handle_);
      result != VK_SUCCESS) {
    handle_ = VK_NULL_HANDLE;
    return probe::vulkan::VulkanError("vkCreateDevice", result);
  }
  const auto functions = probe::vulkan::LoadDeviceFunctions(instance_, handle_);
  if (!functions) {
    lost_ = true;
    return functions.error();
  }
  functions_ = *functions;
  functions_.vkGetDeviceQueue(handle_, queue_family_, 0, &queue_);
  return probe::Ok();
}

Device::~Device() {
  if (handle_ != VK_NULL_HANDLE && !lost_) functions_.vkDestroyDevice(handle_, nullptr);
}

Error Device::Fail(const char* call, VkResult result) {
  lost_ = lost_ || result == VK_ERROR_DEVICE_LOST || result == VK_TIMEOUT;
  return probe::vulkan::VulkanError(call, result);
}

std::vector<std::string> FeaturesOf(const PhysicalFacts& facts) {
  std::vector<std::string> features;
  const auto add_if = [&features](bool there, const char* name) {
    if (there) features.emplace_back(name);
  };
  add_if(facts.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU, "cpu");
  add_if(facts.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU, "gpu");
  add_if(facts.properties.limits.maxComputeWorkGroupInvocations >= 256, "group256");
  const auto& subgroup = facts.subgroup;
  add_if((subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
             (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0,
         "subgroup_add");
  add_if(facts.float16_int8.shaderFloat16 != VK_FALSE && Supports16BitStorage(facts), "fp16");
  add_if(facts.float16_int8.shaderInt8 != VK_FALSE && Supports8BitStorage(facts), "int8");
  add_if(facts.integer_dot_features.shaderIntegerDotProduct != VK_FALSE, "int8_dot");
  add_if(facts.bfloat16.type != VK_FALSE && Supports16BitStorage(facts), "bf16");
  AddCooperativeShapes(facts, features);
  return features;
}

Limits LimitsOf(const PhysicalFacts& facts, const OpenRequest& request) {
  constexpr std::uint32_t kTypicalUnits = 32;
  const auto& own = facts.properties.limits;
  Limits limits;
  limits.max_buffer_bytes = std::min<std::uint64_t>(own.maxStorageBufferRange, LargestLocalHeap(facts));
  if (const auto bytes = facts.maintenance3.maxMemoryAllocationSize; bytes != 0) {
    limits.max_buffer_bytes = std::min<std::uint64_t>(limits.max_buffer_bytes, bytes);
  }
  if (const auto bytes = facts.maintenance4.maxBufferSize; bytes != 0) {
    limits.max_buffer_bytes = std::min<std::uint64_t>(limits.max_buffer_bytes, bytes);
  }
  limits.max_texel_elements = own.maxTexelBufferElements;
  const probe::RuntimeDevice device = WithinHost(request.device, request.processor);
  limits.memory_free_bytes = device.memory_free_bytes ? device.memory_free_bytes : device.memory_total_bytes;
  limits.features = FeaturesOf(facts);
  limits.shape.compute_units = device.compute_units.value_or(kTypicalUnits);
  if (facts.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
    limits.shape.compute_units = UsableThreads(request.processor).value_or(kTypicalUnits);
  if (device.driver == kLlvmpipe) {
    // No more than this in every version (LP_MAX_THREADS of Mesa's llvmpipe/lp_limits.h was 16, then 32).
    constexpr std::uint32_t kMostThreads = 16;
    const auto threads = DriverThreads(request, kThreadsVariable);
    limits.threads = threads && *threads <= kMostThreads ? *threads : 0;
  }
  limits.quota_cores = BindingQuota(request, limits.threads);
  limits.shape.max_work_group_size = own.maxComputeWorkGroupInvocations;
  limits.shape.subgroup_width = std::max(facts.subgroup.subgroupSize, 1U);
  return limits;
}

}  // namespace backends::vulkan
