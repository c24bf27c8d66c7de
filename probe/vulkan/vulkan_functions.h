// SPDX-License-Identifier: MIT
// Tables of Vulkan's functions, generated from vulkan_symbols.def. Types only.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "probe/vulkan/vulkan_extensions.h"

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

}  // namespace probe::vulkan
