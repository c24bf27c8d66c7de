// SPDX-License-Identifier: MIT
// One logical device with one compute queue: exactly the device that was asked for, found by its driver's
// manifest and its identity, with every feature enabled that a kernel may want. Owns the instance.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/core/backend.h"
#include "probe/vulkan/vulkan_api.h"

namespace backends::vulkan {

class Device {
 public:
  // Restricts this process to the driver of the device's manifest. An error says why it is not that device.
  [[nodiscard]] static probe::Result<std::unique_ptr<Device>> Open(const OpenRequest& request);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  [[nodiscard]] VkDevice handle() const { return handle_; }
  [[nodiscard]] VkQueue queue() const { return queue_; }
  [[nodiscard]] std::uint32_t queue_family() const { return queue_family_; }
  [[nodiscard]] const probe::vulkan::DeviceFunctions& functions() const { return functions_; }
  [[nodiscard]] const probe::vulkan::PhysicalFacts& facts() const { return facts_; }
  // 0: its queue can not tell the time.
  [[nodiscard]] std::uint32_t timestamp_bits() const {
    return facts_.queues[queue_family_].timestampValidBits;
  }

  // After a lost device or an unanswered fence nothing may be called any more, not even to destroy.
  [[nodiscard]] bool lost() const { return lost_; }
  [[nodiscard]] probe::Error Fail(const char* call, VkResult result);

 private:
  Device() = default;
  [[nodiscard]] probe::Status Create(VkPhysicalDevice physical);

  probe::vulkan::Instance instance_;
  probe::vulkan::PhysicalFacts facts_;
  std::uint32_t queue_family_ = 0;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  probe::vulkan::DeviceFunctions functions_;
  bool lost_ = false;
};

// Why these facts are not those of the device asked for; empty if they are.
[[nodiscard]] std::string Difference(const probe::RuntimeDevice& wanted,
                                     const probe::vulkan::PhysicalFacts& facts);

// What kernels may ask for by Variant::requires_features: "cpu" or "gpu", "group256" (work-groups of 256),
// "fp16", "bf16", "int8", "int8_dot", "coopmat:fp16/fp32:16x16x16".
[[nodiscard]] std::vector<std::string> FeaturesOf(const probe::vulkan::PhysicalFacts& facts);
// Bounds of the device. Work-groups to keep it busy are guessed where it does not tell its compute units.
[[nodiscard]] Limits LimitsOf(const probe::vulkan::PhysicalFacts& facts, const OpenRequest& request);

}  // namespace backends::vulkan
