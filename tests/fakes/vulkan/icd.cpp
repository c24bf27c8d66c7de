// SPDX-License-Identifier: MIT
// The driver's face to the loader: the exported entry points, the instance and the look-up by name.
// Interface: https://github.com/KhronosGroup/Vulkan-Loader/blob/main/docs/LoaderDriverInterface.md,
// version 5.
#include <algorithm>
#include <array>
#include <string_view>

#include "tests/fakes/vulkan/objects.h"

namespace fakes::vulkan {
namespace {

constexpr std::uint32_t kInterfaceVersion = 5;

[[gnu::constructor]] void OnLoad() { ReachLoad(); }
[[gnu::destructor]] void OnUnload() { ReachTeardown(); }

std::uint32_t ApiVersion() {
  const auto version = Current().api_version.value_or(std::array<std::uint32_t, 2>{1, 3});
  return VK_MAKE_API_VERSION(0, version[0], version[1], 0);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(std::uint32_t* version) {
  *version = ApiVersion();
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char*, std::uint32_t* count,
                                                                    VkExtensionProperties* out) {
  static const auto extensions = [] {
    std::array<VkExtensionProperties, 2> list{};
    SetText(list[0].extensionName, VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME);
    SetText(list[1].extensionName, VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME);
    for (auto& extension : list) extension.specVersion = 1;
    return list;
  }();
  return Fill<VkExtensionProperties>(extensions, count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceLayerProperties(std::uint32_t* count,
                                                                VkLayerProperties* out) {
  return Fill<VkLayerProperties>({}, count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                              VkInstance* out) {
  if (const VkResult error = At(Point::kInit); error != VK_SUCCESS) return error;
  auto instance = std::make_unique<Instance>();
  for (std::uint32_t i = 0; i < Current().devices.size(); ++i) {
    instance->devices.push_back(std::make_unique<PhysicalDevice>(i));
  }
  *out = To<VkInstance>(instance.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks*) {
  ReachTeardown();
  delete From<Instance>(instance);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, std::uint32_t* count,
                                                        VkPhysicalDevice* out) {
  if (const VkResult error = At(Point::kEnumerate); error != VK_SUCCESS) return error;
  std::vector<VkPhysicalDevice> handles;
  for (const auto& device : From<Instance>(instance)->devices)
    handles.push_back(To<VkPhysicalDevice>(device.get()));
  return Fill<VkPhysicalDevice>(handles, count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDeviceGroups(VkInstance instance, std::uint32_t* count,
                                                             VkPhysicalDeviceGroupProperties* out) {
  const auto& devices = From<Instance>(instance)->devices;
  if (out == nullptr) {
    *count = static_cast<std::uint32_t>(devices.size());
    return VK_SUCCESS;
  }
  *count = std::min(*count, static_cast<std::uint32_t>(devices.size()));
  for (std::uint32_t i = 0; i < *count; ++i) {
    out[i].physicalDeviceCount = 1;
    out[i].physicalDevices[0] = To<VkPhysicalDevice>(devices[i].get());
    out[i].subsetAllocation = VK_FALSE;
  }
  return *count < devices.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

PFN_vkVoidFunction Find(std::span<const Entry> entries, std::string_view name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  return found == entries.end() ? nullptr : found->function;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice, const char* name) {
  if (const auto found = Find(ObjectEntries(), name)) return found;
  if (const auto found = Find(CommandEntries(), name)) return found;
  return std::string_view(name) == "vkGetDeviceProcAddr"
             ? reinterpret_cast<PFN_vkVoidFunction>(&GetDeviceProcAddr)
             : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance, const char* name) {
  static const std::array entries = {
      FAKE_VK_ENTRY(EnumerateInstanceVersion, EnumerateInstanceVersion),
      FAKE_VK_ENTRY(EnumerateInstanceExtensionProperties, EnumerateInstanceExtensionProperties),
      FAKE_VK_ENTRY(EnumerateInstanceLayerProperties, EnumerateInstanceLayerProperties),
      FAKE_VK_ENTRY(CreateInstance, CreateInstance),
      FAKE_VK_ENTRY(DestroyInstance, DestroyInstance),
      FAKE_VK_ENTRY(EnumeratePhysicalDevices, EnumeratePhysicalDevices),
      FAKE_VK_ENTRY(EnumeratePhysicalDeviceGroups, EnumeratePhysicalDeviceGroups),
      FAKE_VK_ENTRY(CreateDevice, CreateDevice),
      FAKE_VK_ENTRY(GetInstanceProcAddr, GetInstanceProcAddr),
  };
  if (const auto found = Find(entries, name)) return found;
  if (const auto found = Find(PhysicalDeviceEntries(), name)) return found;
  return GetDeviceProcAddr(nullptr, name);
}

}  // namespace

VkResult At(Point point, std::optional<std::uint32_t> device) {
  return static_cast<VkResult>(Reach(point, device).value_or(VK_SUCCESS));
}

}  // namespace fakes::vulkan

extern "C" {

[[gnu::visibility("default")]] VkResult vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
  if (*version < fakes::vulkan::kInterfaceVersion) return VK_ERROR_INCOMPATIBLE_DRIVER;
  *version = fakes::vulkan::kInterfaceVersion;
  return VK_SUCCESS;
}

[[gnu::visibility("default")]] PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                            const char* name) {
  return fakes::vulkan::GetInstanceProcAddr(instance, name);
}

[[gnu::visibility("default")]] PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance,
                                                                                  const char* name) {
  if (std::string_view(name) == "vkCreateDevice") {
    return reinterpret_cast<PFN_vkVoidFunction>(&fakes::vulkan::CreateDevice);
  }
  return fakes::vulkan::Find(fakes::vulkan::PhysicalDeviceEntries(), name);
}

}  // extern "C"
