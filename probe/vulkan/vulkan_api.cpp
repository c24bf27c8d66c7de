// SPDX-License-Identifier: MIT
#include "probe/vulkan/vulkan_api.h"

#include <algorithm>
#include <array>

#include "probe/vulkan/vulkan_names.h"

namespace probe::vulkan {
namespace {

enum class Need { kRequired, kOptional };
using enum Need;

constexpr std::uint32_t kNewestApi = VK_API_VERSION_1_3;

void Check(PFN_vkVoidFunction function, Need need, const char* name, std::string& missing) {
  if (function == nullptr && need == kRequired) missing.append(missing.empty() ? "" : ", ").append(name);
}

template <class Functions>
Result<Functions> Complete(const Functions& functions, const char* call, const std::string& missing) {
  if (missing.empty()) return functions;
  return Error{call, std::nullopt, "missing symbols", missing};
}

// Loaders of Vulkan 1.0 lack the question.
std::uint32_t LoaderVersion(const GlobalFunctions& global) {
  std::uint32_t version = VK_API_VERSION_1_0;
  if (global.vkEnumerateInstanceVersion == nullptr) return version;
  return global.vkEnumerateInstanceVersion(&version) == VK_SUCCESS ? version : VK_API_VERSION_1_0;
}

}  // namespace

Error VulkanError(std::string call, VkResult result, std::string text) {
  if (text.empty()) text = MeaningOf(result);
  return {std::move(call), static_cast<std::int64_t>(result), std::string(NameOf(result)), std::move(text)};
}

Result<system::Library> OpenLoader(const system::FileSystem& files, const system::Environment& environment) {
  return system::Library::Open(kLoaderNames, {}, files, environment);
}

Result<GlobalFunctions> LoadGlobalFunctions(const system::Library& library) {
  GlobalFunctions out;
  std::string missing;
  out.vkGetInstanceProcAddr = library.Function<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr");
  if (out.vkGetInstanceProcAddr == nullptr) return Complete(out, "dlsym", "vkGetInstanceProcAddr");
  const auto load = [&](const char* name, Need need) {
    const auto function = out.vkGetInstanceProcAddr(VK_NULL_HANDLE, name);
    Check(function, need, name, missing);
    return function;
  };
#define VULKAN_GLOBAL(name, need) out.name = reinterpret_cast<PFN_##name>(load(#name, need));
#define VULKAN_INSTANCE(name, need)
#define VULKAN_DEVICE(name, need)
#include "probe/vulkan/vulkan_symbols.def"
#undef VULKAN_GLOBAL
#undef VULKAN_INSTANCE
#undef VULKAN_DEVICE
  out.loader_version = LoaderVersion(out);
  return Complete(out, "vkGetInstanceProcAddr", missing);
}

Result<Instance> CreateInstance(const GlobalFunctions& global, bool portability) {
  Instance out;
  out.api_version = std::min(global.loader_version, kNewestApi);
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "whichgpu";
  application.apiVersion = out.api_version;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const char* const extension = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
  if (portability) {
    info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  if (const VkResult result = global.vkCreateInstance(&info, nullptr, &out.handle); result != VK_SUCCESS) {
    return VulkanError("vkCreateInstance", result);
  }
  std::string missing;
  const auto load = [&](const char* name, Need need) {
    const auto function = global.vkGetInstanceProcAddr(out.handle, name);
    Check(function, need, name, missing);
    return function;
  };
#define VULKAN_GLOBAL(name, need)
#define VULKAN_INSTANCE(name, need) out.functions.name = reinterpret_cast<PFN_##name>(load(#name, need));
#define VULKAN_DEVICE(name, need)
#include "probe/vulkan/vulkan_symbols.def"
#undef VULKAN_GLOBAL
#undef VULKAN_INSTANCE
#undef VULKAN_DEVICE
  out.functions.get_cooperative_matrix_properties =
      reinterpret_cast<GetCooperativeMatrixProperties>(load(kGetCooperativeMatrixProperties, kOptional));
  return Complete(out, "vkGetInstanceProcAddr", missing);
}

Result<std::vector<VkPhysicalDevice>> EnumerateDevices(const Instance& instance) {
  std::vector<VkPhysicalDevice> devices(kMaxDevices);
  auto count = static_cast<std::uint32_t>(devices.size());
  const VkResult result =
      instance.functions.vkEnumeratePhysicalDevices(instance.handle, &count, devices.data());
  // The loader's answer where every driver started and none has a device.
  if (result == VK_ERROR_INITIALIZATION_FAILED) return std::vector<VkPhysicalDevice>();
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return VulkanError("vkEnumeratePhysicalDevices", result);
  devices.resize(std::min<std::size_t>(count, kMaxDevices));
  return devices;
}

Result<DeviceFunctions> LoadDeviceFunctions(const Instance& instance, VkDevice device) {
  DeviceFunctions out;
  std::string missing;
  const auto load = [&](const char* name, Need need) {
    const auto function = instance.functions.vkGetDeviceProcAddr(device, name);
    Check(function, need, name, missing);
    return function;
  };
#define VULKAN_GLOBAL(name, need)
#define VULKAN_INSTANCE(name, need)
#define VULKAN_DEVICE(name, need) out.name = reinterpret_cast<PFN_##name>(load(#name, need));
#include "probe/vulkan/vulkan_symbols.def"
#undef VULKAN_GLOBAL
#undef VULKAN_INSTANCE
#undef VULKAN_DEVICE
  return Complete(out, "vkGetDeviceProcAddr", missing);
}

}  // namespace probe::vulkan
