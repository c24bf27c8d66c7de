// SPDX-License-Identifier: MIT
// The Session over Vulkan compute: records launches into one command buffer, submits it, and times it by
// queries of the queue's clock and by the host's.
#pragma once

#include <memory>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/sharing.h"
#include "backends/vulkan/vulkan_device.h"
#include "backends/vulkan/vulkan_memory.h"
#include "backends/vulkan/vulkan_pipeline.h"
#include "backends/vulkan/vulkan_queue.h"

namespace backends::vulkan {

class VulkanSession final : public Session {
 public:
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request);
  ~VulkanSession() override;

  [[nodiscard]] const Limits& limits() const override { return limits_; }
  [[nodiscard]] probe::Result<BufferId> Allocate(const BufferRequest& request) override;
  void Release(BufferId buffer) override;
  [[nodiscard]] probe::Status Upload(BufferId buffer, std::uint64_t offset_bytes,
                                     std::span<const std::byte> data) override;
  [[nodiscard]] probe::Status Download(BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<std::byte> data) override;
  [[nodiscard]] probe::Result<KernelId> Load(const kernels::Variant& variant,
                                             const kernels::Step& step) override;
  [[nodiscard]] probe::Result<Timing> Run(std::span<const Launch> launches, std::uint32_t repeats) override;
  // Memory of the host's that the device copies from and to without our staging.
  [[nodiscard]] probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;
  [[nodiscard]] DeviceState State() const override { return StateOfCard(record_, files_); }

 private:
  VulkanSession(std::unique_ptr<Device> device, Limits limits, const OpenRequest& request);
  [[nodiscard]] probe::Status Copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to,
                                   std::uint64_t to_offset, std::uint64_t bytes);
  [[nodiscard]] probe::Status UseStaging();
  // Of AllocateHost's memory what holds these bytes, and where; nullopt where none does.
  struct HostPlace {
    VkBuffer buffer;
    std::uint64_t offset_bytes;
  };
  [[nodiscard]] std::optional<HostPlace> FindHost(std::span<const std::byte> data) const;
  [[nodiscard]] probe::Status Check(std::span<const Launch> launches) const;
  [[nodiscard]] probe::Result<std::vector<VkDescriptorSet>> Bind(std::span<const Launch> launches);
  [[nodiscard]] probe::Status UseDescriptorPool(std::uint32_t sets);
  void Write(const Launch& launch, VkDescriptorSet set);
  void Record(VkCommandBuffer commands, const Launch& launch, VkDescriptorSet set) const;

  std::unique_ptr<Device> device_;
  const probe::RuntimeDevice record_;
  const probe::system::FileSystem& files_;
  Limits limits_;
  Allocations allocations_;
  Queue queue_;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  std::uint32_t descriptor_sets_ = 0;  // that the pool has room for
  std::vector<Memory> buffers_;        // by BufferId; released ones are empty
  std::vector<Pipeline> pipelines_;    // by KernelId
  Memory staging_;
  std::vector<std::shared_ptr<Memory>> host_;  // AllocateHost's; their owners empty them
};

}  // namespace backends::vulkan
