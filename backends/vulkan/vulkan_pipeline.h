// SPDX-License-Identifier: MIT
// One compute pipeline for one step of a variant, with the layouts that its bindings ask for. Scalars are
// push constants; the work-group's size stands in the code.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/vulkan/vulkan_device.h"

namespace backends::vulkan {

// Bytes of scalars that every device takes are 128 (Vulkan 1.0, required limits).
inline constexpr std::uint32_t kMaxScalars = 32;

struct Pipeline {
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline handle = VK_NULL_HANDLE;
  std::vector<kernels::View> views;  // of its bindings, in order
};

// in_subgroups: the step counts in subgroups of the width that the device gives. Some drivers choose another
// one for each pipeline where they are not told.
[[nodiscard]] probe::Result<Pipeline> CreatePipeline(Device& device, const kernels::Step& step,
                                                     const std::array<std::uint32_t, 3>& local,
                                                     bool in_subgroups);
void Destroy(Device& device, Pipeline& pipeline);
[[nodiscard]] VkDescriptorType DescriptorType(kernels::View view);

}  // namespace backends::vulkan
