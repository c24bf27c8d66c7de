// SPDX-License-Identifier: MIT
// The device's compute queue: records one command buffer at a time, submits it, waits for it, and times it by
// the queue's own clock and by the host's.
#pragma once

#include <functional>

#include "backends/core/backend.h"
#include "backends/vulkan/vulkan_device.h"

namespace backends::vulkan {

class Queue {
 public:
  explicit Queue(Device& device) : device_(device) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  // Waits for the device.
  ~Queue();

  // Before anything else.
  [[nodiscard]] probe::Status Create();
  // Runs what `record` records; it sees all that was written before, and the host sees all that it writes.
  [[nodiscard]] probe::Result<Timing> Submit(const std::function<void(VkCommandBuffer)>& record);
  // In a recording: what follows sees what was written before.
  void Barrier(VkCommandBuffer commands) const;

 private:
  [[nodiscard]] probe::Status Record(const std::function<void(VkCommandBuffer)>& record);
  [[nodiscard]] std::optional<double> ReadQueries() const;

  Device& device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;  // null where the queue can not tell the time
};

}  // namespace backends::vulkan
