// SPDX-License-Identifier: MIT
#include <array>

#include "backends/vulkan/vulkan_session.h"
#include "probe/system/clock.h"

namespace backends::vulkan {
namespace {

using probe::Result;
using probe::Status;

// The parent kills a measuring child long before; this only keeps a session on its own from hanging forever.
constexpr std::uint64_t kFenceTimeoutNanoseconds = 120'000'000'000;

}  // namespace

Queue::~Queue() {
  if (device_.lost()) return;
  const auto& functions = device_.functions();
  functions.vkDeviceWaitIdle(device_.handle());
  functions.vkDestroyQueryPool(device_.handle(), queries_, nullptr);
  functions.vkDestroyFence(device_.handle(), fence_, nullptr);
  functions.vkDestroyCommandPool(device_.handle(), pool_, nullptr);
}

Status Queue::Create() {
  const auto& functions = device_.functions();
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = device_.queue_family();
  if (const VkResult result = functions.vkCreateCommandPool(device_.handle(), &pool, nullptr, &pool_);
      result != VK_SUCCESS) {
    return device_.Fail("vkCreateCommandPool", result);
  }
  VkCommandBufferAllocateInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = pool_;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  if (const VkResult result = functions.vkAllocateCommandBuffers(device_.handle(), &commands, &commands_);
      result != VK_SUCCESS) {
    return device_.Fail("vkAllocateCommandBuffers", result);
  }
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  if (const VkResult result = functions.vkCreateFence(device_.handle(), &fence, nullptr, &fence_);
      result != VK_SUCCESS) {
    return device_.Fail("vkCreateFence", result);
  }
  if (device_.timestamp_bits() == 0 || !(device_.facts().properties.limits.timestampPeriod > 0))
    return probe::Ok();
  VkQueryPoolCreateInfo queries{};
  queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = 2;
  if (const VkResult result = functions.vkCreateQueryPool(device_.handle(), &queries, nullptr, &queries_);
      result != VK_SUCCESS) {
    return device_.Fail("vkCreateQueryPool", result);
  }
  return probe::Ok();
}

void Queue::Barrier(VkCommandBuffer commands) const {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask =
      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                          VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                          VK_ACCESS_HOST_READ_BIT;
  constexpr VkPipelineStageFlags kStages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT;
  device_.functions().vkCmdPipelineBarrier(commands, kStages, kStages, 0, 1, &barrier, 0, nullptr, 0,
                                           nullptr);
}

Status Queue::Record(const std::function<void(VkCommandBuffer)>& record) {
  const auto& functions = device_.functions();
  if (const VkResult result = functions.vkResetCommandPool(device_.handle(), pool_, 0);
      result != VK_SUCCESS) {
    return device_.Fail("vkResetCommandPool", result);
  }
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (const VkResult result = functions.vkBeginCommandBuffer(commands_, &begin); result != VK_SUCCESS) {
    return device_.Fail("vkBeginCommandBuffer", result);
  }
  Barrier(commands_);
  if (queries_ != VK_NULL_HANDLE) {
    functions.vkCmdResetQueryPool(commands_, queries_, 0, 2);
    functions.vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries_, 0);
  }
  record(commands_);
  if (queries_ != VK_NULL_HANDLE) {
    functions.vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries_, 1);
  }
  if (const VkResult result = functions.vkEndCommandBuffer(commands_); result != VK_SUCCESS) {
    return device_.Fail("vkEndCommandBuffer", result);
  }
  return probe::Ok();
}

Result<Timing> Queue::Submit(const std::function<void(VkCommandBuffer)>& record) {
  if (device_.lost()) return device_.Fail("vkQueueSubmit", VK_ERROR_DEVICE_LOST);
  if (auto status = Record(record); !status) return status.error();
  const auto& functions = device_.functions();
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  Timing timing;
  const auto start = probe::system::Now();
  VkResult result = functions.vkQueueSubmit(device_.queue(), 1, &submit, fence_);
  if (result != VK_SUCCESS) return device_.Fail("vkQueueSubmit", result);
  result = functions.vkWaitForFences(device_.handle(), 1, &fence_, VK_TRUE, kFenceTimeoutNanoseconds);
  timing.wall_s = probe::system::SecondsSince(start);
  if (result != VK_SUCCESS) return device_.Fail("vkWaitForFences", result);
  result = functions.vkResetFences(device_.handle(), 1, &fence_);
  if (result != VK_SUCCESS) return device_.Fail("vkResetFences", result);
  timing.device_s = ReadQueries();
  return timing;
}

// Without VK_QUERY_RESULT_WAIT_BIT: the fence has been waited for, and a query that is still not there never
// will be.
std::optional<double> Queue::ReadQueries() const {
  if (queries_ == VK_NULL_HANDLE) return std::nullopt;
  std::array<std::uint64_t, 2> ticks{};
  const VkResult result =
      device_.functions().vkGetQueryPoolResults(device_.handle(), queries_, 0, 2, sizeof(ticks), ticks.data(),
                                                sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT);
  if (result != VK_SUCCESS) return std::nullopt;
  const std::uint32_t bits = device_.timestamp_bits();
  const std::uint64_t mask = bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
  const auto elapsed = static_cast<double>((ticks[1] - ticks[0]) & mask);
  return elapsed * static_cast<double>(device_.facts().properties.limits.timestampPeriod) * 1e-9;
}

}  // namespace backends::vulkan
