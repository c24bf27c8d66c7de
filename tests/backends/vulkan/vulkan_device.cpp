// SPDX-License-Identifier: MIT
#include "tests/backends/vulkan/vulkan_device.h"

#include <cstdlib>

#include "probe/core/module.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::vulkan {
Module Describe();
}
namespace backends::vulkan {
Backend Describe();
}

namespace tests {
namespace {

const probe::system::FileSystem& Files() {
  static const auto files = probe::system::FileSystem::Open("/");
  return *files;
}

}  // namespace

std::vector<probe::RuntimeDevice> VulkanDevices(const std::string& manifest) {
  for (const char* name :
       {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"}) {
    unsetenv(name);
  }
  if (!manifest.empty()) setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  probe::ProbeReport report;
  const auto environment = probe::system::Environment::OfProcess();
  probe::vulkan::Describe().probe(
      {Files(), environment, {}, [&report](const probe::ProbeEvent& event) { probe::Apply(event, report); }});
  return report.devices;
}

probe::RuntimeDevice FindVulkanDevice(std::string_view part) {
  for (const probe::RuntimeDevice& device : VulkanDevices()) {
    if (device.name.find(part) != std::string::npos) return device;
  }
  return {};
}

probe::Result<std::unique_ptr<backends::Session>> OpenVulkan(
    const probe::RuntimeDevice& device, const std::optional<probe::Processor>& processor) {
  const auto environment = probe::system::Environment::OfProcess();
  return backends::vulkan::Describe().open({device, processor, Files(), environment});
}

std::vector<kernels::Variant> VulkanVariants(const backends::Limits& limits) {
  return backends::vulkan::Describe().variants(limits);
}

}  // namespace tests
