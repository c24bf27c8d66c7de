// SPDX-License-Identifier: MIT
// llvmpipe, found by the probe and opened by the backend; the software Vulkan device of every test machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/core/backend.h"

namespace tests {

// Devices of the installed drivers, with what a phantom variable adds, or of one driver's manifest alone; the
// caller's own variables are taken away.
[[nodiscard]] std::vector<probe::RuntimeDevice> VulkanDevices(const std::string& manifest = "");
// The first whose name has this part; one without a name where there is none.
[[nodiscard]] probe::RuntimeDevice FindVulkanDevice(std::string_view part = "llvmpipe");
[[nodiscard]] probe::Result<std::unique_ptr<backends::Session>> OpenVulkan(
    const probe::RuntimeDevice& device, const std::optional<probe::Processor>& processor = std::nullopt);
// What the backend offers for a device with these limits.
[[nodiscard]] std::vector<kernels::Variant> VulkanVariants(const backends::Limits& limits);

}  // namespace tests
