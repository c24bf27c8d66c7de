// SPDX-License-Identifier: MIT
#include "backends/vulkan/vulkan_session.h"
#include "kernels/glsl/variants.h"

namespace backends::vulkan {
namespace {

std::vector<kernels::Variant> Variants(const Limits& limits) {
  return kernels::glsl::Variants(limits.features);
}

}  // namespace

Backend Describe() { return {"vulkan", VulkanSession::Open, Variants}; }

}  // namespace backends::vulkan
