// SPDX-License-Identifier: MIT
#include "tests/backends/core/defects_suite.h"
#include "tests/backends/vulkan/vulkan_device.h"

namespace tests {

OpenDevice OpenForDefects() {
  OpenDevice open;
  open.device = FindVulkanDevice();
  auto session = OpenVulkan(open.device);
  if (!session) return open;
  open.session = *std::move(session);
  open.variants = FillsAnd(VulkanVariants(open.session->limits()), "own:texel_16x128");
  return open;
}

}  // namespace tests
