// SPDX-License-Identifier: MIT
// Names of Vulkan's numbers, one table each.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probe/core/device.h"
#include "probe/vulkan/vulkan_extensions.h"

namespace probe::vulkan {

// "VK_ERROR_DEVICE_LOST"; empty for a number that is not in the table.
[[nodiscard]] std::string_view NameOf(VkResult result);
// What a failed result means for a reader; empty where its name says it.
[[nodiscard]] std::string_view MeaningOf(VkResult result);
// The number of a VkPhysicalDeviceType: a driver may put any there, and as the enumeration itself one that is
// not among its values may not even be read.
[[nodiscard]] DeviceKind KindOf(std::uint32_t type);
// A kernels::Dtype's name ("fp16"), or nullopt for types that no kernel uses.
[[nodiscard]] std::optional<std::string_view> DtypeName(ComponentType type);
// "1.3.239".
[[nodiscard]] std::string VersionText(std::uint32_t version);

}  // namespace probe::vulkan
