// SPDX-License-Identifier: MIT
// The door to Vulkan: its loader by dlopen, its functions as tables, one instance for one driver manifest,
// and what a device says of itself. Shared by the probe and the backend; decides nothing.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/ids.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "probe/system/library.h"
#include "probe/vulkan/vulkan_extensions.h"
#include "probe/vulkan/vulkan_facts.h"
#include "probe/vulkan/vulkan_manifest.h"

namespace probe::vulkan {

struct GlobalFunctions {
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
  // The loader's own version. Asked once: at each asking it reads every layer's manifest again.
  std::uint32_t loader_version = VK_API_VERSION_1_0;
#define VULKAN_GLOBAL(name, need) PFN_##name name = nullptr;
#define VULKAN_INSTANCE(name, need)
#define VULKAN_DEVICE(name, need)
#include "probe/vulkan/vulkan_symbols.def"
#undef VULKAN_GLOBAL
#undef VULKAN_INSTANCE
#undef VULKAN_DEVICE
};

struct InstanceFunctions {
  GetCooperativeMatrixProperties get_cooperative_matrix_properties = nullptr;  // with its extension
#define VULKAN_GLOBAL(name, need)
#define VULKAN_INSTANCE(name, need) PFN_##name name = nullptr;
#define VULKAN_DEVICE(name, need)
#include "probe/vulkan/vulkan_symbols.def"
#undef VULKAN_GLOBAL
#undef VULKAN_INSTANCE
#undef VULKAN_DEVICE
};

struct DeviceFunctions {
#define VULKAN_GLOBAL(name, need)
#define VULKAN_INSTANCE(name, need)
#define VULKAN_DEVICE(name, need) PFN_##name name = nullptr;
#include "probe/vulkan/vulkan_symbols.def"
#undef VULKAN_GLOBAL
#undef VULKAN_INSTANCE
#undef VULKAN_DEVICE
};

inline constexpr std::size_t kMaxDevices = 64;  // of one driver; more are ignored

// Error of a failed Vulkan call, with the result's name.
[[nodiscard]] Error VulkanError(std::string call, VkResult result, std::string text = "");

// The Vulkan loader, checked and loaded.
inline constexpr std::array<std::string_view, 3> kLoaderNames = {"libvulkan.so.1", "libvulkan.so",
                                                                 "libvulkan.1.dylib"};
[[nodiscard]] Result<system::Library> OpenLoader(const system::FileSystem& files,
                                                 const system::Environment& environment);
[[nodiscard]] Result<GlobalFunctions> LoadGlobalFunctions(const system::Library& library);

// Never destroyed by itself: destroying an instance unloads drivers, and a process that loads one leaves by
// _exit.
struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  std::uint32_t api_version = VK_API_VERSION_1_0;  // as asked for; what its devices may use at most
  InstanceFunctions functions;
};

// An instance over the drivers that the process's environment leaves to the loader. `portability`: also those
// that their manifest marks as incomplete implementations.
[[nodiscard]] Result<Instance> CreateInstance(const GlobalFunctions& global, bool portability = false);
// No device is an empty list, whichever way the driver says it.
[[nodiscard]] Result<std::vector<VkPhysicalDevice>> EnumerateDevices(const Instance& instance);

[[nodiscard]] Result<DeviceFunctions> LoadDeviceFunctions(const Instance& instance, VkDevice device);

}  // namespace probe::vulkan
